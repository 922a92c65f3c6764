import { problem } from '@svc/platform';

/** Questions that are held open here, of all emitters and of one. */
const WAITERS_MAX = 1_024;
const WAITERS_OF_ONE_MAX = 4;

/** One question that is held open. */
export interface SoundWait {
  /** Resolves when there may be a sound, or after so long. */
  within(ms: number): Promise<void>;
  /** The question is answered. */
  end(): void;
}

/** Who waits for a sound of which emitter. */
export class SoundWaiters {
  private readonly waiting = new Map<string, Set<() => void>>();
  private count = 0;
  private closed = false;

  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * Waits from now on: a sound that is told of before {@link SoundWait.within} is asked is not missed.
   * @throws ProblemError OVERLOADED where too many wait
   */
  expect(beaconKey: string): SoundWait {
    const ofOne = this.waiting.get(beaconKey) ?? new Set();
    if (this.count >= WAITERS_MAX || ofOne.size >= WAITERS_OF_ONE_MAX) {
      const detail = `At most ${WAITERS_OF_ONE_MAX} questions of one emitter are held open`;
      throw problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
    }
    let wake = () => undefined as void;
    const woken = new Promise<void>(resolve => (wake = resolve));
    ofOne.add(wake);
    this.waiting.set(beaconKey, ofOne);
    this.count++;
    if (this.closed) wake();
    return {
      within: async ms => {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>(resolve => (timer = setTimeout(resolve, ms)));
        await Promise.race([woken, late]).finally(() => clearTimeout(timer));
      },
      end: () => {
        if (!ofOne.delete(wake)) return;
        this.count--;
        if (ofOne.size === 0) this.waiting.delete(beaconKey);
      },
    };
  }

  /** There may be a sound for an emitter. */
  wake(beaconKey: string): void {
    for (const wake of this.waiting.get(beaconKey) ?? []) wake();
  }

  /** Wakes everybody, and lets nobody wait any more. */
  close(): void {
    this.closed = true;
    for (const beaconKey of this.waiting.keys()) this.wake(beaconKey);
  }
}

import type { Logger } from 'pino';
import type { SessionLock } from './session-lock.js';

/** What one process of a deployment does for all of them. */
export interface LeaderDuty {
  /** After the lock was gained, and after a turn has failed. */
  begin?(session: SessionLock): Promise<void>;
  /** A piece of the work, through the session that holds the lock. @returns whether there is more to be done at once */
  turn(session: SessionLock): Promise<boolean>;
  /** What those do meanwhile who do not hold the lock. */
  standBy?(): Promise<void>;
}

export interface LeaderLoopOptions {
  readonly lock: SessionLock;
  readonly logger: Logger;
  /** Between two looks at what there is to do, and two tries to become the leader, milliseconds. */
  readonly pollMs: number;
  /** What is said in the log when a turn fails. */
  readonly onFailure: string;
}

/** What comes meanwhile goes with the next turn: one row is no reason for a turn of its own. */
const GATHER_MS = 20;

/** Does a duty as long as it holds the lock, and stands by otherwise, until it is stopped. A turn that fails is repeated. */
export class LeaderLoop {
  private readonly reported = new Map<string, string>();
  private open = true;
  private running: Promise<void> | undefined;
  private wakeUp: (() => void) | undefined;
  private woken = false;
  private begun = false;

  constructor(
    private readonly duty: LeaderDuty,
    private readonly options: LeaderLoopOptions,
  ) {}

  /** Whether this process is the leader, as far as it knows. */
  get leads(): boolean {
    return this.options.lock.held;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Ends after the turn at hand, and gives the lock up; the next leader finds what is left. */
  async stop(): Promise<void> {
    this.open = false;
    this.wake();
    await this.running;
    await this.options.lock.release();
  }

  /** This process has left something to do: it is looked at soon. */
  wake(): void {
    this.woken = true;
    this.wakeUp?.();
  }

  /** Said once for as long as it fails in the same way. */
  report(what: string, error: unknown): void {
    const reason = (error as Error).message;
    if (this.reported.get(what) !== reason)
      this.options.logger.warn({ of: what, reason }, this.options.onFailure);
    this.reported.set(what, reason);
  }

  /** It works again: when it fails anew, that is said. */
  recovered(what: string): void {
    this.reported.delete(what);
  }

  private async run(): Promise<void> {
    while (this.open) {
      let more = false;
      try {
        more = await this.turn();
        this.recovered('turn');
      } catch (error) {
        this.begun = false;
        this.report('turn', error);
      }
      if (!more) await this.rest();
    }
  }

  private async turn(): Promise<boolean> {
    const { lock } = this.options;
    if (!(await lock.take())) {
      this.begun = false;
      await this.duty.standBy?.();
      return false;
    }
    if (!this.begun) {
      await this.duty.begin?.(lock);
      this.begun = true;
    }
    return this.duty.turn(lock);
  }

  private async rest(): Promise<void> {
    const gathered = new Promise(resolve => setTimeout(resolve, GATHER_MS));
    // Who stands by has nothing to hurry for.
    if (this.open && !(this.woken && this.leads)) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, this.options.pollMs);
        this.wakeUp = () => {
          if (this.open && !this.leads) return;
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wakeUp = undefined;
    if (this.open) await gathered;
    this.woken = false;
  }
}

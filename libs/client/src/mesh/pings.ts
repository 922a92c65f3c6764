import { trySend } from './data-channels.js';
import { MeshConnectionError } from './mesh-error.js';

/** A ping that nothing comes back for within this time: the connection is dead, whatever its state says. */
const PONG_MS_MAX = 15_000;
/** Pings in the time after which the service closes a connection on which nothing goes. */
const PINGS_PER_IDLE_TIME = 4;
/** Least time between two pings that nobody asked for. */
export const PING_MS_MIN = 1_000;

interface Waiting {
  readonly sentMs: number;
  readonly timer: ReturnType<typeof setTimeout>;
  readonly resolve: (roundTripMs: number) => void;
  readonly reject: (error: MeshConnectionError) => void;
}

/** Pings on `ctl`: they keep a connection that nobody uses, and find out one that is dead. */
export class Pings {
  /** Resolves when a ping came to nothing. */
  readonly silent: Promise<void>;
  private readonly waiting = new Map<number, Waiting>();
  private readonly interval: ReturnType<typeof setInterval>;
  private readonly fallSilent: () => void;
  private lastId = 0;

  /** @param idleMs as the service says in its greeting */
  constructor(
    private readonly ctl: RTCDataChannel,
    idleMs: number,
    onSilent: () => void,
    everyMsMin: number,
  ) {
    let silent: () => void = () => undefined;
    this.silent = new Promise(resolve => (silent = resolve));
    this.fallSilent = () => {
      silent();
      onSilent();
    };
    const everyMs = Math.max(everyMsMin, idleMs / PINGS_PER_IDLE_TIME);
    this.interval = setInterval(() => void this.ping().catch(() => undefined), everyMs);
  }

  /** @throws {MeshConnectionError} DISCONNECTED */
  ping(): Promise<number> {
    const id = ++this.lastId;
    const sentMs = performance.now();
    if (!trySend(this.ctl, JSON.stringify({ type: 'ping', id }))) return Promise.reject(gone());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.close();
        this.fallSilent();
      }, PONG_MS_MAX);
      this.waiting.set(id, { sentMs, timer, resolve, reject });
    });
  }

  pong(id: number): void {
    const found = this.waiting.get(id);
    if (found === undefined) return;
    this.waiting.delete(id);
    clearTimeout(found.timer);
    found.resolve(performance.now() - found.sentMs);
  }

  close(): void {
    clearInterval(this.interval);
    for (const { timer, reject } of this.waiting.values()) {
      clearTimeout(timer);
      reject(gone());
    }
    this.waiting.clear();
  }
}

const gone = () => new MeshConnectionError('DISCONNECTED', 'the channel ctl is gone');

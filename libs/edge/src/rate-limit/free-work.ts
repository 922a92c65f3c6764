import { problem, type ProblemError } from '@svc/platform';

/** Units of work of one window that a demo's caller has for nothing: half of a core. A unit is a millisecond that is expected. */
export const FREE_WORK_UNITS = 30_000;
/** The window in which they are counted, seconds. */
export const FREE_WORK_WINDOW_SECONDS = 60;
/** Calls of a demo's caller that are worked on at once for nothing: half of what waits for the smallest of our queues. */
export const FREE_CALLS_AT_ONCE = 32;
/**
 * Work of more units than this is large: of that a caller has one piece under way, whatever its plan, and it is not counted
 * in the window. All other work of a demo's caller that is under way comes to no more than this either.
 */
export const LARGE_WORK_UNITS = 10_000;
/** How long a call waits for others of its caller to end, where together they come to more than that. */
const TURN_MS_MAX = 20_000;

/** What a call takes that says nothing else of it: it waits, crosses the bus, and has evidence made. */
export const CALL_UNITS = 20;
/** What a task takes beside that: its rows are written and read, its events told, its payment settled. */
const TASK_UNITS = 40;
const BYTES_PER_UNIT = 16_384;

/** Units of a call by the bytes that it brings. */
export const unitsOfCall = (bytes: number): number => CALL_UNITS + Math.floor(bytes / BYTES_PER_UNIT);

/** As {@link unitsOfCall}, of a call that becomes a task: its body is sealed, stored, and read once more as well. */
export const unitsOfTask = (bytes: number): number => TASK_UNITS + unitsOfCall(2 * bytes);

/** The work of one caller that is under way. */
interface Held {
  calls: number;
  units: number;
  /** When the large piece is expected to end; 0 where there is none. */
  largeUntilMs: number;
  /** Calls that wait until fewer units are under way, the first of them next. */
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly units: number;
  readonly bound: number;
  readonly begin: () => void;
}

/** Whose work is bounded, and how. */
export interface WorkCaller {
  readonly name: string;
  /** `from this address`, for messages. */
  readonly whose: string;
  /** How many times what a demo's caller has. */
  readonly times: number;
  /** Counts units in the caller's window. @throws ProblemError RATE_LIMITED */
  readonly count: (units: number) => Promise<void>;
}

/** Work that nobody pays for, by who has it done. */
export class WorkUnderWay {
  private readonly held = new Map<string, Held>();

  /** @throws ProblemError RATE_LIMITED where as many calls of the caller are worked on as may be */
  begin(caller: WorkCaller): FreeWork {
    const held = this.held.get(caller.name) ?? { calls: 0, units: 0, largeUntilMs: 0, waiting: [] };
    const bound = Math.max(1, Math.ceil(FREE_CALLS_AT_ONCE * caller.times));
    if (held.calls >= bound) throw refused(caller, 'calls at once for nothing', bound, held.calls + 1);
    held.calls++;
    this.held.set(caller.name, held);
    return new FreeWork(caller, held, () => {
      if (--held.calls === 0) this.held.delete(caller.name);
    });
  }
}

/** One call that is worked on for nothing: it counts from its beginning to its end. */
export class FreeWork {
  private units = 0;
  private counted = 0;
  private isLarge = false;

  /** @param held absent: nothing is counted */
  constructor(
    private readonly caller?: WorkCaller,
    private readonly held?: Held,
    private readonly ended: () => void = () => undefined,
  ) {}

  /**
   * Says what the call takes beside what was said before, once that is known. While the caller has too much under way the call waits,
   * and counts for none of it: ten people behind one address who ask at once are answered one after the other.
   * @throws ProblemError RATE_LIMITED where it waits too long, or the caller has had too much in its window
   */
  async take(units: number): Promise<void> {
    const { caller, held } = this;
    if (!caller || !held) return;
    const ofCall = this.units + units;
    if (ofCall > LARGE_WORK_UNITS) return this.takeLarge(caller, held, ofCall);
    const bound = LARGE_WORK_UNITS * Math.max(1, caller.times);
    held.units -= this.units;
    this.units = 0;
    startWaiting(held);
    // Before it is counted, which takes a turn: others come meanwhile.
    if (held.waiting.length === 0 && held.units + ofCall <= bound) held.units += ofCall;
    else await turnOf(caller, held, ofCall, bound);
    this.units = ofCall;
    // A window that is smaller than the call is filled by it.
    const windowUnits = Math.ceil(FREE_WORK_UNITS * caller.times);
    const uncounted = Math.max(0, Math.min(ofCall, windowUnits) - this.counted);
    await caller.count(uncounted);
    this.counted += uncounted;
  }

  /** @param goesOn where the work goes on after its answer: large work counts until this settles */
  end(goesOn?: () => Promise<unknown>): void {
    if (this.isLarge && goesOn) void goesOn().then(this.release, this.release);
    else this.release();
  }

  private takeLarge(caller: WorkCaller, held: Held, units: number): void {
    const nowMs = Date.now();
    if (held.largeUntilMs > 0) {
      const what = `large run (of more than ${LARGE_WORK_UNITS} ms) at once for nothing`;
      throw refused(caller, what, 1, 2, Math.ceil((held.largeUntilMs - nowMs) / 1_000));
    }
    held.largeUntilMs = nowMs + units;
    this.isLarge = true;
  }

  private readonly release = (): void => {
    if (!this.held) return;
    this.held.units -= this.units;
    if (this.isLarge) this.held.largeUntilMs = 0;
    startWaiting(this.held);
    this.ended();
  };
}

/** Begins what waits, as far as its units fit. */
function startWaiting(held: Held): void {
  for (let [next] = held.waiting; next && held.units + next.units <= next.bound; [next] = held.waiting) {
    held.waiting.shift();
    held.units += next.units;
    next.begin();
  }
}

/** @throws ProblemError RATE_LIMITED after {@link TURN_MS_MAX} */
function turnOf(caller: WorkCaller, held: Held, units: number, bound: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      const what = 'units of work (a millisecond each) at once for nothing';
      const sum = held.units + units;
      held.waiting.splice(held.waiting.indexOf(waiting), 1);
      // Those behind it may be smaller.
      startWaiting(held);
      reject(refused(caller, what, bound, sum));
    };
    const timer = setTimeout(leave, TURN_MS_MAX);
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    const waiting = { units, bound, begin };
    held.waiting.push(waiting);
  });
}

/** How long whoever is refused waits at least where a large run is late. */
const LARGE_RETRY_SECONDS_MIN = 5;

function refused(
  { whose }: WorkCaller,
  what: string,
  bound: number,
  got: number,
  afterSeconds?: number,
): ProblemError {
  const detail = `More than ${bound} ${what} ${whose}; nothing was taken for this one`;
  return problem('RATE_LIMITED', detail, {
    errors: [{ path: 'free-work', message: what, bound, got }],
    retryAfterSeconds: afterSeconds === undefined ? 1 : Math.max(LARGE_RETRY_SECONDS_MIN, afterSeconds),
  });
}

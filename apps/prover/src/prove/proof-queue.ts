import { type TurnOptions, WorkLane } from '@svc/platform';

/** The classes of proofs by the time and the memory that they take, smallest first. */
export const SIZE_CLASSES = ['small', 'medium', 'large'] as const;
export type SizeClass = (typeof SIZE_CLASSES)[number];

/** What is taken of one class. */
export interface LaneLimits {
  /** Cells and kernel memory, bytes, of the largest proof. */
  readonly cellsMax: number;
  readonly memoryBytesMax: number;
  /** How many proofs may wait for the one that is being made. */
  readonly waitingMax: number;
}

/** A proof that would begin later than this is refused: its caller would have given up. */
const WAIT_MS_MAX = 60_000;
/** Until a proof of the class has been measured: what a cell takes on two slow cores. */
const CELL_MS_FIRST = 0.00005;

/**
 * At most 2.1 GB for all three together: what the service is deployed with. A cell takes 20 to 50 ns: a small proof 0.2 s,
 * a medium one, such as a hash chain at its defaults, 2 s.
 */
const LANES: Readonly<Record<SizeClass, LaneLimits>> = {
  small: { cellsMax: 2 ** 22, memoryBytesMax: 128_000_000, waitingMax: 64 },
  medium: { cellsMax: 2 ** 25, memoryBytesMax: 448_000_000, waitingMax: 16 },
  large: { cellsMax: Infinity, memoryBytesMax: Infinity, waitingMax: 4 },
};

/** What a proof takes. */
export interface ProofSize {
  /** Cells of the low-degree extension, trace length × blowup × columns: what the time grows with. */
  readonly cells: number;
  /** Kernel memory, bytes. */
  readonly memoryBytes: number;
}

/**
 * Bounds the proofs that are made and that wait. There is a lane for each class of size, and each
 * makes one proof at a time, callers taking turns: a proof takes every core, so that two of a size
 * at once would only double the memory. The lanes run beside one another and share the cores by the
 * operating system's scheduler, so that a small proof never waits for a large one to end, and a large
 * one goes on however many small ones come.
 */
export class ProofQueue {
  private readonly lanes: Readonly<Record<SizeClass, WorkLane>>;

  constructor(private readonly limits: Readonly<Record<SizeClass, LaneLimits>> = LANES) {
    this.lanes = {
      small: laneOf(limits.small),
      medium: laneOf(limits.medium),
      large: laneOf(limits.large),
    };
  }

  sizeClassOf({ cells, memoryBytes }: ProofSize): SizeClass {
    const fits = ({ cellsMax, memoryBytesMax }: LaneLimits) =>
      cells <= cellsMax && memoryBytes <= memoryBytesMax;
    return SIZE_CLASSES.find(name => fits(this.limits[name])) ?? 'large';
  }

  /**
   * Estimate of the wait before a proof would begin, milliseconds.
   * @throws ProblemError QUEUE_FULL when it would not be taken now
   */
  assertRoom(size: ProofSize): number {
    return this.lanes[this.sizeClassOf(size)].assertRoom();
  }

  /**
   * Does the job when its turn comes.
   * @throws ProblemError QUEUE_FULL, as {@link assertRoom}, unless it waits for room; the signal's reason where it is aborted in the queue
   */
  run<T>(size: ProofSize, job: (sizeClass: SizeClass) => Promise<T>, options: TurnOptions = {}): Promise<T> {
    const sizeClass = this.sizeClassOf(size);
    return this.lanes[sizeClass].run(size.cells, () => job(sizeClass), options);
  }
}

/** Costs are cells. */
const laneOf = ({ waitingMax }: LaneLimits) =>
  new WorkLane({
    name: 'proofs of this size',
    waitingMax,
    waitMsMax: WAIT_MS_MAX,
    unitMsFirst: CELL_MS_FIRST,
  });

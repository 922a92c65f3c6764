/** What is broken on purpose in the world around the runner, to see that the simulation finds it. */
export const MUTANTS = [
  'store forgets fences',
  'store gives a lapsed saga to two owners',
  'store writes effects without their records',
  'store loses what it has acknowledged',
  'store never lets a lease end',
  'receiver runs an effect again',
  'receiver forgets tombstones',
  'receiver loses a compensation',
  'ticket is not locked',
] as const;

export type Mutant = (typeof MUTANTS)[number];

/** What a simulated saga will meet, whatever the weather. */
export interface SagaPlan {
  readonly ticket: string;
  /** Index of the step that fails for good; -1 for none. */
  readonly failsAt: number;
  /** A remote step that fails has had its effect. */
  readonly failsLate: boolean;
  /** Remote steps fail for good when they are tried again. */
  readonly failsUnsent: boolean;
  /** How often the compensation of each step fails. */
  readonly undoFailures: number[];
  /** Its beginning is refused the first time. */
  refusals: number;
}

/** Something happened that never may. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

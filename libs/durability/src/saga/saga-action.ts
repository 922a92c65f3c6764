import type { SagaPosition } from './saga-machine.js';

/** What is to be done at a position; `step` is an index. */
export type SagaAction =
  /** Record that the step will be run. */
  | { readonly do: 'intend'; readonly step: number; readonly attempt: number }
  /** Run it, or learn what became of it, and record that. */
  | { readonly do: 'run'; readonly step: number; readonly attempt: number }
  /** Every step is done: record SAGA_COMMIT. */
  | { readonly do: 'complete' }
  | { readonly do: 'intendUndo'; readonly step: number; readonly attempt: number }
  | { readonly do: 'undo'; readonly step: number; readonly attempt: number }
  /** Everything is taken back: record SAGA_ABORTED. */
  | { readonly do: 'abort' }
  /** Stuck: somebody has to resume it. */
  | { readonly do: 'wait' }
  | { readonly do: 'nothing' };

/** How often a definition has its steps and compensations tried. */
export interface AttemptLimits {
  readonly runAttemptsMax: number;
  readonly undoAttemptsMax: number;
}

/** Whether a saga at this position has ended for good. */
export const hasEnded = ({ state }: Pick<SagaPosition, 'state'>): boolean =>
  state === 'COMPLETED' || state === 'COMPENSATED';

/** The one thing to do at a position: the same for every replica, as it depends on the log alone. */
export function nextAction(position: SagaPosition): SagaAction {
  switch (position.last) {
    case 'SAGA_BEGIN':
      return { do: 'intend', step: 0, attempt: 1 };
    case 'STEP_INTENT':
      return { do: 'run', step: position.step, attempt: position.attempt };
    case 'STEP_COMMIT': {
      const step = position.step + 1;
      return step < position.steps.length ? { do: 'intend', step, attempt: 1 } : { do: 'complete' };
    }
    case 'STEP_FAIL':
    case 'COMP_COMMIT':
      return position.toUndo.length > 0
        ? { do: 'intendUndo', step: position.toUndo[0], attempt: 1 }
        : { do: 'abort' };
    case 'COMP_INTENT':
      return { do: 'undo', step: position.step, attempt: position.attempt };
    case 'SAGA_STUCK':
      return { do: 'wait' };
    case 'SAGA_COMMIT':
    case 'SAGA_ABORTED':
      return { do: 'nothing' };
  }
}

/** What to do at a stuck saga that somebody has resumed. */
export function resumeAction(position: SagaPosition): SagaAction {
  if (position.last !== 'SAGA_STUCK') return nextAction(position);
  return position.toUndo.length > 0
    ? { do: 'intendUndo', step: position.toUndo[0], attempt: position.attempt + 1 }
    : { do: 'abort' };
}

/** After a try of a step whose outcome is unknown, or which certainly had no effect: once more, or give it up. */
export function mayRunAgain(position: SagaPosition, { runAttemptsMax }: AttemptLimits): boolean {
  return position.attempt < runAttemptsMax;
}

/** After a try of a compensation that failed: once more, or the saga is stuck. */
export function mayUndoAgain(position: SagaPosition, { undoAttemptsMax }: AttemptLimits): boolean {
  return position.undoTries < undoAttemptsMax;
}

import { genesisOf } from '../wal/wal-codec.js';
import type { WalEntry, WalKind } from '../wal/wal-record.js';
import { idemKey, type StepDirection } from './idem-key.js';
import type { SagaFailure } from './saga-definition.js';
import type { SagaState } from './saga-store.js';

/**
 * Where a log has come to: all that is needed to say which record may follow, and what is to be done next. A log alone
 * gives it, so that any replica carries on any saga, and a verifier without definitions tells a log that no saga writes.
 */
export interface SagaPosition {
  readonly sagaId: string;
  readonly state: SagaState;
  /** Kind of the newest record. */
  readonly last: WalKind;
  readonly name: string;
  readonly version: number;
  /** Names, in the order in which they run. */
  readonly steps: readonly string[];
  /** Of each step that has begun, whether its effect is elsewhere. */
  readonly remote: readonly boolean[];
  /** Index of the step that runs, ran last, or is taken back; -1 before the first. */
  readonly step: number;
  /** Of that step, in the direction in which the saga goes. */
  readonly attempt: number;
  /** Tries of the compensation at hand since it began, or since the saga was stuck last. */
  readonly undoTries: number;
  /** Indices of the steps that are still to be taken back, the next one first. */
  readonly toUndo: readonly number[];
  /** How often the saga was stuck. */
  readonly stuckTimes: number;
  readonly failure?: SagaFailure;
}

/** A record as the machine sees it: its place in the chain is the chain's matter. */
export type MachineRecord = WalEntry & { readonly sagaId: string };

/** Why a record may not follow. */
export type Refusal = string;

const STEP_KINDS: ReadonlySet<WalKind> = new Set([
  'STEP_INTENT',
  'STEP_COMMIT',
  'STEP_FAIL',
  'COMP_INTENT',
  'COMP_COMMIT',
]);

/** Which kinds may follow a kind at all; what of a kind may follow is looked at by each. */
const MAY_FOLLOW: Readonly<Record<WalKind, readonly WalKind[]>> = {
  SAGA_BEGIN: ['STEP_INTENT'],
  STEP_INTENT: ['STEP_INTENT', 'STEP_COMMIT', 'STEP_FAIL'],
  STEP_COMMIT: ['STEP_INTENT', 'SAGA_COMMIT'],
  STEP_FAIL: ['COMP_INTENT', 'SAGA_ABORTED', 'SAGA_STUCK'],
  COMP_INTENT: ['COMP_INTENT', 'COMP_COMMIT', 'SAGA_STUCK'],
  COMP_COMMIT: ['COMP_INTENT', 'SAGA_ABORTED', 'SAGA_STUCK'],
  SAGA_STUCK: ['COMP_INTENT', 'SAGA_ABORTED', 'SAGA_STUCK'],
  SAGA_COMMIT: [],
  SAGA_ABORTED: [],
};

/**
 * The position after one more record.
 *
 * @param position that of the log so far; undefined before its first record
 * @returns the new position, or why no saga writes this record here
 */
export function follow(position: SagaPosition | undefined, record: MachineRecord): SagaPosition | Refusal {
  if (!position) return begin(record);
  if (record.sagaId !== position.sagaId) return 'saga-differs';
  if (!MAY_FOLLOW[position.last].includes(record.kind))
    return `${record.kind} cannot follow ${position.last}`;
  if (!STEP_KINDS.has(record.kind) && !isOfSaga(record)) return 'record-of-saga-names-a-step';
  const resumed = position.last === 'SAGA_STUCK' ? position.stuckTimes : undefined;
  if (record.payload['resumed'] !== resumed) return 'resumed-wrong';
  return AFTER[record.kind](position, record);
}

/** Folds a log. @returns the position, or the index of the record that is refused, and why */
export function positionOf(
  records: readonly MachineRecord[],
): SagaPosition | { readonly index: number; readonly reason: Refusal } {
  let position: SagaPosition | undefined;
  for (const [index, record] of records.entries()) {
    const next = follow(position, record);
    if (typeof next === 'string') return { index, reason: next };
    position = next;
  }
  return position ?? { index: 0, reason: 'log-empty' };
}

function begin(record: MachineRecord): SagaPosition | Refusal {
  if (record.kind !== 'SAGA_BEGIN') return `a log begins with SAGA_BEGIN, not with ${record.kind}`;
  if (!isOfSaga(record)) return 'record-of-saga-names-a-step';
  const genesis = genesisOf(record.payload);
  if (!genesis) return 'genesis-malformed';
  const { name, version, steps } = genesis;
  if (steps.length === 0 || new Set(steps).size !== steps.length) return 'steps-malformed';
  return {
    sagaId: record.sagaId,
    state: 'RUNNING',
    last: 'SAGA_BEGIN',
    name,
    version,
    steps,
    remote: [],
    step: -1,
    attempt: 0,
    undoTries: 0,
    toUndo: [],
    stuckTimes: 0,
  };
}

type After = (position: SagaPosition, record: MachineRecord) => SagaPosition | Refusal;

const AFTER: Readonly<Record<WalKind, After>> = {
  SAGA_BEGIN: () => 'SAGA_BEGIN twice',
  STEP_INTENT: afterStepIntent,
  STEP_COMMIT: (position, record) =>
    refusalOfStep(position, record, 'forward') ?? { ...position, last: 'STEP_COMMIT' },
  STEP_FAIL: afterStepFail,
  COMP_INTENT: afterCompIntent,
  COMP_COMMIT: (position, record) =>
    refusalOfStep(position, record, 'reverse') ?? {
      ...position,
      last: 'COMP_COMMIT',
      toUndo: position.toUndo.slice(1),
    },
  SAGA_COMMIT: position =>
    position.step === position.steps.length - 1
      ? { ...position, last: 'SAGA_COMMIT', state: 'COMPLETED' }
      : 'SAGA_COMMIT before the last step',
  SAGA_ABORTED: position =>
    position.toUndo.length === 0
      ? { ...position, last: 'SAGA_ABORTED', state: 'COMPENSATED' }
      : 'SAGA_ABORTED before everything was taken back',
  SAGA_STUCK: afterStuck,
};

function afterStepIntent(position: SagaPosition, record: MachineRecord): SagaPosition | Refusal {
  const again = position.last === 'STEP_INTENT';
  const step = again ? position.step : position.step + 1;
  if (step >= position.steps.length) return 'STEP_INTENT after the last step';
  const remote = again ? position.remote : [...position.remote, record.idemKey !== null];
  const attempt = again ? position.attempt + 1 : 1;
  const next: SagaPosition = { ...position, last: 'STEP_INTENT', step, attempt, remote };
  return refusalOfStep(next, record, 'forward') ?? next;
}

function afterStepFail(position: SagaPosition, record: MachineRecord): SagaPosition | Refusal {
  const refusal = refusalOfStep(position, record, 'forward');
  if (refusal) return refusal;
  const { code, mayHaveEffect } = record.payload;
  if (typeof code !== 'string' || typeof mayHaveEffect !== 'boolean') return 'failure-malformed';
  if (mayHaveEffect && !position.remote[position.step])
    return 'a local step that failed cannot have an effect';
  const toUndo = position.steps
    .map((_, index) => index)
    .slice(0, position.step + (mayHaveEffect ? 1 : 0))
    .reverse();
  const failure = { step: position.steps[position.step], code };
  return { ...position, last: 'STEP_FAIL', state: 'COMPENSATING', toUndo, attempt: 0, failure };
}

function afterCompIntent(position: SagaPosition, record: MachineRecord): SagaPosition | Refusal {
  if (position.toUndo.length === 0) return 'COMP_INTENT with nothing left to take back';
  const step = position.toUndo[0];
  // Also true after SAGA_STUCK: it leaves the step and the attempt as they are, unless the step had not begun.
  const again = position.last === 'COMP_INTENT' || position.last === 'SAGA_STUCK';
  const next: SagaPosition = {
    ...position,
    last: 'COMP_INTENT',
    state: 'COMPENSATING',
    step,
    attempt: again ? position.attempt + 1 : 1,
    undoTries: position.last === 'COMP_INTENT' ? position.undoTries + 1 : 1,
  };
  return refusalOfStep(next, record, 'reverse') ?? next;
}

function afterStuck(position: SagaPosition, { payload }: MachineRecord): SagaPosition | Refusal {
  const waits = position.last === 'COMP_INTENT';
  if (!waits && position.toUndo.length > 0) return 'SAGA_STUCK before the compensation was tried';
  const stuckTimes = position.stuckTimes + 1;
  const step = waits ? position.steps[position.step] : null;
  if (payload['times'] !== stuckTimes || payload['step'] !== step) return 'stuck-malformed';
  return { ...position, last: 'SAGA_STUCK', state: 'STUCK', stuckTimes };
}

const isOfSaga = ({ step, attempt, idemKey: key }: MachineRecord): boolean =>
  step === null && attempt === 0 && key === null;

/** What of a record is not of the step and the attempt at hand. */
function refusalOfStep(
  position: SagaPosition,
  record: MachineRecord,
  direction: StepDirection,
): Refusal | undefined {
  const step = position.steps[position.step];
  if (record.step !== step) return `${record.kind} of ${record.step} where ${step} is at hand`;
  if (record.attempt !== position.attempt)
    return `attempt ${record.attempt} where ${position.attempt} is at hand`;
  const key = position.remote[position.step] ? idemKey(position.sagaId, step, direction) : null;
  return record.idemKey === key ? undefined : 'idem-key-wrong';
}

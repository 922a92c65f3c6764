import { appendRecords } from '../wal/wal-codec.js';
import type { JsonObject, WalEntry, WalRecord } from '../wal/wal-record.js';
import { idemKey } from './idem-key.js';
import type { SagaDefinition, StepContext } from './saga-definition.js';
import { follow, positionOf, type SagaPosition } from './saga-machine.js';
import type { HeldSaga, SagaState, StoredSaga } from './saga-store.js';

/** A record of a step; its key is derived where the step is remote. */
export interface StepEntry {
  readonly kind: 'STEP_INTENT' | 'STEP_COMMIT' | 'STEP_FAIL' | 'COMP_INTENT' | 'COMP_COMMIT';
  /** Index. */
  readonly step: number;
  readonly attempt: number;
  readonly payload?: JsonObject;
}
/** A record of the saga itself. */
export interface SagaEntry {
  readonly kind: 'SAGA_COMMIT' | 'SAGA_ABORTED' | 'SAGA_STUCK';
  readonly payload: JsonObject;
}
export type LogEntry = StepEntry | SagaEntry;

/** Records that were placed after a log, and the log that they make. */
export interface Placed<Tx> {
  readonly records: readonly WalRecord[];
  readonly log: SagaLog<Tx>;
}

/** The log of one saga as its owner sees it: immutable, always one that the state machine accepts. */
export class SagaLog<Tx> {
  private constructor(
    readonly definition: SagaDefinition<Tx>,
    readonly records: readonly WalRecord[],
    readonly position: SagaPosition,
  ) {}

  /** @throws {Error} saying why this log cannot be carried on by this definition */
  static of<Tx>(definition: SagaDefinition<Tx>, records: readonly WalRecord[]): SagaLog<Tx> {
    const position = positionOf(records);
    if ('reason' in position) throw new Error(`record ${position.index} of the log: ${position.reason}`);
    const steps = definition.steps.map(step => step.name);
    if (position.name !== definition.name || position.version !== definition.version)
      throw new Error(`the log is of ${position.name} version ${position.version}`);
    if (JSON.stringify(steps) !== JSON.stringify(position.steps))
      throw new Error(`the steps of ${definition.name} are not those that the log names`);
    return new SagaLog(definition, records, position);
  }

  get last(): WalRecord {
    return this.records[this.records.length - 1];
  }

  /** Payloads of STEP_COMMIT, by step. */
  get committed(): Record<string, JsonObject> {
    const commits = this.records.filter(({ kind }) => kind === 'STEP_COMMIT');
    return Object.fromEntries(commits.map(({ step, payload }) => [step, payload]));
  }

  /** The log with more records; what follows SAGA_STUCK says that it was resumed. @throws RangeError, PayloadError */
  place(entries: readonly LogEntry[], fence: number, nowMs: number): Placed<Tx> {
    const { last, stuckTimes, sagaId } = this.position;
    const filled = entries.map((entry, index) => {
      const whole = this.entryOf(entry);
      const resumed = index === 0 && last === 'SAGA_STUCK';
      return resumed ? { ...whole, payload: { ...whole.payload, resumed: stuckTimes } } : whole;
    });
    const records = appendRecords(this.last, filled, { sagaId, fence, nowMs });
    let position = this.position;
    for (const record of records) {
      const next = follow(position, record);
      if (typeof next === 'string') throw new RangeError(`${record.kind} of saga ${sagaId}: ${next}`);
      position = next;
    }
    return { records, log: new SagaLog(this.definition, [...this.records, ...records], position) };
  }

  /** What a step may know at this position. */
  contextOf(step: number, kept: JsonObject, signal: AbortSignal): StepContext {
    const { sagaId, attempt, failure } = this.position;
    const { name } = this.definition.steps[step];
    const forwardIdemKey = idemKey(sagaId, name, 'forward');
    return {
      sagaId,
      step: name,
      attempt,
      idemKey: failure ? idemKey(sagaId, name, 'reverse') : forwardIdemKey,
      forwardIdemKey,
      begun: this.records[0].payload,
      committed: this.committed,
      kept,
      signal,
    };
  }

  private entryOf(entry: LogEntry): WalEntry {
    const { kind, payload = {} } = entry;
    if (!('step' in entry)) return { kind, step: null, attempt: 0, idemKey: null, payload };
    const { name, kind: where } = this.definition.steps[entry.step];
    const direction = kind.startsWith('COMP') ? 'reverse' : 'forward';
    const key = where === 'remote' ? idemKey(this.position.sagaId, name, direction) : null;
    return { kind, step: name, attempt: entry.attempt, idemKey: key, payload };
  }
}

/** A log's first two records: the saga has begun, and its first step will be run. */
export function firstRecords<Tx>(
  definition: SagaDefinition<Tx>,
  sagaId: string,
  { inputDigest, logged, nowMs }: { inputDigest: string; logged: JsonObject; nowMs: number },
): readonly WalRecord[] {
  const { name, version, steps } = definition;
  const payload = { ...logged, name, version, steps: steps.map(step => step.name), inputDigest };
  const begin: WalEntry = { kind: 'SAGA_BEGIN', step: null, attempt: 0, idemKey: null, payload };
  const begun = appendRecords(undefined, [begin], { sagaId, fence: FIRST_FENCE, nowMs });
  const { records } = SagaLog.of(definition, begun).place(
    [{ kind: 'STEP_INTENT', step: 0, attempt: 1 }],
    FIRST_FENCE,
    nowMs,
  );
  return [...begun, ...records];
}

/** Of a saga that nobody has taken over yet. */
export const FIRST_FENCE = 1;

/** A held saga after its log has grown. */
export function storedAs<Tx>(held: HeldSaga, log: SagaLog<Tx>, kept: JsonObject): StoredSaga {
  const { sagaId, name, version, fence } = held;
  const state: SagaState = log.position.state;
  return { sagaId, name, version, state, records: log.records, kept, fence };
}

import { verifyChain } from '../wal/verify-wal.js';
import type { JsonObject } from '../wal/wal-record.js';
import { mayRunAgain, mayUndoAgain, nextAction, resumeAction, type AttemptLimits } from './saga-action.js';
import { backoffMs, type Backoff, type SagaClock } from './saga-clock.js';
import {
  StepFailed,
  type EndContext,
  type RemoteStep,
  type SagaDefinition,
  type StepContext,
  type StepOutcome,
} from './saga-definition.js';
import { SagaLog, storedAs, type LogEntry } from './saga-log.js';
import { inTime } from './try-in-time.js';
import { LeaseLostError, type HeldSaga, type SagaStore, type StoredSaga } from './saga-store.js';

/** How carrying a saga on came out: `lost` to another owner, `stopped` by this one. */
export type CarryEnd = 'ended' | 'stuck' | 'lost' | 'stopped';

/** What a saga is carried on with. */
export interface CarryOptions {
  readonly clock: SagaClock;
  readonly backoff: Backoff;
  /** A byte. */
  readonly randomByte: () => number;
}

/** Whether records are in the log. `counts`: the try was wholly made and failed, as opposed to a store that was away. */
type Recorded =
  | { readonly recorded: true }
  | { readonly recorded: false; readonly error: unknown; readonly counts: boolean };

const NOT_SENT: Recorded = {
  recorded: false,
  error: new Error('the saga is no longer carried on'),
  counts: false,
};

const RUN_ATTEMPTS_MAX = 5;
const UNDO_ATTEMPTS_MAX = 10;
const TRY_MS_MAX = 120_000;
/** A store that was away is looked for again at least this often. */
const LOOK: Backoff = { firstMs: 50, maxMs: 2000 };

/**
 * One held saga, carried on from its log until it ends, is stuck, or is another's. All that it does follows from the
 * log; what it remembers beside it (an outcome that is not recorded yet, a receiver that has to be asked) only saves
 * asking again, and is as good as lost with the process.
 */
export class CarriedSaga<Tx> {
  readonly held: HeldSaga;
  private readonly controller = new AbortController();
  private readonly limits: AttemptLimits;
  private readonly resumes: number | undefined;
  private log: SagaLog<Tx>;
  private kept: JsonObject;
  /** Log length when the step or compensation at hand was tried: its intent is no longer fresh then. */
  private triedAt = 0;
  /** Outcome of a remote effect that is not in the log yet, and the log's last word on whose it is. */
  private known?: { readonly step: number; readonly back: boolean; readonly outcome: StepOutcome };
  /** The receiver may have an effect that it has not told of. */
  private mustAsk = false;
  /** In a row. */
  private setbacks = 0;

  /** @throws {Error} where this definition cannot carry this log on, or the log was altered */
  constructor(
    private readonly store: SagaStore<Tx>,
    private readonly definition: SagaDefinition<Tx>,
    held: HeldSaga,
    private readonly options: CarryOptions,
  ) {
    this.held = held;
    const chain = verifyChain(held.records);
    if (!chain.valid) throw new Error(`record ${chain.seq} of the log: ${chain.reason}`);
    this.log = SagaLog.of(definition, held.records);
    this.kept = held.kept;
    this.resumes = held.state === 'STUCK' ? this.log.position.stuckTimes : undefined;
    this.limits = {
      runAttemptsMax: definition.runAttemptsMax ?? RUN_ATTEMPTS_MAX,
      undoAttemptsMax: definition.undoAttemptsMax ?? UNDO_ATTEMPTS_MAX,
    };
  }

  /** As far as this owner knows it. */
  get stored(): StoredSaga {
    return storedAs(this.held, this.log, this.kept);
  }

  /** Nothing more is begun; what is under way does not count, unless it is recorded by now. */
  abort(why: 'lost' | 'stopped'): void {
    this.controller.abort(why);
  }

  /** Never rejects for what a step or a store does; only for a fault of the engine. */
  async carryOn(): Promise<CarryEnd> {
    while (!this.signal.aborted) {
      try {
        const end = await this.next();
        if (end) return end;
      } catch (error) {
        if (error instanceof LeaseLostError) return 'lost';
        if (!this.signal.aborted) throw error;
      }
    }
    return this.signal.reason as CarryEnd;
  }

  private get signal(): AbortSignal {
    return this.controller.signal;
  }

  private async next(): Promise<CarryEnd | undefined> {
    const { position } = this.log;
    const resumed = position.last === 'SAGA_STUCK' && position.stuckTimes === this.resumes;
    const action = resumed ? resumeAction(position) : nextAction(position);
    switch (action.do) {
      case 'nothing':
        return 'ended';
      case 'wait':
        return 'stuck';
      case 'run':
        await this.run();
        break;
      case 'undo':
        await this.undo();
        break;
      case 'abort':
        await this.endAborted([]);
        break;
      case 'intend':
        await this.insist([{ kind: 'STEP_INTENT', step: action.step, attempt: action.attempt }]);
        break;
      case 'intendUndo':
        await this.insist([{ kind: 'COMP_INTENT', step: action.step, attempt: action.attempt }]);
        break;
      case 'complete':
        await this.complete();
        break;
    }
    return undefined;
  }

  /** Whether the intent at hand is of this owner, and not tried yet: nobody can have done anything for it. */
  private get fresh(): boolean {
    return this.log.last.fence === this.held.fence && this.triedAt !== this.log.records.length;
  }

  /** For a log whose last step has committed without the end beside it, as no runner of this version leaves it. */
  private async complete(): Promise<void> {
    const { recorded } = await this.recordWith(async tx => ({ entries: [await this.commitEntry(tx, {})] }));
    if (!recorded) await this.pause();
  }

  private async run(): Promise<void> {
    const { step } = this.log.position;
    const definition = this.definition.steps[step];
    if (definition.kind === 'remote') return this.runRemote(definition, step);
    // The effect is there only with its STEP_COMMIT. Whoever tried it before counts, or a step that kills its process
    // would kill one after the other for ever.
    if (!this.fresh) return this.runAgain(new Error('the owner of the saga went away'));
    this.triedAt = this.log.records.length;
    const result = await this.recordWith(async tx => {
      const outcome = await definition.run(tx, this.context(step));
      return { entries: await this.doneEntries(tx, step, outcome), kept: outcome.kept };
    });
    if (result.recorded) return;
    if (result.error instanceof StepFailed) return this.fail(result.error, false);
    await this.pause();
    return this.runAgain(result.error);
  }

  private async runRemote(remote: RemoteStep, step: number): Promise<void> {
    const outcome = this.knownOutcome(step, false) ?? (await this.learn(remote, step));
    if (!outcome) return;
    this.known = { step, back: false, outcome };
    const last = step === this.definition.steps.length - 1;
    const entries = (tx?: Tx) => this.doneEntries(tx, step, outcome);
    const result = last
      ? await this.recordWith(async tx => ({ entries: await entries(tx), kept: outcome.kept }))
      : await this.record(await entries(), outcome.kept);
    if (result.recorded) return;
    if (result.error instanceof StepFailed) return this.fail(result.error, true);
    await this.pause();
    if (result.counts) await this.runAgain(result.error);
  }

  /** Runs the step, or asks what became of it; undefined where that is not known, which is dealt with then. */
  private async learn(remote: RemoteStep, step: number): Promise<StepOutcome | undefined> {
    const running = this.fresh && !this.mustAsk;
    const { attempt } = this.log.position;
    this.triedAt = this.log.records.length;
    try {
      const outcome = await this.tried(step, context =>
        running ? remote.run(context) : remote.ask(context),
      );
      this.mustAsk = false;
      // Asked, and it is not there: it is run once more.
      if (!outcome) await this.runAgain(new Error('the receiver knows nothing of it'));
      return outcome;
    } catch (error) {
      if (this.signal.aborted || error instanceof LeaseLostError) throw error;
      // A copy of an earlier try may still arrive.
      if (error instanceof StepFailed) await this.fail(error, error.mayHaveEffect || attempt > 1 || !running);
      else {
        this.mustAsk = true;
        await this.pause();
        // The same intent is no longer fresh: what became of it is asked next.
        if (!running) await this.runAgain(error);
      }
      return undefined;
    }
  }

  /** One more try, or, where there were enough of them, the way back. */
  private async runAgain(cause: unknown): Promise<void> {
    const { step, attempt } = this.log.position;
    if (mayRunAgain(this.log.position, this.limits)) {
      await this.insist([{ kind: 'STEP_INTENT', step, attempt: attempt + 1 }]);
      return;
    }
    const failed = new StepFailed('STEP_ATTEMPTS_EXHAUSTED', messageOf(cause), true);
    await this.fail(failed, this.definition.steps[step].kind === 'remote');
  }

  private async fail({ code, message, kept }: StepFailed, mayHaveEffect: boolean): Promise<void> {
    const { step, attempt } = this.log.position;
    const failed: LogEntry = { kind: 'STEP_FAIL', step, attempt, payload: { code, mayHaveEffect } };
    const name = this.definition.steps[step].name;
    const keep = { ...kept, failure: { step: name, code, message } };
    this.known = undefined;
    this.mustAsk = false;
    const first = mayHaveEffect ? step : step - 1;
    if (first < 0) return this.endAborted([failed], keep);
    await this.insist([failed, { kind: 'COMP_INTENT', step: first, attempt: 1 }], keep);
  }

  private async undo(): Promise<void> {
    const { step } = this.log.position;
    const definition = this.definition.steps[step];
    let outcome = this.knownOutcome(step, true);
    if (!outcome && !this.fresh) return this.undoAgain();
    this.triedAt = this.log.records.length;
    if (!outcome && definition.kind === 'remote') {
      try {
        outcome = await this.tried(step, context => definition.undo(context));
        this.known = { step, back: true, outcome };
      } catch (error) {
        if (this.signal.aborted || error instanceof LeaseLostError) throw error;
        await this.pause();
        return this.undoAgain();
      }
    }
    const result = await this.recordUndone(step, outcome);
    if (result.recorded) return;
    await this.pause();
    if (result.counts) await this.undoAgain();
  }

  private recordUndone(step: number, outcome: StepOutcome | undefined): Promise<Recorded> {
    const { attempt, toUndo } = this.log.position;
    const definition = this.definition.steps[step];
    const undone = ({ logged }: StepOutcome): LogEntry => ({
      kind: 'COMP_COMMIT',
      step,
      attempt,
      payload: logged,
    });
    const next: LogEntry[] = toUndo.length > 1 ? [{ kind: 'COMP_INTENT', step: toUndo[1], attempt: 1 }] : [];
    if (outcome && next.length > 0) return this.record([undone(outcome), ...next], outcome.kept);
    return this.recordWith(async tx => {
      const done =
        outcome ?? (definition.kind === 'local' ? await definition.undo(tx, this.context(step)) : undefined);
      if (!done) throw new Error(`the compensation of ${definition.name} has no outcome`);
      const end = next.length > 0 ? next : [await this.abortEntry(tx)];
      return { entries: [undone(done), ...end], kept: done.kept };
    });
  }

  /** A compensation is never skipped: it is tried again, or the saga waits for somebody who can help. */
  private async undoAgain(): Promise<void> {
    const { step, attempt } = this.log.position;
    await this.insist(
      mayUndoAgain(this.log.position, this.limits)
        ? [{ kind: 'COMP_INTENT', step, attempt: attempt + 1 }]
        : [this.stuckEntry(this.definition.steps[step].name)],
    );
  }

  /** SAGA_ABORTED where nothing is to be taken back. `pending` is recorded with it. */
  private async endAborted(pending: readonly LogEntry[], keep?: JsonObject): Promise<void> {
    const length = this.log.records.length;
    const failed = pending.find(entry => entry.kind === 'STEP_FAIL')?.payload?.['code'] as string | undefined;
    for (let tries = 1; tries <= this.limits.undoAttemptsMax && !this.signal.aborted; tries += 1) {
      const result = await this.recordWith(async tx => ({
        entries: [...pending, await this.abortEntry(tx, failed)],
        kept: keep,
      }));
      if (result.recorded || this.log.records.length !== length) return;
      await this.pause();
    }
    if (!this.signal.aborted) await this.insist([...pending, this.stuckEntry(null)], keep);
  }

  private stuckEntry(step: string | null): LogEntry {
    return { kind: 'SAGA_STUCK', payload: { step, times: this.log.position.stuckTimes + 1 } };
  }

  /** What is recorded with a step that is done: the intent of the next one, or the end. */
  private async doneEntries(tx: Tx | undefined, step: number, { logged }: StepOutcome): Promise<LogEntry[]> {
    const { attempt } = this.log.position;
    const done: LogEntry = { kind: 'STEP_COMMIT', step, attempt, payload: logged };
    if (step < this.definition.steps.length - 1)
      return [done, { kind: 'STEP_INTENT', step: step + 1, attempt: 1 }];
    return [done, await this.commitEntry(tx, { [this.definition.steps[step].name]: logged })];
  }

  private async commitEntry(tx: Tx | undefined, committed: Record<string, JsonObject>): Promise<LogEntry> {
    const context = { ...this.endContext, committed: { ...this.log.committed, ...committed } };
    const payload = tx && (await this.definition.committed?.(tx, context));
    return { kind: 'SAGA_COMMIT', payload: payload ?? {} };
  }

  private async abortEntry(tx: Tx, code?: string): Promise<LogEntry> {
    const { position } = this.log;
    const failure =
      position.failure ?? (code ? { step: this.definition.steps[position.step].name, code } : undefined);
    const context = { ...this.endContext, ...(failure && { failure }) };
    const payload = await this.definition.aborted?.(tx, context);
    return { kind: 'SAGA_ABORTED', payload: { reason: failure?.code ?? null, ...payload } };
  }

  private get endContext(): EndContext {
    const { records, committed, position } = this.log;
    return { sagaId: position.sagaId, begun: records[0].payload, committed, kept: this.kept };
  }

  private context(step: number): StepContext {
    return this.log.contextOf(step, this.kept, this.signal);
  }

  private knownOutcome(step: number, back: boolean): StepOutcome | undefined {
    return this.known?.step === step && this.known.back === back ? this.known.outcome : undefined;
  }

  /** Records alone, until they are in the log; what stands in the way is the store, not the saga. */
  private async insist(entries: readonly LogEntry[], keep?: JsonObject): Promise<void> {
    const length = this.log.records.length;
    for (;;) {
      const result = await this.record(entries, keep);
      if (result.recorded || this.signal.aborted || this.log.records.length !== length) return;
      if (result.counts) throw result.error;
      await this.pause();
    }
  }

  private async record(entries: readonly LogEntry[], keep?: JsonObject): Promise<Recorded> {
    if (this.signal.aborted) return NOT_SENT;
    let placed;
    try {
      placed = this.log.place(entries, this.held.fence, this.options.clock.now());
    } catch (error) {
      return { recorded: false, error, counts: true };
    }
    const kept = keep && { ...this.kept, ...keep };
    const { state } = placed.log.position;
    try {
      await this.store.advance(this.held, { records: placed.records, state, ...(kept && { kept }) });
    } catch (error) {
      return this.look(error, false);
    }
    this.accept(placed.log, kept);
    return { recorded: true };
  }

  /** Records with the effects of `work`, in one transaction. */
  private async recordWith(
    work: (tx: Tx) => Promise<{ entries: readonly LogEntry[]; kept?: JsonObject }>,
  ): Promise<Recorded> {
    if (this.signal.aborted) return NOT_SENT;
    let thrown: { error: unknown } | undefined;
    let after: { log: SagaLog<Tx>; kept?: JsonObject } | undefined;
    const advance = async (tx: Tx) => {
      thrown = undefined;
      try {
        const { entries, kept: keep } = await work(tx);
        const { records, log } = this.log.place(entries, this.held.fence, this.options.clock.now());
        const kept = keep && { ...this.kept, ...keep };
        after = { log, kept };
        return { records, state: log.position.state, ...(kept && { kept }) };
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      await this.store.advanceWith(this.held, advance);
    } catch (error) {
      // What the work itself threw was never committed.
      if (thrown && thrown.error === error && !(error instanceof LeaseLostError))
        return { recorded: false, error, counts: true };
      return this.look(error, true);
    }
    if (!after) throw new Error('the store recorded an advance that it was not given');
    this.accept(after.log, after.kept);
    return { recorded: true };
  }

  /** After an advance that ended with an error: the log alone knows whether it was recorded. @throws LeaseLostError */
  private async look(error: unknown, counts: boolean): Promise<Recorded> {
    if (error instanceof LeaseLostError) throw error;
    for (let tries = 1; !this.signal.aborted; tries += 1) {
      let stored: StoredSaga | undefined;
      try {
        stored = await this.store.load(this.held.sagaId);
      } catch {
        await this.options.clock.sleep(backoffMs(LOOK, tries, this.options.randomByte()), this.signal);
        continue;
      }
      // Under a fence only its owner writes: a longer log is what was just sent.
      if (!stored || stored.fence !== this.held.fence) throw new LeaseLostError(this.held.sagaId);
      if (stored.records.length <= this.log.records.length) return { recorded: false, error, counts };
      this.accept(SagaLog.of(this.definition, stored.records), stored.kept);
      return { recorded: true };
    }
    return { recorded: false, error, counts: false };
  }

  private accept(log: SagaLog<Tx>, kept: JsonObject | undefined): void {
    const { step, failure } = log.position;
    if (this.known && (this.known.step !== step || this.known.back !== (failure !== undefined)))
      this.known = undefined;
    if (step !== this.log.position.step || failure) this.mustAsk = false;
    this.log = log;
    if (kept) this.kept = kept;
    this.setbacks = 0;
  }

  private async pause(): Promise<void> {
    this.setbacks += 1;
    const tries = Math.max(this.setbacks, this.log.position.attempt);
    const ms = backoffMs(this.options.backoff, tries, this.options.randomByte());
    await this.options.clock.sleep(ms, this.signal);
  }

  /** One try of what is remote. @throws TryTimeoutError, and the reason of the signal */
  private tried<T>(step: number, work: (context: StepContext) => Promise<T>): Promise<T> {
    const { signal } = this;
    const { tryMsMax = TRY_MS_MAX, steps } = this.definition;
    return inTime({ name: steps[step].name, msMax: tryMsMax, clock: this.options.clock, signal }, bounded =>
      work(this.log.contextOf(step, this.kept, bounded)),
    );
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

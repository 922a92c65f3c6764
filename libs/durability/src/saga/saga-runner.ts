import { bytesToHex } from '@noble/hashes/utils.js';
import type { JsonObject } from '../wal/wal-record.js';
import { CarriedSaga, type CarryEnd } from './carried-saga.js';
import { INPUT_SALT_BYTES, inputDigest } from './input-digest.js';
import { backoffMs, systemClock, type Backoff, type SagaClock } from './saga-clock.js';
import type { SagaDefinition } from './saga-definition.js';
import { FIRST_FENCE, firstRecords } from './saga-log.js';
import type { HeldSaga, SagaBirth, SagaStore, StoredSaga } from './saga-store.js';

export interface SagaRunnerOptions {
  /** Name of this process among those that share the store. */
  readonly owner: string;
  readonly clock?: SagaClock;
  /** A compensation was given up; must not throw. */
  readonly onStuck?: (saga: StoredSaga) => void;
  /** A saga was taken that cannot be carried on here: unknown, or not its log; it is given up again. Must not throw. */
  readonly onLeftAlone?: (saga: StoredSaga, reason: string) => void;
  /** Renewal of leases: a third of a lease or less; by default 3,333. */
  readonly heartbeatMs?: number;
  /** Before a step or a compensation is tried again. */
  readonly backoff?: Backoff;
  /** Sagas of others that are carried on at a time; by default 64. */
  readonly recoverMax?: number;
  /** Unpredictable bytes. */
  readonly random?: (sizeBytes: number) => Uint8Array;
}

/** What a saga begins from. */
export interface SagaSeedling {
  /** A UUID; one is made where it is not given. */
  readonly sagaId?: string;
  /** Resolved; only its salted digest is in the log. */
  readonly input: JsonObject;
  /** Members of SAGA_BEGIN's payload, beside those that describe the saga. */
  readonly logged: JsonObject;
  /** What the saga keeps beside its log; `inputSalt` is added. */
  readonly kept: JsonObject;
}

export interface RunningSaga {
  readonly sagaId: string;
  /** When it is COMPLETED, COMPENSATED or STUCK, whoever carries it there. @throws RunnerStoppedError, SagaUnsettledError */
  readonly ended: Promise<StoredSaga>;
}

/** This process carries no sagas any more; another one, or the next start, does. */
export class RunnerStoppedError extends Error {
  readonly code = 'RUNNER_STOPPED';
  constructor() {
    super('the saga runner was stopped');
  }
}

/** Another owner has the saga, and has not ended it in all the time that it was watched. */
export class SagaUnsettledError extends Error {
  readonly code = 'SAGA_UNSETTLED';
  constructor(readonly sagaId: string) {
    super(`saga ${sagaId} was not ended by its owner`);
  }
}

const HEARTBEAT_MS = 3333;
const RECOVER_MAX = 64;
const BACKOFF: Backoff = { firstMs: 100, maxMs: 10_000 };
/** How a saga of another owner is watched, and for how long. */
const FOLLOW: Backoff = { firstMs: 50, maxMs: 1000 };
const FOLLOW_MS_MAX = 600_000;
/** A saga that cannot be carried on here is not taken again at once. */
const LEFT_ALONE_MS = 30_000;
/** Looks for a saga whose beginning ended with an error. */
const LOOKS_MAX = 3;

/**
 * Begins sagas and carries them to their end, also those of owners that went away. It keeps nothing that the store does
 * not have: whichever way a process ends, another one goes on from the log.
 *
 * @typeParam Tx a transaction of the store's database
 * @example
 * const runner = new SagaRunner(store, { owner: hostname });
 * runner.register(licence);
 * const { sagaId, ended } = await runner.start(licence, async tx => ({ input, logged: {}, kept: {} }));
 */
export class SagaRunner<Tx> {
  private readonly definitions = new Map<string, SagaDefinition<Tx>>();
  private readonly carried = new Map<string, CarriedSaga<Tx>>();
  /** All that runs, so that {@link stop} can wait for it. */
  private readonly tasks = new Set<Promise<unknown>>();
  /** Of those who wait for sagas of other owners, one each: a signal is not made for hundreds of listeners. */
  private readonly followers = new Set<AbortController>();
  private readonly stopping = new AbortController();
  private readonly clock: SagaClock;
  private readonly random: (sizeBytes: number) => Uint8Array;
  private recovering = 0;
  private heart?: AbortController;

  constructor(
    private readonly store: SagaStore<Tx>,
    private readonly options: SagaRunnerOptions,
  ) {
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? (sizeBytes => crypto.getRandomValues(new Uint8Array(sizeBytes)));
  }

  /** Its sagas can be begun and recovered from now on. @throws {Error} where it is registered, or names steps badly */
  register(definition: SagaDefinition<Tx>): void {
    const id = idOf(definition);
    if (this.definitions.has(id)) throw new Error(`the saga ${id} is registered twice`);
    const names = new Set(definition.steps.map(step => step.name));
    if (names.size === 0 || names.size !== definition.steps.length)
      throw new Error(`the saga ${id} has no steps, or two of one name`);
    this.definitions.set(id, definition);
  }

  /**
   * Begins a saga in one transaction with what `begin` does, and carries it on in the background. What `begin` throws
   * comes out, and nothing is begun. Any other error leaves that open: if it was begun after all, it is recovered.
   *
   * @throws RunnerStoppedError
   */
  start(definition: SagaDefinition<Tx>, begin: (tx: Tx) => Promise<SagaSeedling>): Promise<RunningSaga> {
    if (this.definitions.get(idOf(definition)) !== definition)
      return Promise.reject(new Error(`the saga ${idOf(definition)} is not registered`));
    if (this.stopping.signal.aborted) return Promise.reject(new RunnerStoppedError());
    return this.tracked(this.begin(definition, begin));
  }

  /**
   * One round: takes sagas whose owners went away, and carries them on in the background, no more than `recoverMax` at a
   * time. @returns how many were taken
   */
  recover(limit: number): Promise<number> {
    const room = Math.min(limit, (this.options.recoverMax ?? RECOVER_MAX) - this.recovering);
    if (room <= 0 || this.stopping.signal.aborted) return Promise.resolve(0);
    this.recovering += room;
    return this.tracked(this.takeLapsed(room).finally(() => (this.recovering -= room)));
  }

  /** Has the compensation of a stuck saga tried again; undefined where it is not stuck. */
  resumeStuck(sagaId: string): Promise<RunningSaga | undefined> {
    if (this.stopping.signal.aborted) return Promise.reject(new RunnerStoppedError());
    const resume = async () => {
      const held = await this.store.takeStuck(this.options.owner, sagaId);
      return held && this.carry(held);
    };
    return this.tracked(resume());
  }

  /** Resolves when no saga is carried here. */
  async idle(): Promise<void> {
    while (this.tasks.size > 0) await Promise.allSettled([...this.tasks]);
  }

  /** Begins nothing more, and gives every saga up, so that another owner goes on with it at once. */
  async stop(): Promise<void> {
    this.stopping.abort('stopped');
    for (const saga of this.carried.values()) saga.abort('stopped');
    for (const follower of this.followers) follower.abort('stopped');
    await this.idle();
  }

  private async begin(
    definition: SagaDefinition<Tx>,
    begin: (tx: Tx) => Promise<SagaSeedling>,
  ): Promise<RunningSaga> {
    const { owner } = this.options;
    let birth: SagaBirth | undefined;
    try {
      const held = await this.store.begin(owner, async tx => {
        birth = undefined;
        return (birth = this.birthOf(definition, await begin(tx)));
      });
      return this.carry(held);
    } catch (error) {
      // Without a birth it was `begin` that threw, and nothing was committed.
      const stored = birth && (await this.lookFor(birth.sagaId));
      if (!stored) throw error;
      if (stored.fence === FIRST_FENCE) return this.carry({ ...stored, owner });
      return { sagaId: stored.sagaId, ended: this.observed(this.follow(stored.sagaId)) };
    }
  }

  private birthOf(definition: SagaDefinition<Tx>, seedling: SagaSeedling): SagaBirth {
    const { sagaId = uuidOf(this.random(16)), input, logged, kept } = seedling;
    const inputSalt = bytesToHex(this.random(INPUT_SALT_BYTES));
    const digest = inputDigest(inputSalt, input);
    const records = firstRecords(definition, sagaId, {
      inputDigest: digest,
      logged,
      nowMs: this.clock.now(),
    });
    const { name, version } = definition;
    return { sagaId, name, version, records, kept: { ...kept, inputSalt } };
  }

  private async lookFor(sagaId: string): Promise<StoredSaga | undefined> {
    for (let looks = 1; looks <= LOOKS_MAX; looks += 1) {
      try {
        return await this.store.load(sagaId);
      } catch {
        await this.clock.sleep(this.waitMs(FOLLOW, looks), this.stopping.signal);
      }
    }
    return undefined;
  }

  private async takeLapsed(room: number): Promise<number> {
    const known = [...this.definitions.values()].map(({ name, version }) => ({ name, version }));
    const taken = await this.store.takeLapsed(this.options.owner, room, known);
    for (const held of taken) {
      this.recovering += 1;
      const done = () => (this.recovering -= 1);
      void this.tracked(this.carryHere(held)).then(done, done);
    }
    return taken.length;
  }

  private carry(held: HeldSaga): RunningSaga {
    return { sagaId: held.sagaId, ended: this.observed(this.tracked(this.carryToEnd(held))) };
  }

  private async carryToEnd(held: HeldSaga): Promise<StoredSaga> {
    const { end, stored } = await this.carryHere(held);
    if (end === 'stopped') throw new RunnerStoppedError();
    return end === 'lost' ? this.follow(held.sagaId) : stored;
  }

  /** As far as this owner can carry it. */
  private async carryHere(held: HeldSaga): Promise<{ end: CarryEnd; stored: StoredSaga }> {
    const saga = this.prepare(held);
    if (typeof saga === 'string') return this.leaveAlone(held, saga);
    this.hold(saga);
    try {
      const end = await saga.carryOn();
      if (end === 'stopped') await this.release(held, 0);
      if (end === 'stuck') this.options.onStuck?.(saga.stored);
      return { end, stored: saga.stored };
    } catch (error) {
      return await this.leaveAlone(saga.stored, error instanceof Error ? error.message : String(error));
    } finally {
      this.letGo(saga);
    }
  }

  /** The saga as this process carries it, or why it cannot. */
  private prepare(held: HeldSaga): CarriedSaga<Tx> | string {
    const definition = this.definitions.get(idOf(held));
    if (!definition) return `the saga ${idOf(held)} is not known here`;
    const { clock } = this;
    const { backoff = BACKOFF } = this.options;
    try {
      return new CarriedSaga(this.store, definition, held, {
        clock,
        backoff,
        randomByte: () => this.random(1)[0],
      });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  private async leaveAlone(
    stored: StoredSaga,
    reason: string,
  ): Promise<{ end: CarryEnd; stored: StoredSaga }> {
    this.options.onLeftAlone?.(stored, reason);
    await this.release(stored, LEFT_ALONE_MS);
    return { end: 'lost', stored };
  }

  private async release(saga: Pick<HeldSaga, 'sagaId' | 'fence'>, afterMs: number): Promise<void> {
    // Where it cannot be given up, its lease ends by itself.
    await this.store.release(saga, afterMs).catch(() => undefined);
  }

  /** A saga that this owner lost and has taken again, maybe before it heard that it had begun, has its newest fence. */
  private hold(saga: CarriedSaga<Tx>): void {
    const { sagaId, fence } = saga.held;
    const other = this.carried.get(sagaId);
    if (other && other.held.fence > fence) return saga.abort('lost');
    other?.abort('lost');
    this.carried.set(sagaId, saga);
    if (this.stopping.signal.aborted) saga.abort('stopped');
    if (!this.heart) void this.tracked(this.beat((this.heart = new AbortController())));
  }

  private letGo(saga: CarriedSaga<Tx>): void {
    if (this.carried.get(saga.held.sagaId) === saga) this.carried.delete(saga.held.sagaId);
    if (this.carried.size > 0) return;
    // A reason of its own, as the default one is an exception with its stack.
    this.heart?.abort('idle');
    this.heart = undefined;
  }

  private async beat(heart: AbortController): Promise<void> {
    for (;;) {
      await this.clock.sleep(this.options.heartbeatMs ?? HEARTBEAT_MS, heart.signal);
      if (heart.signal.aborted) return;
      const sagas = [...this.carried.values()];
      try {
        const held = new Set(await this.store.renew(sagas.map(saga => saga.held)));
        for (const saga of sagas) if (!held.has(saga.held.sagaId)) saga.abort('lost');
      } catch {
        // Whether a lease still holds is for the store to say, at the next advance.
      }
    }
  }

  /** Another owner has it: waits until it has ended it. */
  private async follow(sagaId: string): Promise<StoredSaga> {
    const follower = new AbortController();
    this.followers.add(follower);
    try {
      return await this.watch(sagaId, follower.signal);
    } finally {
      this.followers.delete(follower);
    }
  }

  private async watch(sagaId: string, signal: AbortSignal): Promise<StoredSaga> {
    const untilMs = this.clock.now() + FOLLOW_MS_MAX;
    for (let looks = 1; !this.stopping.signal.aborted; looks += 1) {
      const stored = await this.store.load(sagaId).catch(() => undefined);
      if (stored && ENDS.has(stored.state)) return stored;
      if (this.clock.now() > untilMs) throw new SagaUnsettledError(sagaId);
      await this.clock.sleep(this.waitMs(FOLLOW, looks), signal);
    }
    throw new RunnerStoppedError();
  }

  private waitMs(backoff: Backoff, tries: number): number {
    return backoffMs(backoff, tries, this.random(1)[0]);
  }

  /** Nobody has to wait for it. */
  private observed<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    return work;
  }

  private tracked<T>(work: Promise<T>): Promise<T> {
    const done = () => this.tasks.delete(work);
    this.tasks.add(work);
    work.then(done, done);
    return work;
  }
}

const ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'COMPENSATED', 'STUCK']);

const idOf = ({ name, version }: { name: string; version: number }): string => `${name} version ${version}`;

/** Version 4 of RFC 9562. */
function uuidOf(random: Uint8Array): string {
  const bytes = Uint8Array.from(random);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytesToHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

import { SagaRunner } from '../saga-runner.js';
import type { Advance, DefinitionId, HeldSaga, SagaBirth, SagaStore, StoredSaga } from '../saga-store.js';
import type { MemoryTx } from './memory-saga-store.js';
import type { SagaWorld } from './saga-world.js';
import { simulatedDefinition } from './simulated-definition.js';

/** The connection to the store broke, or could not be had. */
export class ConnectionError extends Error {}
/** Nothing came back from the receiver in time. */
class TimeoutError extends Error {}

// Made once: a stack for each of millions would be most of what a simulation does.
const REFUSED = new ConnectionError('refused');
const LOST_BEFORE = new ConnectionError('lost before the commit');
const LOST_DURING = new ConnectionError('lost during the commit');
const LOST_AFTER = new ConnectionError('lost after the commit');
const NO_REPLY = new TimeoutError('no reply');
const KILLED = new Error('the process was killed');

const CALL_MS_MAX = 2000;
const RECOVER_EVERY_MS = 1000;

/**
 * One replica: a runner, its clock, and its connections to the store and the receivers, which break as the weather has
 * it. Once it is killed nothing that it had begun goes on in it; what it had sent is on its way.
 */
export class SimulatedProcess {
  alive = true;
  /** Until then it cannot reach the store. */
  cutOffUntilMs = 0;
  readonly runner: SagaRunner<MemoryTx>;
  readonly definition;
  /** Rejects when it is killed. */
  readonly death: Promise<never>;
  private readonly skewMs: number;
  private readonly pace: number;
  /** Keys that the receiver did not know when this process asked. */
  private readonly asked = new Set<string>();
  private pausedUntilMs = 0;
  private die: (error: Error) => void = () => undefined;

  constructor(
    readonly world: SagaWorld,
    readonly name: string,
  ) {
    const { prng, weather } = world;
    this.death = new Promise((_, reject) => (this.die = reject));
    this.death.catch(() => undefined);
    this.skewMs = prng.between(-weather.skewMs, weather.skewMs);
    this.pace = weather.skewMs > 0 ? prng.between(0.9, 1.1) : 1;
    this.definition = simulatedDefinition(this);
    this.runner = new SagaRunner<MemoryTx>(new ProcessStore(this), {
      owner: name,
      clock: { now: () => Math.floor(world.time.nowMs + this.skewMs), sleep: this.sleep },
      random: sizeBytes => prng.bytes(sizeBytes),
      onStuck: () => world.saw('sagas stuck'),
      onLeftAlone: (saga, reason) => void world.violate(`saga ${saga.sagaId} was left alone: ${reason}`),
    });
    this.runner.register(this.definition);
    void this.recoverForEver();
  }

  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    this.world.note(() => `${this.name} is killed`);
    this.world.saw('processes killed');
    this.die(KILLED);
  }

  /** As at SIGTERM; killed where it takes too long. */
  async stop(): Promise<void> {
    this.world.saw('processes stopped');
    this.world.note(() => `${this.name} stops`);
    this.world.time.after(5000, () => this.kill());
    await this.living(this.runner.stop());
    this.kill();
  }

  /** As long as the process lives: its promise never comes true after that. */
  living<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        value => this.whenAwake(() => resolve(value)),
        error => this.whenAwake(() => reject(error)),
      );
    });
  }

  /** A point at which it may be killed, told to stop, held up, or cut off from the store. */
  mayEnd(): void {
    const { prng, weather, time } = this.world;
    if (!this.alive) return;
    if (prng.chance(weather.crash)) this.kill();
    else if (prng.chance(weather.stop)) void this.stop();
    else if (prng.chance(weather.pause)) this.pausedUntilMs = time.nowMs + prng.between(1000, 40_000);
    else if (prng.chance(weather.cutOff)) this.cutOffUntilMs = time.nowMs + prng.between(1000, 40_000);
  }

  /** A process that is held up notices later what has happened meanwhile. */
  private whenAwake(run: () => void): void {
    const { time } = this.world;
    if (!this.alive) return;
    if (time.nowMs >= this.pausedUntilMs) run();
    else time.after(this.pausedUntilMs - time.nowMs, () => this.whenAwake(run));
  }

  /** A request over the network, and its reply. */
  request<T>(handle: () => Promise<T>): Promise<T> {
    const { time, prng, weather } = this.world;
    this.mayEnd();
    if (!this.alive) return new Promise(() => undefined);
    const delayMs = () =>
      prng.chance(weather.delayed) ? prng.between(1000, 120_000) : prng.between(0.5, 20);
    const reply = new Promise<T>((resolve, reject) => {
      const giveUp = time.after(CALL_MS_MAX, () => reject(NO_REPLY));
      const deliver = async () => {
        const answered = await handle().then(
          value => () => resolve(value),
          error => () => reject(error),
        );
        if (prng.chance(weather.replyLost)) return;
        time.after(delayMs(), () => {
          giveUp();
          answered();
        });
      };
      if (!prng.chance(weather.requestLost)) time.after(delayMs(), () => void deliver());
      if (prng.chance(weather.duplicated)) {
        this.world.saw('requests delivered twice');
        time.after(delayMs() * 3, () => void deliver());
      }
    });
    return this.living(reply);
  }

  /** What is said to the receiver, held to the rule that a step is not run again before its receiver was asked. */
  ran(sagaId: string, key: string, attempt: number): void {
    const { sent, store } = this.world;
    const asked = this.asked.delete(key);
    const again = attempt > 1 || (sent.has(key) && store.isInherited(sagaId, this.name));
    sent.add(key);
    if (again && !asked) this.world.violate(`attempt ${attempt} of an effect was run without asking`);
  }

  wasUnknown(key: string): void {
    this.asked.add(key);
  }

  private readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    this.living(
      new Promise(resolve => {
        if (signal.aborted) return resolve();
        const wake = () => {
          cancel();
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const cancel = this.world.time.after(ms * this.pace, wake);
        signal.addEventListener('abort', wake);
      }),
    );

  private async recoverForEver(): Promise<void> {
    const forever = new AbortController().signal;
    while (this.alive) {
      await this.sleep(this.world.prng.between(0.5, 1.5) * RECOVER_EVERY_MS, forever);
      await this.runner.recover(10).catch(() => undefined);
    }
  }
}

/** The store as one process reaches it. */
class ProcessStore implements SagaStore<MemoryTx> {
  constructor(private readonly process: SimulatedProcess) {}

  begin(owner: string, work: (tx: MemoryTx) => Promise<SagaBirth>): Promise<HeldSaga> {
    return this.transaction(work, inner => this.store.begin(owner, inner));
  }

  async advance(held: Pick<HeldSaga, 'sagaId' | 'fence'>, advance: Advance): Promise<void> {
    await this.advanceWith(held, async () => advance);
  }

  advanceWith(
    held: Pick<HeldSaga, 'sagaId' | 'fence'>,
    work: (tx: MemoryTx) => Promise<Advance>,
  ): Promise<Advance> {
    return this.transaction(work, inner => this.store.advanceWith(held, inner));
  }

  renew(held: readonly Pick<HeldSaga, 'sagaId' | 'fence'>[]): Promise<string[]> {
    return this.query(() => this.store.renew(held));
  }

  release(held: Pick<HeldSaga, 'sagaId' | 'fence'>, afterMs: number): Promise<void> {
    return this.query(() => this.store.release(held, afterMs));
  }

  takeLapsed(owner: string, limit: number, known?: readonly DefinitionId[]): Promise<HeldSaga[]> {
    return this.query(() => this.store.takeLapsed(owner, limit, known));
  }

  takeStuck(owner: string, sagaId: string): Promise<HeldSaga | undefined> {
    return this.query(() => this.store.takeStuck(owner, sagaId));
  }

  load(sagaId: string): Promise<StoredSaga | undefined> {
    return this.query(() => this.store.load(sagaId));
  }

  private get store() {
    return this.process.world.store;
  }

  private query<T>(run: () => Promise<T>): Promise<T> {
    const ask = async () => {
      await this.arrive();
      const value = await run();
      await this.comeBack();
      return value;
    };
    return this.process.living(ask());
  }

  /** `run` gets the work with its commit behind it; whether the process hears of that commit is another matter. */
  private transaction<R, T>(
    work: (tx: MemoryTx) => Promise<R>,
    run: (inner: (tx: MemoryTx) => Promise<R>) => Promise<T>,
  ): Promise<T> {
    const { process } = this;
    const { time, prng, weather } = process.world;
    const answer = new Promise<T>((resolve, reject) => {
      const inner = async (tx: MemoryTx) => {
        const value = await Promise.race([work(tx), process.death]);
        await this.pass();
        if (!process.alive || prng.chance(weather.lostBeforeCommit)) throw LOST_BEFORE;
        if (prng.chance(weather.commitInFlight)) {
          process.world.saw('commits in flight');
          reject(LOST_DURING);
          await time.sleep(prng.between(1, 5000));
        }
        return value;
      };
      this.arrive()
        .then(() => run(inner))
        .then(async value => {
          await this.comeBack();
          return value;
        })
        .then(resolve, reject);
    });
    return process.living(answer);
  }

  private async arrive(): Promise<void> {
    const { world } = this.process;
    await this.pass();
    if (!this.process.alive) throw KILLED;
    const { nowMs } = world.time;
    const cutOff = nowMs < world.awayUntilMs || nowMs < this.process.cutOffUntilMs;
    if (cutOff || world.prng.chance(world.weather.storeRefused)) throw REFUSED;
  }

  private async comeBack(): Promise<void> {
    await this.pass();
    if (this.process.world.prng.chance(this.process.world.weather.lostAfterCommit)) throw LOST_AFTER;
  }

  private async pass(): Promise<void> {
    const { time, prng, weather } = this.process.world;
    this.process.mayEnd();
    await time.sleep(prng.chance(weather.storeSlow) ? prng.between(1000, 8000) : prng.between(0.2, 5));
    this.process.mayEnd();
  }
}

import type { Mutant, SagaPlan } from './saga-plan.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { verifyChain } from '../../wal/verify-wal.js';
import { walGrammar } from '../wal-grammar.js';
import { idemKey } from '../idem-key.js';
import { SagaUnsettledError, type RunningSaga } from '../saga-runner.js';
import type { StoredSaga } from '../saga-store.js';
import { lineOf, PRICE, SagaWorld } from './saga-world.js';
import { consumeTicket, TicketUsedError, UNDO_ATTEMPTS_MAX } from './simulated-definition.js';
import { SimulatedProcess } from './simulated-process.js';
import type { Turn } from './virtual-time.js';

export interface SimulationOptions {
  readonly turn: Turn;
  /** What is broken on purpose. */
  readonly mutant?: Mutant;
  /** Takes a line for everything that happens. */
  readonly trace?: (line: string) => void;
}

/** Longest time in which everything comes to its end once nothing goes wrong any more. */
const SETTLE_MS_MAX = 15 * 60_000;

/**
 * One world from its seed to its end: a few processes carry a few sagas while everything fails that can; then the weather
 * clears up, and in bounded time all must be as if nothing had happened.
 *
 * @returns how often what was seen
 * @throws Violation what never may happen, and did
 */
export async function simulateSagas(
  seed: number,
  options: SimulationOptions,
): Promise<Record<string, number>> {
  const world = new SagaWorld(seed, options.turn, options.mutant, options.trace);
  const simulation = new Simulation(world);
  await simulation.storm();
  await simulation.settle();
  await simulation.resume();
  await simulation.drain();
  checkLedger(world);
  checkTickets(world);
  for (const saga of world.store.sagas) checkSaga(world, saga);
  world.check();
  return world.seen;
}

class Simulation {
  private readonly processes: SimulatedProcess[] = [];
  private waiting = 0;
  private names = 0;
  private over = false;

  constructor(private readonly world: SagaWorld) {
    const { prng, time } = world;
    const count = 1 + prng.int(3);
    for (let slot = 0; slot < count; slot += 1) this.start(slot);
    for (const plan of world.plans) {
      const clients = 1 + prng.int(3);
      for (let n = 0; n < clients; n += 1) time.after(prng.between(0, 2000), () => void this.client(plan));
    }
  }

  /** Everything goes wrong, until all is done, or for up to a minute. */
  async storm(): Promise<void> {
    const { prng, time } = this.world;
    const endMs = time.nowMs + prng.between(1000, 60_000);
    if (prng.chance(0.3)) {
      time.after(prng.between(0, 20_000), () => {
        this.world.saw('store away');
        this.world.awayUntilMs = time.nowMs + prng.between(100, 15_000);
      });
    }
    time.after(prng.between(2000, 30_000), () => this.resumeAll());
    await time.runUntil(() => this.isDone(), endMs);
    this.world.clearUp();
  }

  /** @throws Violation where something runs for ever */
  async settle(): Promise<void> {
    const { time } = this.world;
    if (await time.runUntil(() => this.isDone(), time.nowMs + SETTLE_MS_MAX)) return;
    this.world.check();
    const states = this.world.store.sagas.map(({ sagaId, state }) => `${sagaId.slice(0, 4)} ${state}`);
    throw this.world.violate(`not settled: ${states.join(', ')}; ${this.waiting} waiting`);
  }

  /** What is stuck was tried as often as it may be; nothing stands in its way now, and it ends when it is resumed. */
  async resume(): Promise<void> {
    for (const { records, sagaId } of this.world.store.sagas.filter(({ state }) => state === 'STUCK')) {
      const stuck = records.slice(0, -1).map(({ kind }) => kind);
      const tries = stuck.length - 1 - stuck.findLastIndex(kind => kind !== 'COMP_INTENT');
      const nothingToUndo = ['STEP_FAIL', 'SAGA_STUCK', 'COMP_COMMIT'].includes(String(stuck.at(-1)));
      if (tries !== UNDO_ATTEMPTS_MAX && !nothingToUndo)
        throw this.world.violate(`saga ${sagaId} was stuck after ${tries} tries`);
    }
    for (const plan of this.world.plans) plan.undoFailures.fill(0);
    this.resumeAll();
    const { time, store } = this.world;
    const ended = () => this.isDone() && store.sagas.every(({ state }) => state !== 'STUCK');
    if (await time.runUntil(ended, time.nowMs + SETTLE_MS_MAX)) return;
    this.world.check();
    throw this.world.violate('a resumed saga did not end');
  }

  /** Whatever is still on its way arrives. */
  async drain(): Promise<void> {
    this.over = true;
    for (const process of this.processes) process.kill();
    await this.world.time.runUntil(() => false, Infinity);
  }

  private isDone(): boolean {
    const { store, plans } = this.world;
    return (
      this.waiting === 0 &&
      plans.every(({ ticket }) => store.table.get(`ticket:${ticket}`) !== 'unused') &&
      store.sagas.every(({ state }) => state !== 'RUNNING' && state !== 'COMPENSATING')
    );
  }

  private start(slot: number): void {
    const { prng, time } = this.world;
    const process = new SimulatedProcess(this.world, `p${slot}#${(this.names += 1)}`);
    this.processes[slot] = process;
    process.death.catch(() => {
      if (!this.over) time.after(prng.between(100, 15_000), () => this.over || this.start(slot));
    });
  }

  /** Somebody with a ticket, who tries until it is used. */
  private async client(plan: SagaPlan): Promise<void> {
    const { world } = this;
    while (!this.over) {
      const process = world.prng.pick(this.processes);
      const sagaId = uuid(world.prng.bytes(16));
      try {
        const begun = process.runner.start(process.definition, consumeTicket(world, plan, sagaId));
        const running = await Promise.race([begun, process.death]);
        await this.awaitEnd(process, running);
        return;
      } catch (error) {
        if (error instanceof TicketUsedError) return;
        await world.time.sleep(world.prng.between(100, 3000));
      }
    }
  }

  private async awaitEnd(process: SimulatedProcess, { sagaId, ended }: RunningSaga): Promise<void> {
    const { world } = this;
    this.waiting += 1;
    try {
      const saga = await Promise.race([ended, process.death]);
      const stored = await world.store.load(sagaId);
      if (saga.state === 'RUNNING' || saga.state === 'COMPENSATING')
        world.violate(`the end of saga ${sagaId} came while it was ${saga.state}`);
      if (stored?.state === saga.state && stored.records.at(-1)?.hash !== saga.records.at(-1)?.hash)
        world.violate(`the end of saga ${sagaId} is not the one that is stored`);
    } catch (error) {
      // Where its process was killed or stopped another one ends it.
      if (error instanceof SagaUnsettledError) world.violate(error.message);
    } finally {
      this.waiting -= 1;
    }
  }

  private resumeAll(): void {
    for (const { sagaId, state } of this.world.store.sagas) {
      if (state !== 'STUCK') continue;
      void this.resumeOne(sagaId);
    }
  }

  private async resumeOne(sagaId: string): Promise<void> {
    const { world } = this;
    while (!this.over && (await world.store.load(sagaId))?.state === 'STUCK') {
      const process = world.prng.pick(this.processes);
      world.saw('sagas resumed');
      const resumed = process.runner.resumeStuck(sagaId).then(saga => saga?.ended);
      await Promise.race([resumed, process.death]).catch(() => undefined);
      await world.time.sleep(world.prng.between(100, 3000));
    }
  }
}

function checkLedger(world: SagaWorld): void {
  const accounts = [...world.store.table].filter(([key]) => key.startsWith('account:'));
  const sum = accounts.reduce((total, [, amount]) => total + (amount as number), 0);
  if (sum !== 0) throw world.violate(`the ledger sums to ${sum}`);
}

function checkTickets(world: SagaWorld): void {
  for (const { ticket } of world.plans) {
    const sagas = world.store.sagas.filter(({ records }) => records[0].payload['ticket'] === ticket);
    if (sagas.length !== 1 || world.store.table.get(`ticket:${ticket}`) !== sagas[0].sagaId)
      throw world.violate(`ticket ${ticket} was used by ${sagas.length} sagas`);
  }
}

function checkSaga(world: SagaWorld, saga: StoredSaga): void {
  const { sagaId, state, records } = saga;
  for (const record of records) world.note(() => `${sagaId.slice(0, 4)} ${record.seq} ${lineOf(record)}`);
  const name = `saga ${sagaId.slice(0, 4)}`;
  const chain = verifyChain(records);
  if (!chain.valid) throw world.violate(`${name}: record ${chain.seq}: ${chain.reason}`);
  const grammar = walGrammar(records);
  if (!grammar.valid || !grammar.ended) throw world.violate(`${name}: its log has no end`);
  const ends = records.filter(({ kind }) => kind === 'SAGA_COMMIT' || kind === 'SAGA_ABORTED');
  if (ends.length !== 1) throw world.violate(`${name}: ${ends.length} ends`);
  const completed = state === 'COMPLETED';
  if (completed !== (ends[0].kind === 'SAGA_COMMIT'))
    throw world.violate(`${name}: ${ends[0].kind}, ${state}`);
  world.saw(completed ? 'sagas completed' : 'sagas compensated');
  if (saga.fence > 1 && completed) world.saw('sagas completed by another owner');
  checkEffects(world, saga, completed ? 1 : 0);
}

/** Each effect stands once, or not at all, and the money is where it belongs. */
function checkEffects(world: SagaWorld, { sagaId, records }: StoredSaga, expected: number): void {
  let parts = 0;
  for (const [index, kind] of world.steps.entries()) {
    const local = (world.store.table.get(`step:${sagaId}:${index}`) as number | undefined) ?? 0;
    const remote = world.receiver.standing(idemKey(sagaId, `step${index}`, 'forward'));
    const stands = kind === 'local' ? local : remote;
    if (stands !== expected)
      throw world.violate(`${kind} step ${index} of ${sagaId.slice(0, 4)} stands ${stands} times`);
    if (world.account(`part:${sagaId}:${index}`) !== (kind === 'local' ? expected : 0))
      throw world.violate(`a part of saga ${sagaId} is not where it belongs`);
    if (kind === 'local') parts += 1;
  }
  const credit = world.account(`credit:${records[0].payload['ticket']}`);
  const paid = records.at(-1)?.payload['amount'];
  if (world.account(`hold:${sagaId}`) !== 0) throw world.violate(`saga ${sagaId} holds money`);
  if (credit !== (expected === 1 ? 0 : PRICE)) throw world.violate(`${credit} went back for ${sagaId}`);
  if (paid !== (expected === 1 ? PRICE - parts : PRICE))
    throw world.violate(`${paid} was booked for ${sagaId}`);
}

const uuid = (bytes: Uint8Array): string =>
  bytesToHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

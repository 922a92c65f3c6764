import type { SagaPlan } from './saga-plan.js';
import { StepFailed, type SagaDefinition, type SagaStep, type StepContext } from '../saga-definition.js';
import type { MemoryTx } from './memory-saga-store.js';
import { moveMoney, PRICE, type SagaWorld } from './saga-world.js';

export const RUN_ATTEMPTS_MAX = 3;
export const UNDO_ATTEMPTS_MAX = 4;

/** The process that runs a definition. */
export interface DefinitionHost {
  readonly world: SagaWorld;
  /** Asks the receiver over the process's network. */
  request<T>(handle: () => Promise<T>): Promise<T>;
  /** Notes that a step ran under a key. */
  ran(sagaId: string, key: string, attempt: number): void;
  /** Notes that the receiver did not know a key. */
  wasUnknown(key: string): void;
}

/** The saga of one world, as one of its processes runs it: its remote steps speak over that process's network. */
export function simulatedDefinition(process: DefinitionHost): SagaDefinition<MemoryTx> {
  const { world } = process;
  return {
    name: 'simulated',
    version: 1,
    runAttemptsMax: RUN_ATTEMPTS_MAX,
    undoAttemptsMax: UNDO_ATTEMPTS_MAX,
    steps: world.steps.map((kind, index) =>
      kind === 'local' ? localStep(process, index) : remoteStep(process, index),
    ),
    committed: async (tx, { sagaId }) => {
      await mayThrow(world);
      const rest = (tx.get(`account:hold:${sagaId}`) as number | undefined) ?? 0;
      moveMoney(tx, `hold:${sagaId}`, 'treasury', rest);
      return { amount: rest };
    },
    aborted: async (tx, { sagaId, begun }) => {
      await mayThrow(world);
      moveMoney(tx, `hold:${sagaId}`, `credit:${begun['ticket']}`, PRICE);
      return { amount: PRICE };
    },
  };
}

/** The ticket was used before. */
export class TicketUsedError extends Error {}

/** TX0 of a simulated saga. @throws TicketUsedError */
export function consumeTicket(world: SagaWorld, plan: SagaPlan, sagaId: string) {
  return async (tx: MemoryTx) => {
    const key = `ticket:${plan.ticket}`;
    // Broken: looked at outside the transaction, as an ordinary SELECT in READ COMMITTED is.
    const broken = world.mutant === 'ticket is not locked';
    const state = broken ? world.store.table.get(key) : tx.get(key);
    await world.time.sleep(world.prng.between(0, 10));
    if (state !== 'unused') throw new TicketUsedError(plan.ticket);
    if (plan.refusals > 0) {
      plan.refusals -= 1;
      throw new RangeError('refused as planned');
    }
    if (!broken) tx.put(key, sagaId);
    else world.store.table.set(key, sagaId);
    moveMoney(tx, 'tickets', `hold:${sagaId}`, PRICE);
    return { sagaId, input: { ticket: plan.ticket }, logged: { ticket: plan.ticket }, kept: {} };
  };
}

const planOf = (world: SagaWorld, { begun }: StepContext): SagaPlan => {
  const plan = world.plans.find(({ ticket }) => ticket === begun['ticket']);
  if (!plan) throw world.violate('a saga without a plan');
  return plan;
};

async function mayThrow({ prng, weather, time }: SagaWorld): Promise<void> {
  await time.sleep(prng.between(0, 3));
  if (prng.chance(weather.stepThrows)) throw new Error('something came up');
}

/** Moves one unit, and counts that it did. */
function localStep({ world }: Pick<DefinitionHost, 'world'>, index: number): SagaStep<MemoryTx> {
  const mark = (context: StepContext) => `step:${context.sagaId}:${index}`;
  return {
    name: `step${index}`,
    kind: 'local',
    run: async (tx, context) => {
      if (tx.get(mark(context)) === 1) throw world.violate(`${context.step} ran twice`);
      tx.put(mark(context), 1);
      moveMoney(tx, `hold:${context.sagaId}`, `part:${context.sagaId}:${index}`, 1);
      await mayThrow(world);
      if (planOf(world, context).failsAt === index) throw new StepFailed('FAILS', 'as planned', false);
      return { logged: { index } };
    },
    undo: async (tx, context) => {
      const plan = planOf(world, context);
      if (tx.get(mark(context)) !== 1) throw world.violate(`${context.step} was taken back and had not run`);
      tx.put(mark(context), 0);
      moveMoney(tx, `part:${context.sagaId}:${index}`, `hold:${context.sagaId}`, 1);
      await mayThrow(world);
      if (plan.undoFailures[index] > 0) {
        plan.undoFailures[index] -= 1;
        world.saw('compensations that failed');
        throw new Error('cannot be taken back now');
      }
      return { logged: {} };
    },
  };
}

function remoteStep(process: DefinitionHost, index: number): SagaStep<MemoryTx> {
  const { world } = process;
  const { receiver } = world;
  return {
    name: `step${index}`,
    kind: 'remote',
    run: async context => {
      process.ran(context.sagaId, context.idemKey, context.attempt);
      const plan = planOf(world, context);
      // Nothing is sent this time; what was sent before may still be on its way.
      if (plan.failsUnsent && context.attempt > 1) throw new StepFailed('UNSENT', 'as planned', false);
      return process.request(() => receiver.forward(context.idemKey, plan, index));
    },
    ask: async context => {
      const outcome = await process.request(() => receiver.ask(context.idemKey));
      if (!outcome) process.wasUnknown(context.idemKey);
      return outcome;
    },
    undo: async context => {
      const plan = planOf(world, context);
      return process.request(() => receiver.reverse(context.forwardIdemKey, plan, index));
    },
  };
}

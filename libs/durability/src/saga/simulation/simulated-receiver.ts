import { StepFailed, type StepOutcome } from '../saga-definition.js';
import type { Prng } from './prng.js';
import type { Mutant, SagaPlan, Violation } from './saga-plan.js';
import type { VirtualTime } from './virtual-time.js';

/** What of the world a receiver lives in. */
export interface ReceiverWorld {
  readonly mutant?: Mutant;
  readonly prng: Prng;
  readonly time: Pick<VirtualTime, 'sleep'>;
  /** Counts what came about, by its name. */
  saw(what: string): void;
  /** Notes what never may be, for its caller to throw. */
  violate(what: string): Violation;
}

interface Effect {
  state: 'running' | 'done' | 'refused' | 'tombstone';
  /** How often the effect stands: 0 or 1. */
  standing: number;
}

/** The receiver has begun it, and not ended. */
class BusyError extends Error {}

/**
 * Who remote steps talk to: it has an effect once for each key, remembers what it refused, and leaves a tombstone where it
 * is told to take back what it does not know.
 */
export class SimulatedReceiver {
  private readonly effects = new Map<string, Effect>();

  constructor(private readonly world: ReceiverWorld) {}

  async forward(key: string, plan: SagaPlan, step: number): Promise<StepOutcome> {
    const { world } = this;
    const effect = this.effects.get(key);
    if (effect && !(effect.state === 'done' && world.mutant === 'receiver runs an effect again'))
      return this.known(effect);
    const begun: Effect = effect ?? { state: 'running', standing: 0 };
    this.effects.set(key, begun);
    await world.time.sleep(world.prng.between(0, 400));
    if (begun.state === 'tombstone') return this.known(begun);
    const fails = plan.failsAt === step;
    if (!fails || plan.failsLate) this.stand(begun, key, 1);
    begun.state = fails ? 'refused' : 'done';
    return this.known(begun);
  }

  /** @throws StepFailed where it was refused */
  async ask(key: string): Promise<StepOutcome | undefined> {
    const effect = this.effects.get(key);
    if (effect?.state === 'refused' || effect?.state === 'done') return this.known(effect);
    return undefined;
  }

  async reverse(forwardKey: string, plan: SagaPlan, step: number): Promise<StepOutcome> {
    const { world } = this;
    await world.time.sleep(world.prng.between(0, 50));
    if (plan.undoFailures[step] > 0) {
      plan.undoFailures[step] -= 1;
      world.saw('compensations that failed');
      throw new Error('cannot be taken back now');
    }
    const effect = this.effects.get(forwardKey);
    if (!effect && world.mutant === 'receiver forgets tombstones') return { logged: {} };
    if (effect?.standing === 1 && world.mutant === 'receiver loses a compensation' && world.prng.chance(0.1))
      return { logged: {} };
    const gone: Effect = effect ?? { state: 'tombstone', standing: 0 };
    if (!effect) world.saw('tombstones before their effect');
    if (gone.standing > 0) this.stand(gone, forwardKey, -gone.standing);
    gone.state = 'tombstone';
    this.effects.set(forwardKey, gone);
    return { logged: {} };
  }

  standing(key: string): number {
    return this.effects.get(key)?.standing ?? 0;
  }

  private known({ state, standing }: Effect): StepOutcome {
    if (state === 'tombstone') {
      this.world.saw('late effects refused');
      throw new StepFailed('REVOKED', 'it was taken back', false);
    }
    if (state === 'refused') throw new StepFailed('REFUSED', 'as planned', standing > 0);
    if (state === 'running') throw new BusyError('it runs');
    return { logged: { done: true } };
  }

  private stand(effect: Effect, key: string, by: number): void {
    effect.standing += by;
    if (effect.standing < 0 || effect.standing > 1)
      throw this.world.violate(`the effect ${key.slice(0, 8)} stands ${effect.standing} times`);
  }
}

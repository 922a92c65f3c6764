import { AsyncLocalStorage } from 'node:async_hooks';
import type { Hop } from '../observability/hop.js';

/**
 * How a call stands with what it costs.
 *
 * - `claiming`: it brings a payment, which is taken once there is room for its work. Nothing is done for it yet.
 * - `settled`: it is paid for: its work goes before other work, and is refused no more.
 * - `later`: within a quota, for nothing, or asynchronous: it goes when its turn comes among such work.
 */
export type Standing = 'claiming' | 'settled' | 'later';

/** For whom work is done, as it goes along with every call from service to service. */
export interface CallerTurn {
  /** Opaque: of an account, or of an address. */
  readonly subject: string;
  readonly standing: Standing;
}

/** What goes along with the work of a call, through everything that is awaited. */
export interface CallScope {
  readonly hop?: Hop;
  readonly turn?: CallerTurn;
}

/** One for everything: each further one costs every promise of the process. */
const storage = new AsyncLocalStorage<CallScope>();

/** Of the running work; undefined outside of any call. */
export const callScope = (): CallScope | undefined => storage.getStore();

export const runInScope = <T>(scope: CallScope, fn: () => T): T => storage.run(scope, fn);

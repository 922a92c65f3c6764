import { AsyncLocalStorage } from 'node:async_hooks';
import type { Hop } from '../observability/trace-context.js';
import type { CallerTurn } from './caller-turn.js';

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

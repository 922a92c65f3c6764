import { type EmulatedAccount } from '../account/emulated-account.js';
import { type Includable } from './expansion.js';
import { type Parameters } from './parameters.js';

/** One request, authenticated, with its parameters decoded. */
export interface Call {
  account: EmulatedAccount;
  parameters: Parameters;
  /** The part of the path that the route calls `:id`. */
  id: string;
  /** Whether `Stripe-Version` names a preview, where shared payment tokens are. */
  preview: boolean;
}

/** One endpoint. `run` returns at once, so that no two calls are ever at work on the account together. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Names of the parameters; any other is refused. `expand` is always one. */
  accepts: readonly string[];
  includable?: Includable;
  run(call: Call): unknown;
}

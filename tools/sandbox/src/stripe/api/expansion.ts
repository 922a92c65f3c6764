import { type EmulatedAccount } from '../account/emulated-account.js';
import { invalidRequest } from './stripe-error.js';

const DEPTH_MAX = 4;

/** What an id names, by its prefix. */
const KIND_OF_PREFIX: Record<string, string> = {
  ch: 'charge',
  cs: 'checkout.session',
  cus: 'customer',
  dp: 'dispute',
  in: 'invoice',
  pi: 'payment_intent',
  pm: 'payment_method',
  price: 'price',
  prod: 'product',
  re: 'refund',
  sub: 'subscription',
};

type Members = Record<string, unknown>;

/** Members that an answer holds only when they are expanded. */
export type Includable = (object: Members, member: string, account: EmulatedAccount) => unknown;

/**
 * A copy of an answer with the members of `expand[]` in place of their ids.
 *
 * @throws StripeError 400 for a member that is no id, and for more than four levels.
 */
export function expanded(
  answer: unknown,
  paths: string[],
  account: EmulatedAccount,
  includable: Includable,
): unknown {
  if (paths.length === 0) return answer;
  const copy: unknown = structuredClone(answer);
  for (const path of paths) {
    const members = path.split('.');
    if (members.length > DEPTH_MAX) {
      throw invalidRequest(`You cannot expand more than ${DEPTH_MAX} levels of a property: ${path}`);
    }
    expand(copy, members, path, account, includable);
  }
  return copy;
}

function expand(
  at: unknown,
  [member, ...rest]: string[],
  path: string,
  account: EmulatedAccount,
  includable: Includable,
): void {
  if (Array.isArray(at)) {
    for (const element of at) expand(element, [member, ...rest], path, account, includable);
    return;
  }
  if (at === null || typeof at !== 'object') return;
  const object = at as Members;
  if (!Object.hasOwn(object, member)) {
    const included = includable(object, member, account);
    if (included === undefined) {
      throw invalidRequest(`This property cannot be expanded (${path}).`, 'expand[0]');
    }
    object[member] = structuredClone(included);
  } else if (typeof object[member] === 'string') {
    const kind = KIND_OF_PREFIX[object[member].split('_')[0]];
    const found = kind && account.store.find(kind, object[member]);
    if (!found) throw invalidRequest(`This property cannot be expanded (${path}).`, 'expand[0]');
    object[member] = structuredClone(found);
  } else if (object[member] !== null && typeof object[member] !== 'object') {
    throw invalidRequest(`This property cannot be expanded (${path}).`, 'expand[0]');
  }
  if (rest.length > 0) expand(object[member], rest, path, account, includable);
}

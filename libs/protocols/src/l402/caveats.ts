import { PaymentRefusal } from '../payment-refusal.js';
import { coversOperation } from '../pricing/price-list.js';

/** Service name in the caveats of every token: one service, whose capabilities are operation ids. */
export const L402_SERVICE = 'svc';

/** What a token is good for, once all its caveats are taken together. */
export interface L402Grant {
  readonly capabilities: readonly string[];
  readonly amountSats: number;
  /** Unix seconds; from then on the token buys nothing. */
  readonly validUntil: number;
}

/** A grant, and what was asked for it when its token was issued: the first condition is ours, those that follow its holders'. */
export interface IssuedGrant extends L402Grant {
  readonly quotedSats: number;
}

/** The caveats of a fresh token, in the order that they are signed. */
export function caveatsOf(grant: L402Grant): string[] {
  return [
    `services=${L402_SERVICE}:0`,
    `${L402_SERVICE}_capabilities=${grant.capabilities.join(',')}`,
    `${L402_SERVICE}_amount_sats=${grant.amountSats}`,
    `${L402_SERVICE}_valid_until=${grant.validUntil}`,
  ];
}

/** What a bundle is good for: several calls, up to its budget. */
export interface BundleGrant {
  readonly capabilities: readonly string[];
  readonly budgetSats: number;
  /** Unix seconds; from then on the bundle buys nothing. */
  readonly validUntil: number;
}

/** A budget of a bundle: what the calls under it cost together, at most. */
export interface Budget {
  readonly sats: number;
  /** Place of its caveat, from 0. */
  readonly place: number;
}

/** A bundle as it was issued, and as its holders have narrowed it. */
export interface IssuedBundle {
  readonly issued: BundleGrant;
  readonly capabilities: readonly string[];
  readonly validUntil: number;
  /** That of the issuer first, then those that holders added: each bounds what is spent under it. */
  readonly budgets: readonly Budget[];
}

/** The caveats of a fresh bundle, in the order that they are signed. */
export function bundleCaveatsOf(grant: BundleGrant): string[] {
  return [
    `services=${L402_SERVICE}:0`,
    `${L402_SERVICE}_capabilities=${grant.capabilities.join(',')}`,
    `${BUDGET}=${grant.budgetSats}`,
    `${L402_SERVICE}_valid_until=${grant.validUntil}`,
  ];
}

/** Says whether a token was issued as a bundle, which the third caveat of its issuer tells. */
export const isBundleOf = (caveats: readonly string[]): boolean =>
  caveats.length > BUDGET_PLACE && conditionOf(caveats[BUDGET_PLACE])[0] === BUDGET;

/**
 * Takes all caveats of a single-use token together. A condition may be repeated and may then only narrow, as
 * its holder hands it on (L402 specification, "Caveats"). Conditions of others are skipped; one of ours that is not known is
 * refused, since it may be meant to forbid this very use.
 *
 * @throws {PaymentRefusal} PAYMENT_INVALID when a repeated condition widens, one of ours is not known, or one that every
 * token has is missing or cannot be read
 */
export function grantOf(caveats: readonly string[]): IssuedGrant {
  const { capabilities, sats, validUntils } = conditionsOf(caveats, 'amount_sats');
  return {
    capabilities: capabilities.at(-1)!,
    amountSats: sats.at(-1)!.sats,
    quotedSats: sats[0].sats,
    validUntil: validUntils.at(-1)!,
  };
}

/**
 * Takes all caveats of a bundle together, as {@link grantOf} does.
 *
 * @throws {PaymentRefusal} PAYMENT_INVALID as {@link grantOf}, and for a budget of nothing
 */
export function bundleGrantOf(caveats: readonly string[]): IssuedBundle {
  const { capabilities, sats: budgets, validUntils } = conditionsOf(caveats, 'budget_sats');
  if (budgets.some(({ sats }) => sats === 0)) refuse('a budget_sats caveat is 0: it pays for nothing');
  return {
    issued: { capabilities: capabilities[0], budgetSats: budgets[0].sats, validUntil: validUntils[0] },
    capabilities: capabilities.at(-1)!,
    validUntil: validUntils.at(-1)!,
    budgets,
  };
}

/** The values of each condition, the issuer's first. At least one of each. */
interface Conditions {
  readonly capabilities: readonly (readonly string[])[];
  readonly sats: readonly Budget[];
  readonly validUntils: readonly number[];
}

/** @param money the condition that bounds what the token pays */
function conditionsOf(caveats: readonly string[], money: 'amount_sats' | 'budget_sats'): Conditions {
  let services: readonly string[] | undefined;
  const capabilities: string[][] = [];
  const sats: Budget[] = [];
  const validUntils: number[] = [];
  for (const [place, caveat] of caveats.entries()) {
    const [name, value] = conditionOf(caveat);
    switch (name) {
      case 'services':
        services = narrowedList('services', services, value);
        break;
      case `${L402_SERVICE}_capabilities`:
        capabilities.push(narrowedList('capabilities', capabilities.at(-1), value));
        break;
      case `${L402_SERVICE}_${money}`:
        sats.push({ sats: narrowedNumber(money, sats.at(-1)?.sats, value), place });
        break;
      case `${L402_SERVICE}_valid_until`:
        validUntils.push(narrowedNumber('valid_until', validUntils.at(-1), value));
        break;
      default:
        if (OURS.test(name)) refuse(`the caveat ${name.slice(0, NAME_CHARS_SHOWN)} is not known here`);
    }
  }
  if (!services?.includes(`${L402_SERVICE}:0`))
    refuse(`the macaroon is not good for service ${L402_SERVICE}:0`);
  if (capabilities.length === 0 || sats.length === 0 || validUntils.length === 0)
    refuse(`the macaroon lacks one of its capabilities, ${money} and valid_until caveats`);
  return { capabilities, sats, validUntils };
}

const BUDGET = `${L402_SERVICE}_budget_sats`;
const BUDGET_PLACE = 2;
/** Names that are ours alone, however they are written. */
const OURS = new RegExp(`^${L402_SERVICE}_`, 'i');
/** Characters of a name that a refusal repeats. */
const NAME_CHARS_SHOWN = 64;

/** Name and value of a caveat; a caveat without `=` is a name alone. */
function conditionOf(caveat: string): [name: string, value: string] {
  const separator = caveat.indexOf('=');
  if (separator < 0) return [caveat.trim(), ''];
  return [caveat.slice(0, separator).trim(), caveat.slice(separator + 1).trim()];
}

function narrowedList(name: string, before: readonly string[] | undefined, value: string): string[] {
  const list = value.split(',').map(item => item.trim());
  if (before && !list.every(item => before.some(pattern => coversOperation(pattern, item))))
    refuse(`a repeated ${name} caveat widens the one before`);
  return list;
}

function narrowedNumber(name: string, before: number | undefined, value: string): number {
  if (!/^\d{1,15}$/.test(value)) refuse(`the ${name} caveat is no number`);
  const number = Number(value);
  if (before !== undefined && number > before) refuse(`a repeated ${name} caveat widens the one before`);
  return number;
}

function refuse(detail: string): never {
  throw new PaymentRefusal('PAYMENT_INVALID', detail);
}

import { PaymentRefusal } from '../payment-refusal.js';

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

/**
 * Takes all caveats of a token together. A condition may be repeated and may then only narrow, as
 * its holder hands it on (L402 specification, "Caveats"). Conditions of others are skipped; one of ours that is not known is
 * refused, since it may be meant to forbid this very use.
 *
 * @throws {PaymentRefusal} PAYMENT_INVALID when a repeated condition widens, one of ours is not known, or one that every
 * token has is missing or cannot be read
 */
export function grantOf(caveats: readonly string[]): IssuedGrant {
  let services: readonly string[] | undefined;
  let capabilities: readonly string[] | undefined;
  let amountSats: number | undefined;
  let quotedSats: number | undefined;
  let validUntil: number | undefined;
  for (const caveat of caveats) {
    const [name, value] = conditionOf(caveat);
    switch (name) {
      case 'services':
        services = narrowedList('services', services, value);
        break;
      case `${L402_SERVICE}_capabilities`:
        capabilities = narrowedList('capabilities', capabilities, value);
        break;
      case `${L402_SERVICE}_amount_sats`:
        amountSats = narrowedNumber('amount_sats', amountSats, value);
        quotedSats ??= amountSats;
        break;
      case `${L402_SERVICE}_valid_until`:
        validUntil = narrowedNumber('valid_until', validUntil, value);
        break;
      default:
        if (OURS.test(name)) refuse(`the caveat ${name.slice(0, NAME_CHARS_SHOWN)} is not known here`);
    }
  }
  if (!services?.includes(`${L402_SERVICE}:0`))
    refuse(`the macaroon is not good for service ${L402_SERVICE}:0`);
  if (!capabilities || amountSats === undefined || quotedSats === undefined || validUntil === undefined) {
    return refuse('the macaroon lacks one of its capabilities, amount_sats and valid_until caveats');
  }
  return { capabilities, amountSats, quotedSats, validUntil };
}

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
  if (before && !list.every(item => before.includes(item)))
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

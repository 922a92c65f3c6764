import { sha256 } from '#sha256';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase64, encodeBase64 } from '../encoding/base64.js';
import { hmacSha256, opensPaymentHash } from '../encoding/digest.js';
import {
  decodeMacaroon,
  encodeMacaroon,
  hasValidSignature,
  MACAROON_BYTES_MAX,
  mintMacaroon,
  signatureUpTo,
  type Macaroon,
} from '../macaroon/macaroon.js';
import { malformed, PaymentRefusal } from '../payment-refusal.js';
import {
  bundleCaveatsOf,
  type BundleGrant,
  bundleGrantOf,
  caveatsOf,
  grantOf,
  isBundleOf,
  type IssuedBundle,
  type IssuedGrant,
  type L402Grant,
} from './caveats.js';
import { decodeIdentifier, encodeIdentifier, type L402Identifier } from './identifier.js';

/** Caveats of every fresh token, and of every fresh bundle. */
const ISSUED_CAVEATS = caveatsOf({ capabilities: [], amountSats: 0, validUntil: 0 }).length;
/** Characters of the largest L402 credential that is read. */
export const L402_CREDENTIAL_CHARS_MAX = 8_192;

/** An L402 credential as it came: `<macaroon>:<preimage>`, decoded and not yet verified. */
export interface L402Credential {
  readonly macaroon: Macaroon;
  readonly identifier: L402Identifier;
  /** Lower-case hex. */
  readonly preimage: string;
}

/** A credential that was issued here and paid; what it is good for now is for the caller to decide. */
export interface VerifiedL402 extends L402Identifier, IssuedGrant {}

/** A budget of a verified bundle. */
export interface CountedBudget {
  readonly sats: number;
  /** SHA-256 that names the macaroon up to this budget: what is spent under it is counted by it. 32 bytes that nobody can guess. */
  readonly digest: Uint8Array;
}

/** A bundle that was issued here and paid. */
export interface VerifiedBundle extends L402Identifier, Omit<IssuedBundle, 'budgets'> {
  readonly budgets: readonly CountedBudget[];
}

/**
 * The root key of one macaroon, derived from its identifier: a challenge that is never paid leaves
 * nothing behind. See docs/adr/0004-stateless-l402-root-keys.md.
 */
function rootKeyOf(secret: Uint8Array, identifier: Uint8Array): Uint8Array {
  return hmacSha256(secret, identifier);
}

/**
 * Mints the token of an L402 challenge, base64.
 *
 * @param secret 32 bytes; whoever has them can mint tokens
 * @param content `location` is a hint for the client; `tokenId` 32 random bytes in hex
 */
export function mintL402Token(
  secret: Uint8Array,
  content: L402Identifier & L402Grant & { location: string },
): string {
  return minted(secret, content, caveatsOf(content));
}

/**
 * Mints the token of a bundle, base64.
 *
 * @param secret as of {@link mintL402Token}
 */
export function mintL402Bundle(
  secret: Uint8Array,
  content: L402Identifier & BundleGrant & { location: string },
): string {
  return minted(secret, content, bundleCaveatsOf(content));
}

function minted(
  secret: Uint8Array,
  content: L402Identifier & { location: string },
  caveats: readonly string[],
): string {
  const identifier = encodeIdentifier(content);
  const { location } = content;
  const macaroon = mintMacaroon(rootKeyOf(secret, identifier), { location, identifier, caveats });
  return encodeBase64(encodeMacaroon(macaroon));
}

/** Whether a credential says that it is a bundle, and no single-use token. Nothing of it is verified. */
export const isL402Bundle = ({ macaroon }: Pick<L402Credential, 'macaroon'>): boolean =>
  isBundleOf(macaroon.caveats);

/** Whether a token that verifies has the conditions of its issuer alone: its holder has handed it on with none of his own. */
export const isAsIssued = ({ macaroon }: Pick<L402Credential, 'macaroon'>): boolean =>
  macaroon.caveats.length === ISSUED_CAVEATS;

/**
 * Value of the `WWW-Authenticate` line. `token` and `macaroon` are the same, for new and old clients;
 * `macaroon` and `invoice` come first, because clients in use match the line up to there by pattern.
 */
export function l402ChallengeHeader(token: string, invoice: string): string {
  return `L402 macaroon="${token}", invoice="${invoice}", version="0", token="${token}"`;
}

/**
 * Reads the value of `Authorization: L402 …` (or `LSAT`), without the scheme name: base64 in either
 * alphabet, padded or not, a colon, and 64 hexadecimal digits.
 *
 * @throws {PaymentRefusal} PAYMENT_MALFORMED
 */
export function parseL402Credential(value: string): L402Credential {
  if (value.length > L402_CREDENTIAL_CHARS_MAX) {
    malformed(
      `the L402 credential has ${value.length} characters, at most ${L402_CREDENTIAL_CHARS_MAX} are read`,
    );
  }
  const separator = value.lastIndexOf(':');
  if (separator < 0) malformed('the L402 credential must be <macaroon>:<preimage>');
  const preimage = value.slice(separator + 1).trim();
  if (!/^[0-9a-fA-F]{64}$/.test(preimage)) malformed('the preimage must be 64 hexadecimal digits');
  const token = value.slice(0, separator).trim();
  if (token.includes(',')) malformed('the L402 credential must hold one macaroon, several were sent');
  const bytes = decodeBase64(token, MACAROON_BYTES_MAX);
  if (!bytes) malformed(`the macaroon must be base64 of at most ${MACAROON_BYTES_MAX} bytes`);
  const macaroon = decodeMacaroon(bytes);
  return { macaroon, identifier: decodeIdentifier(macaroon.identifier), preimage: preimage.toLowerCase() };
}

/**
 * Verifies that the credential was issued with this secret, that its caveats hold together, and that
 * its preimage opens the payment hash. The caller compares `validUntil`, `capabilities` and
 * `amountSats` with what is asked.
 *
 * @throws {PaymentRefusal} PAYMENT_INVALID
 */
export function verifyL402(secret: Uint8Array, credential: L402Credential): VerifiedL402 {
  requireIssued(secret, credential);
  const grant = grantOf(credential.macaroon.caveats);
  requireOpened(credential);
  return { ...credential.identifier, ...grant };
}

/**
 * Verifies a bundle, as {@link verifyL402} does a single-use token. The caller compares `validUntil` and `capabilities` with what is
 * asked, and counts what is spent of each budget.
 *
 * @throws {PaymentRefusal} PAYMENT_INVALID
 */
export function verifyL402Bundle(secret: Uint8Array, credential: L402Credential): VerifiedBundle {
  const { macaroon, identifier } = credential;
  requireIssued(secret, credential);
  const grant = bundleGrantOf(macaroon.caveats);
  requireOpened(credential);
  const rootKey = rootKeyOf(secret, macaroon.identifier);
  const budgets = grant.budgets.map(({ sats, place }) => ({
    sats,
    digest: sha256(concatBytes(BUDGET_LABEL, signatureUpTo(macaroon, rootKey, place))),
  }));
  return { ...identifier, ...grant, budgets };
}

const BUDGET_LABEL = utf8ToBytes('svc/l402-budget/v1\0');

function requireIssued(secret: Uint8Array, { macaroon }: L402Credential): void {
  if (hasValidSignature(macaroon, rootKeyOf(secret, macaroon.identifier))) return;
  throw new PaymentRefusal('PAYMENT_INVALID', 'the macaroon was not issued here or was altered');
}

function requireOpened({ preimage, identifier }: L402Credential): void {
  if (opensPaymentHash(preimage, identifier.paymentHash)) return;
  throw new PaymentRefusal('PAYMENT_INVALID', 'the preimage does not open the payment hash');
}

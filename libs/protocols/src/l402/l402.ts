import { decodeBase64, encodeBase64 } from '../encoding/base64.js';
import { hmacSha256, opensPaymentHash } from '../encoding/digest.js';
import {
  decodeMacaroon,
  encodeMacaroon,
  hasValidSignature,
  MACAROON_BYTES_MAX,
  mintMacaroon,
  type Macaroon,
} from '../macaroon/macaroon.js';
import { malformed, PaymentRefusal } from '../payment-refusal.js';
import { caveatsOf, grantOf, type IssuedGrant, type L402Grant } from './caveats.js';
import { decodeIdentifier, encodeIdentifier, type L402Identifier } from './identifier.js';

/** Caveats of every fresh token. */
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
  const identifier = encodeIdentifier(content);
  const macaroon = mintMacaroon(rootKeyOf(secret, identifier), {
    location: content.location,
    identifier,
    caveats: caveatsOf(content),
  });
  return encodeBase64(encodeMacaroon(macaroon));
}

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
  const { macaroon, identifier, preimage } = credential;
  if (!hasValidSignature(macaroon, rootKeyOf(secret, macaroon.identifier))) {
    throw new PaymentRefusal('PAYMENT_INVALID', 'the macaroon was not issued here or was altered');
  }
  const grant = grantOf(macaroon.caveats);
  if (!opensPaymentHash(preimage, identifier.paymentHash)) {
    throw new PaymentRefusal('PAYMENT_INVALID', 'the preimage does not open the payment hash');
  }
  return { ...identifier, ...grant };
}

import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { constantTimeEqual, hmacSha256, SHA256_BYTES } from '../encoding/digest.js';
import { malformed } from '../payment-refusal.js';

/** Bytes and caveats of the largest macaroon that is read. */
export const MACAROON_BYTES_MAX = 4_096;
export const CAVEATS_MAX = 64;

const VERSION = 2;
const EOS = 0;
const LOCATION = 1;
const IDENTIFIER = 2;
const VERIFICATION_ID = 4;
const SIGNATURE = 6;
const END_OF_SECTION = Uint8Array.of(EOS);
const KEY_GENERATOR = utf8ToBytes('macaroons-key-generator');
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A macaroon with first-party caveats (Birgisson et al., NDSS 2014), in the version 2 binary format
 * of libmacaroons.
 */
export interface Macaroon {
  /** A hint where it is good for; not signed. */
  readonly location: string;
  readonly identifier: Uint8Array;
  readonly caveats: readonly string[];
  readonly signature: Uint8Array;
}

/**
 * Mints a macaroon.
 *
 * @param rootKey 32 secret bytes, known to the issuer alone
 */
export function mintMacaroon(
  rootKey: Uint8Array,
  content: { location: string; identifier: Uint8Array; caveats: readonly string[] },
): Macaroon {
  return { ...content, signature: signatureOf(rootKey, content.identifier, content.caveats) };
}

/** Adds a caveat without the root key: whoever holds a macaroon may narrow it. */
export function attenuate(macaroon: Macaroon, caveat: string): Macaroon {
  return {
    ...macaroon,
    caveats: [...macaroon.caveats, caveat],
    signature: hmacSha256(macaroon.signature, caveat),
  };
}

/** Whether the root key signed the identifier and every caveat, in constant time. */
export function hasValidSignature(macaroon: Macaroon, rootKey: Uint8Array): boolean {
  return constantTimeEqual(signatureOf(rootKey, macaroon.identifier, macaroon.caveats), macaroon.signature);
}

/**
 * The signature that a macaroon had when it ended with the caveat of a place: it names that macaroon, and whoever holds a later one
 * cannot find it.
 */
export const signatureUpTo = (
  { identifier, caveats }: Macaroon,
  rootKey: Uint8Array,
  place: number,
): Uint8Array => signatureOf(rootKey, identifier, caveats.slice(0, place + 1));

function signatureOf(rootKey: Uint8Array, identifier: Uint8Array, caveats: readonly string[]): Uint8Array {
  let signature = hmacSha256(hmacSha256(KEY_GENERATOR, rootKey), identifier);
  for (const caveat of caveats) signature = hmacSha256(signature, caveat);
  return signature;
}

/** Version 2 binary form. */
export function encodeMacaroon(macaroon: Macaroon): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(VERSION)];
  if (macaroon.location !== '') pushField(parts, LOCATION, utf8ToBytes(macaroon.location));
  pushField(parts, IDENTIFIER, macaroon.identifier);
  parts.push(END_OF_SECTION);
  for (const caveat of macaroon.caveats) {
    pushField(parts, IDENTIFIER, utf8ToBytes(caveat));
    parts.push(END_OF_SECTION);
  }
  parts.push(END_OF_SECTION);
  pushField(parts, SIGNATURE, macaroon.signature);
  return concatBytes(...parts);
}

function pushField(parts: Uint8Array[], type: number, content: Uint8Array): void {
  const head = [type];
  let length = content.length;
  for (; length >= 0x80; length >>>= 7) head.push((length & 0x7f) | 0x80);
  head.push(length);
  parts.push(Uint8Array.from(head), content);
}

/**
 * Reads the version 2 binary form; the whole input must be one macaroon.
 *
 * @throws {PaymentRefusal} PAYMENT_MALFORMED for anything else, with the fault; third-party caveats
 * are not supported
 */
export function decodeMacaroon(bytes: Uint8Array): Macaroon {
  if (bytes.length > MACAROON_BYTES_MAX) {
    malformed(`the macaroon has ${bytes.length} bytes, at most ${MACAROON_BYTES_MAX} are read`);
  }
  const reader = new FieldReader(bytes);
  if (reader.byte() !== VERSION) malformed('the macaroon is not in the version 2 binary format');
  const location = reader.optional(LOCATION);
  const identifier = reader.required(IDENTIFIER);
  reader.endOfSection();
  const caveats: string[] = [];
  while (!reader.takeEndOfSection()) {
    if (caveats.length === CAVEATS_MAX) malformed(`the macaroon has more than ${CAVEATS_MAX} caveats`);
    reader.optional(LOCATION);
    caveats.push(text(reader.required(IDENTIFIER)));
    if (reader.optional(VERIFICATION_ID)) malformed('third-party caveats are not supported');
    reader.endOfSection();
  }
  const signature = reader.required(SIGNATURE);
  if (signature.length !== SHA256_BYTES)
    malformed(`the macaroon's signature has ${signature.length} bytes, not 32`);
  if (!reader.atEnd) malformed('bytes follow the macaroon');
  return { location: location ? text(location) : '', identifier, caveats, signature };
}

function text(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return malformed('a caveat or the location of the macaroon is not UTF-8');
  }
}

class FieldReader {
  private position = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get atEnd(): boolean {
    return this.position === this.bytes.length;
  }

  byte(): number {
    if (this.atEnd) malformed('the macaroon is cut short');
    return this.bytes[this.position++];
  }

  takeEndOfSection(): boolean {
    if (this.bytes[this.position] !== EOS) return false;
    this.position++;
    return true;
  }

  endOfSection(): void {
    if (!this.takeEndOfSection()) malformed('the macaroon has a field where a section must end');
  }

  optional(type: number): Uint8Array | undefined {
    return this.bytes[this.position] === type ? this.required(type) : undefined;
  }

  required(type: number): Uint8Array {
    if (this.byte() !== type) malformed(`the macaroon has no field ${type} where one must be`);
    const length = this.length();
    if (length > this.bytes.length - this.position) malformed('a field of the macaroon is cut short');
    this.position += length;
    return this.bytes.slice(this.position - length, this.position);
  }

  /** Unsigned LEB128 of at most three bytes: more than any length within the bound. */
  private length(): number {
    let length = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) return length;
    }
    return malformed('a field of the macaroon states a length beyond the bound');
  }
}

/** A Lightning network, by the prefix of its invoices (BOLT 11). */
export type LightningNetwork = 'mainnet' | 'testnet' | 'signet' | 'regtest';

const NETWORK_OF_PREFIX: Readonly<Record<string, LightningNetwork>> = {
  bc: 'mainnet',
  tb: 'testnet',
  tbs: 'signet',
  bcrt: 'regtest',
};

/** What a payer must know of an invoice before it pays. */
export interface Bolt11Invoice {
  readonly network: LightningNetwork;
  /** Millisatoshis; undefined where the payer chooses the amount. */
  readonly amountMsats: bigint | undefined;
  /** SHA-256 of the preimage, 64 lower-case hex digits. */
  readonly paymentHash: string;
  /** Unix time, seconds. */
  readonly createdAt: number;
  /** Unix time, seconds: from here on the invoice cannot be paid. */
  readonly expiresAt: number;
}

export type DecodedInvoice =
  { readonly ok: true; readonly invoice: Bolt11Invoice } | { readonly ok: false; readonly reason: string };

/** Longest invoice that is decoded, characters. */
export const INVOICE_CHARS_MAX = 4_096;

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CHECKSUM_WORDS = 6;
const SIGNATURE_WORDS = 104;
const TIMESTAMP_WORDS = 7;
const DEFAULT_EXPIRY_SECONDS = 3_600;
/** Tag `p`, payment hash: 52 words of 5 bits. */
const TAG_PAYMENT_HASH = 1;
const PAYMENT_HASH_WORDS = 52;
/** Tag `x`, expiry in seconds. */
const TAG_EXPIRY = 6;
const EXPIRY_WORDS_MAX = 7;

/** Millisatoshis of one unit of the amount's multiplier, in thousandths (p is a tenth of a msat). */
const MILLI_MSATS: Readonly<Record<string, bigint>> = {
  '': 100_000_000_000_000n,
  m: 100_000_000_000n,
  u: 100_000_000n,
  n: 100_000n,
  p: 100n,
};

const refused = (reason: string): DecodedInvoice => ({ ok: false, reason });

/** Bech32 checksum polynomial (BIP 173). */
function polymod(words: Iterable<number>): number {
  const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  let checksum = 1;
  for (const word of words) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ word;
    for (let bit = 0; bit < 5; bit++) if ((top >>> bit) & 1) checksum ^= generator[bit];
  }
  return checksum;
}

function checksumHolds(prefix: string, words: readonly number[]): boolean {
  const codes = [...prefix].map(character => character.charCodeAt(0));
  return polymod([...codes.map(code => code >>> 5), 0, ...codes.map(code => code & 31), ...words]) === 1;
}

function toNumber(words: readonly number[]): number {
  return words.reduce((value, word) => value * 32 + word, 0);
}

function toHex(words: readonly number[], bytes: number): string {
  let hex = '';
  let buffer = 0;
  let bits = 0;
  for (const word of words) {
    buffer = ((buffer << 5) | word) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      hex += ((buffer >>> bits) & 0xff).toString(16).padStart(2, '0');
    }
  }
  return hex.slice(0, 2 * bytes);
}

function amountOf(digits: string | undefined, multiplier: string): bigint | undefined | 'fraction' {
  if (digits === undefined) return undefined;
  const milliMsats = BigInt(digits) * MILLI_MSATS[multiplier];
  return milliMsats % 1_000n === 0n ? milliMsats / 1_000n : 'fraction';
}

/** Tagged fields between the timestamp and the signature; the first of a kind counts (BOLT 11). */
function taggedFields(words: readonly number[]): ReadonlyMap<number, readonly number[]> | undefined {
  const fields = new Map<number, readonly number[]>();
  let at = 0;
  while (at < words.length) {
    if (at + 3 > words.length) return undefined;
    const tag = words[at];
    const length = words[at + 1] * 32 + words[at + 2];
    const end = at + 3 + length;
    if (end > words.length) return undefined;
    // A reader must skip a payment hash whose length is not 52 words.
    const skipped = tag === TAG_PAYMENT_HASH && length !== PAYMENT_HASH_WORDS;
    if (!skipped && !fields.has(tag)) fields.set(tag, words.slice(at + 3, end));
    at = end;
  }
  return fields;
}

/**
 * Decodes what a payer checks in a BOLT 11 invoice: network, amount, payment hash, expiry. The
 * signature is the wallet's to verify. Never throws; bounded by {@link INVOICE_CHARS_MAX}.
 *
 * @see https://github.com/lightning/bolts/blob/master/11-payment-encoding.md
 */
export function decodeBolt11(text: string): DecodedInvoice {
  if (text.length > INVOICE_CHARS_MAX)
    return refused(`${text.length} characters, at most ${INVOICE_CHARS_MAX} are read`);
  if (text !== text.toLowerCase() && text !== text.toUpperCase())
    return refused('mixes upper and lower case');
  const invoice = text.toLowerCase();
  const separator = invoice.lastIndexOf('1');
  const human = /^ln(bcrt|tbs|bc|tb)(?:([1-9][0-9]{0,15})([munp]?))?$/.exec(invoice.slice(0, separator));
  if (separator < 0 || human === null)
    return refused('does not start with ln, a known network and an amount');

  const words = [...invoice.slice(separator + 1)].map(character => CHARSET.indexOf(character));
  if (words.includes(-1)) return refused('holds a character that bech32 does not have');
  if (words.length < TIMESTAMP_WORDS + SIGNATURE_WORDS + CHECKSUM_WORDS) return refused('is too short');
  if (!checksumHolds(invoice.slice(0, separator), words)) return refused('has a wrong checksum');

  const amountMsats = amountOf(human[2], human[3] ?? '');
  if (amountMsats === 'fraction') return refused('asks for a fraction of a millisatoshi');
  const fields = taggedFields(words.slice(TIMESTAMP_WORDS, -(SIGNATURE_WORDS + CHECKSUM_WORDS)));
  if (fields === undefined) return refused('has a tagged field that runs past its end');
  const paymentHash = fields.get(TAG_PAYMENT_HASH);
  if (paymentHash === undefined) return refused('has no payment hash');
  const expiry = fields.get(TAG_EXPIRY);
  if (expiry !== undefined && expiry.length > EXPIRY_WORDS_MAX) return refused('has an expiry out of range');

  const createdAt = toNumber(words.slice(0, TIMESTAMP_WORDS));
  return {
    ok: true,
    invoice: {
      network: NETWORK_OF_PREFIX[human[1]],
      amountMsats,
      paymentHash: toHex(paymentHash, 32),
      createdAt,
      expiresAt: createdAt + (expiry === undefined ? DEFAULT_EXPIRY_SECONDS : toNumber(expiry)),
    },
  };
}

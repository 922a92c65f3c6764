import { sha256 } from '#sha256';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import bech32 from 'bech32';
import secp256k1 from 'secp256k1';
import { type InvoiceContent, INVOICE_PREFIXES } from './invoice-content.js';

/** Of BOLT 11: each tag is a letter of bech32, by its value, and the number of its words. */
const TAG = { paymentHash: 1, description: 13, paymentSecret: 16, expiry: 6, minFinalCltv: 24, features: 5 };
const MIN_FINAL_CLTV_BLOCKS = 18;
/** Bits 8 (var_onion_optin) and 14 (payment_secret), required: what every sender today needs. */
const FEATURE_BITS = 2 ** 8 + 2 ** 14;
const TIMESTAMP_WORDS = 7;
const WORD_BITS = 5;

/**
 * Signs a BOLT 11 invoice: a human-readable part with the amount, then words of five bits (time, tags, signature),
 * as bech32. Every 402 has a fresh one, so what signs must be quick.
 *
 * @param nodeKey secp256k1 private key, 32 bytes in hex
 * @see https://github.com/lightning/bolts/blob/master/11-payment-encoding.md
 */
export function signInvoice(content: InvoiceContent, nodeKey: string): string {
  const prefix = `ln${INVOICE_PREFIXES[content.network]}${amountText(content.amountSats)}`;
  const words = [
    ...integerWords(content.createdAt, TIMESTAMP_WORDS),
    ...tag(TAG.paymentHash, bech32.toWords(hexToBytes(content.paymentHash))),
    ...tag(TAG.paymentSecret, bech32.toWords(hexToBytes(content.paymentSecret))),
    ...tag(TAG.description, bech32.toWords(utf8ToBytes(content.description))),
    ...tag(TAG.expiry, integerWords(content.expirySeconds)),
    ...tag(TAG.minFinalCltv, integerWords(MIN_FINAL_CLTV_BLOCKS)),
    ...tag(TAG.features, integerWords(FEATURE_BITS)),
  ];
  const digest = sha256(concatBytes(utf8ToBytes(prefix), bytesOf(words)));
  const { signature, recid } = secp256k1.ecdsaSign(digest, hexToBytes(nodeKey));
  words.push(...bech32.toWords(concatBytes(signature, Uint8Array.of(recid))));
  return bech32.encode(prefix, words, Number.MAX_SAFE_INTEGER);
}

/** The amount in the largest unit that holds it whole: 1 sat is 10 nano-bitcoin. */
function amountText(amountSats: number): string {
  const units = [
    [100_000_000, ''],
    [100_000, 'm'],
    [100, 'u'],
  ] as const;
  for (const [sats, unit] of units) if (amountSats % sats === 0) return `${amountSats / sats}${unit}`;
  return `${amountSats * 10}n`;
}

function tag(type: number, words: readonly number[]): number[] {
  return [type, words.length >> WORD_BITS, words.length & 31, ...words];
}

/** An integer, big-endian, in `length` words or as few as hold it. */
function integerWords(value: number, length = 0): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) words.unshift(rest % 32);
  while (words.length < length) words.unshift(0);
  return words;
}

/** Words as bytes, the last filled up with zero bits: what is signed. */
function bytesOf(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((words.length * WORD_BITS) / 8));
  let bits = 0;
  let pending = 0;
  let at = 0;
  for (const word of words) {
    pending = ((pending << WORD_BITS) | word) & 0xfff;
    bits += WORD_BITS;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (pending >> bits) & 0xff;
    }
  }
  if (bits > 0) bytes[at] = (pending << (8 - bits)) & 0xff;
  return bytes;
}

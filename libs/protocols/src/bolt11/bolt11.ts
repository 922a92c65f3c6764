import bolt11 from 'bolt11';
import type { LightningNetwork } from '../mpp/lightning-charge.js';
import { type InvoiceContent, INVOICE_PREFIXES } from './invoice-content.js';

export type { InvoiceContent } from './invoice-content.js';
export { signInvoice } from './sign-invoice.js';

/** Characters of the longest invoice that is read. */
export const INVOICE_CHARS_MAX = 2_048;

/** bolt11 asks for address versions; no invoice here has a fallback address. */
const parametersOf = (network: LightningNetwork) => ({
  bech32: INVOICE_PREFIXES[network],
  pubKeyHash: network === 'mainnet' ? 0x00 : 0x6f,
  scriptHash: network === 'mainnet' ? 0x05 : 0xc4,
  validWitnessVersions: [0, 1],
});

export interface DecodedInvoice extends InvoiceContent {
  /** Compressed public key of the node that signed it, recovered from the signature; hex. */
  readonly payeeNodeKey: string;
}

/** What was given is no BOLT 11 invoice, or one of a kind that is not read here. */
export class InvoiceError extends Error {
  readonly code = 'INVOICE_MALFORMED';
  constructor(detail: string) {
    super(detail);
    this.name = 'InvoiceError';
  }
}

/**
 * Reads an invoice of one network and recovers who signed it.
 *
 * @throws {InvoiceError} when it is none, is of another network, or lacks amount, hash or secret
 */
export function decodeInvoice(invoice: string, network: LightningNetwork): DecodedInvoice {
  if (invoice.length > INVOICE_CHARS_MAX) {
    throw new InvoiceError(`invoice has ${invoice.length} characters, at most ${INVOICE_CHARS_MAX} are read`);
  }
  let decoded: ReturnType<typeof bolt11.decode>;
  try {
    decoded = bolt11.decode(invoice, parametersOf(network));
  } catch {
    throw new InvoiceError(`invoice is no BOLT 11 invoice of ${network}`);
  }
  const { satoshis, timestamp, payeeNodeKey, tagsObject } = decoded;
  const { payment_hash: paymentHash, payment_secret: paymentSecret } = tagsObject;
  if (!satoshis || !timestamp || !payeeNodeKey)
    throw new InvoiceError('invoice names no whole amount of satoshis');
  if (!isHash(paymentHash) || !isHash(paymentSecret)) {
    throw new InvoiceError('invoice lacks a payment hash or a payment secret of 32 bytes');
  }
  return {
    network,
    amountSats: satoshis,
    paymentHash,
    paymentSecret,
    description: tagsObject.description ?? '',
    createdAt: timestamp,
    expirySeconds: tagsObject.expire_time ?? 3_600,
    payeeNodeKey,
  };
}

const isHash = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);

import bolt11 from 'bolt11';
import type { LightningNetwork } from '../mpp/lightning-charge.js';

/** Characters of the longest invoice that is read. */
export const INVOICE_CHARS_MAX = 2_048;

const PREFIXES: Record<LightningNetwork, string> = { mainnet: 'bc', signet: 'tbs', regtest: 'bcrt' };
/** bolt11 asks for address versions; no invoice here has a fallback address. */
const parametersOf = (network: LightningNetwork) => ({
  bech32: PREFIXES[network],
  pubKeyHash: network === 'mainnet' ? 0x00 : 0x6f,
  scriptHash: network === 'mainnet' ? 0x05 : 0xc4,
  validWitnessVersions: [0, 1],
});

export interface InvoiceContent {
  readonly network: LightningNetwork;
  readonly amountSats: number;
  /** Lower-case hex, 32 bytes. */
  readonly paymentHash: string;
  /** Lower-case hex, 32 bytes; BOLT 11 tag `s`. */
  readonly paymentSecret: string;
  readonly description: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expirySeconds: number;
}

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
 * Signs a BOLT 11 invoice.
 *
 * @param nodeKey secp256k1 private key, 32 bytes in hex
 */
export function signInvoice(content: InvoiceContent, nodeKey: string): string {
  const unsigned = bolt11.encode({
    network: parametersOf(content.network),
    satoshis: content.amountSats,
    timestamp: content.createdAt,
    tags: [
      { tagName: 'payment_hash', data: content.paymentHash },
      { tagName: 'payment_secret', data: content.paymentSecret },
      { tagName: 'description', data: content.description },
      { tagName: 'expire_time', data: content.expirySeconds },
      { tagName: 'min_final_cltv_expiry', data: 18 },
      // Bits 8 (var_onion_optin) and 14 (payment_secret): what every sender today needs.
      {
        tagName: 'feature_bits',
        data: {
          word_length: 3,
          var_onion_optin: { required: true, supported: false },
          payment_secret: { required: true, supported: false },
        },
      },
    ],
  });
  const { paymentRequest } = bolt11.sign(unsigned, nodeKey);
  if (!paymentRequest) throw new InvoiceError('the invoice could not be signed');
  return paymentRequest;
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

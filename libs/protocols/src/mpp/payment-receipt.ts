import { encodeBase64Url } from '../encoding/base64.js';
import { decodeJson, isRecord } from '../encoding/base64-json.js';
import type { Price } from '../pricing/price-list.js';

const RECEIPT_BYTES_MAX = 4_096;

/** Content of the `Payment-Receipt` header (draft-httpauth-payment section 5.3). */
export interface PaymentReceipt {
  readonly status: 'success';
  readonly method: string;
  /** RFC 3339 time of the settlement. */
  readonly timestamp: string;
  /** Public reference; for lightning the payment hash, never the preimage. */
  readonly reference: string;
  /** Id of the challenge that was paid, where it had one. */
  readonly challengeId?: string;
}

export function encodeReceipt(receipt: PaymentReceipt): string {
  return encodeBase64Url(JSON.stringify(receipt));
}

/** The receipt of a header, or `undefined` when it is none. */
export function decodeReceipt(value: string): PaymentReceipt | undefined {
  const receipt = decodeJson(value, RECEIPT_BYTES_MAX);
  if (!isRecord(receipt) || receipt.status !== 'success') return undefined;
  const { method, timestamp, reference, challengeId } = receipt;
  if (typeof method !== 'string' || typeof timestamp !== 'string' || typeof reference !== 'string')
    return undefined;
  if (challengeId !== undefined && typeof challengeId !== 'string') return undefined;
  return {
    status: 'success',
    method,
    timestamp,
    reference,
    ...(challengeId === undefined ? {} : { challengeId }),
  };
}

/**
 * The receipt of a payment by the key of an account. It follows from the claim's id and time alone, so that it is known before the
 * payment is booked.
 * @param claimId a UUID
 * @param timestamp RFC 3339
 */
export function keyReceipt(claimId: string, price: Price, timestamp: string) {
  const method = 'svc-key';
  const header = encodeReceipt({ status: 'success', method, timestamp, reference: claimId });
  return {
    ...{ rail: method, reference: claimId, timestamp },
    ...{ amountMicroUsd: price.amountMicroUsd, amountSats: price.amountSats },
    headers: { 'Payment-Receipt': header },
  };
}

import { decodeJson, isRecord } from '../encoding/base64-json.js';
import { findX402Network } from './network.js';
import { encodeX402 } from './payment-required.js';

const RESPONSE_BYTES_MAX = 4_096;

/** What became of a payment, as `PAYMENT-RESPONSE` says it (x402 specification v2, "SettlementResponse"). */
export interface X402Settlement {
  readonly success: boolean;
  /** Hash of the transaction; empty when there is none. */
  readonly transaction: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payer?: string;
  readonly errorReason?: string;
}

/** The header that a client of this version of x402 reads the settlement from, on success and on failure. */
export function x402ResponseHeaders(version: 1 | 2, settlement: X402Settlement): Record<string, string> {
  const { success, transaction, network, payer, errorReason } = settlement;
  const v1Name = version === 1 ? findX402Network(network)?.v1Name : undefined;
  const response = {
    success,
    ...(errorReason === undefined ? {} : { errorReason }),
    ...(payer === undefined ? {} : { payer }),
    transaction,
    network: v1Name ?? network,
  };
  return { [version === 1 ? 'X-PAYMENT-RESPONSE' : 'PAYMENT-RESPONSE']: encodeX402(response) };
}

/** The settlement of a header of either version, or `undefined` when it is none. */
export function decodeX402Response(value: string): X402Settlement | undefined {
  const response = decodeJson(value, RESPONSE_BYTES_MAX);
  if (!isRecord(response)) return undefined;
  const { success, transaction, network, payer, errorReason } = response;
  if (typeof success !== 'boolean' || typeof transaction !== 'string' || typeof network !== 'string')
    return undefined;
  if (payer !== undefined && typeof payer !== 'string') return undefined;
  if (errorReason !== undefined && typeof errorReason !== 'string') return undefined;
  return { success, transaction, network: findX402Network(network)?.caip2 ?? network, payer, errorReason };
}

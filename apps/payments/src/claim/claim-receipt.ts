import { decodeReceipt, encodeReceipt } from '@svc/protocols';
import type { PresentedPayment, RailFamily, Settlement } from '../rail/rail.js';
import type { CalledUrl, StoredReceipt } from '../receipt/stored-receipt.js';

const RECEIPT_HEADER = 'Payment-Receipt';

type Settled = Pick<Extract<Settlement, { outcome: 'settled' }>, 'reference' | 'headers'>;

/**
 * The receipt of a payment: the `Payment-Receipt` of MPP where its rail speaks it, and what the rail's protocol wants.
 * @param called what the payment is for, as its signed receipt names it
 */
export function receiptOf(
  family: RailFamily,
  payment: PresentedPayment,
  { reference, headers }: Settled,
  called: CalledUrl | undefined,
): StoredReceipt {
  const { rail, amountMicroUsd, amountSats, challengeId, method = family, chain } = payment;
  const timestamp = new Date().toISOString();
  const receipt = encodeReceipt({
    status: 'success',
    method,
    timestamp,
    reference,
    ...(challengeId === undefined ? {} : { challengeId }),
  });
  return {
    rail,
    reference,
    amountMicroUsd,
    amountSats,
    timestamp,
    headers: { [RECEIPT_HEADER]: receipt, ...headers },
    ...(called && { called }),
    ...(chain && { chain }),
  };
}

/** The receipt of a payment whose settlement was found out later than its claim. */
export function receiptFound(first: StoredReceipt, { reference, headers }: Settled): StoredReceipt {
  const timestamp = new Date().toISOString();
  const said = decodeReceipt(first.headers[RECEIPT_HEADER] ?? '');
  const receipt = said && { [RECEIPT_HEADER]: encodeReceipt({ ...said, timestamp, reference }) };
  return { ...first, reference, timestamp, headers: { ...receipt, ...headers } };
}

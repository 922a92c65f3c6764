import type { Receipt } from '@svc/contracts';
import { decodeReceipt, encodeReceipt } from '@svc/protocols';
import type { PresentedPayment, RailFamily, Settlement } from '../rail/rail.js';

const RECEIPT_HEADER = 'Payment-Receipt';

type Settled = Pick<Extract<Settlement, { outcome: 'settled' }>, 'reference' | 'headers'>;

/** The receipt of a payment: the `Payment-Receipt` of MPP where its rail speaks it, and what the rail's protocol wants. */
export function receiptOf(
  family: RailFamily,
  payment: PresentedPayment,
  { reference, headers }: Settled,
): Receipt {
  const { rail, amountMicroUsd, amountSats, challengeId, method = family } = payment;
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
  };
}

/** The receipt of a payment whose settlement was found out later than its claim. */
export function receiptFound(first: Receipt, { reference, headers }: Settled): Receipt {
  const timestamp = new Date().toISOString();
  const said = decodeReceipt(first.headers[RECEIPT_HEADER] ?? '');
  const receipt = said && { [RECEIPT_HEADER]: encodeReceipt({ ...said, timestamp, reference }) };
  return { ...first, reference, timestamp, headers: { ...receipt, ...headers } };
}

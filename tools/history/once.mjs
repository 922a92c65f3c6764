import { isAccount, isUndecided, numbers, paidTries } from './history.mjs';

/** @typedef {import('./history.mjs').History} History */
/** @typedef {import('./history-lines.mjs').Finding} Finding */

/** One payment, one answer, one delivery, one charge. @type {Record<string, (history: History) => Finding[]>} */
export const ONCE = {
  'once/one-answer': oneAnswer,
  'once/one-delivery': oneDelivery,
  'once/one-charge': oneCharge,
};

/** A payment that is shown again has the same bytes and the same receipt, and the same holds where a receipt is shown again. */
function oneAnswer({ purchases }) {
  const findings = [];
  const differ = (what, tries) => {
    const ends = tries.map(({ end }) => end);
    const kinds = new Set(ends.map(({ status, body, receipt }) => [status, body, receipt].join()));
    if (kinds.size > 1)
      findings.push({ why: `${what} has ${kinds.size} different answers`, lines: numbers(ends) });
  };
  for (const purchase of purchases.filter(({ isOneTime }) => isOneTime))
    differ(`the payment ${purchase.payment}`, paidTries(purchase));
  const byReceipt = new Map();
  for (const each of purchases.flatMap(paidTries))
    byReceipt.set(each.end.receipt, [...(byReceipt.get(each.end.receipt) ?? []), each]);
  for (const [receipt, tries] of byReceipt) differ(`the receipt ${receipt}`, tries);
  return findings;
}

/** A payment is delivered once; and nothing is delivered that no payer asked for, or that its payer was told otherwise of. */
function oneDelivery(history) {
  const findings = [];
  const payments = new Set(history.claims.map(({ payment }) => payment));
  for (const payment of payments) {
    const purchases = history.purchases.filter(each => each.payment === payment);
    const deliveries = history.deliveriesOf(payment);
    const shown = new Set(purchases.flatMap(paidTries).map(({ end }) => end.receipt));
    const silent = deliveries.filter(({ receipt }) => !shown.has(receipt));
    const undecided = purchases.filter(isUndecided).length;
    if (!isAccount(payment) && deliveries.length > 1)
      findings.push({
        why: `${payment} is delivered ${deliveries.length} times`,
        lines: numbers(deliveries),
      });
    else if (silent.length > undecided)
      findings.push({
        why: `${silent.length} deliveries for ${payment} were shown to no payer, and ${undecided} purchases are undecided`,
        lines: numbers(silent),
      });
    findings.push(...repeatedKeys(payment, deliveries));
  }
  return findings;
}

/** Deliveries of one account for one operation under one Idempotency-Key. */
function repeatedKeys(payment, deliveries) {
  const byKey = new Map();
  for (const claim of deliveries.filter(
    ({ idempotency }) => isAccount(payment) && idempotency !== undefined,
  )) {
    const name = `${claim.operation} ${claim.idempotency}`;
    byKey.set(name, [...(byKey.get(name) ?? []), claim]);
  }
  return [...byKey.values()]
    .filter(claims => claims.length > 1)
    .map(claims => ({
      why: `one Idempotency-Key of ${payment} bought ${claims.length} times`,
      lines: numbers(claims),
    }));
}

/** A rail takes the money of a payment once. */
function oneCharge({ money }) {
  const byPayment = new Map();
  for (const line of money.filter(({ what, payment }) => what === 'in' && payment !== undefined))
    byPayment.set(line.payment, [...(byPayment.get(line.payment) ?? []), line]);
  return [...byPayment]
    .filter(([, taken]) => taken.length > 1)
    .map(([payment, taken]) => ({
      why: `${payment} was charged ${taken.length} times`,
      lines: numbers(taken),
    }));
}

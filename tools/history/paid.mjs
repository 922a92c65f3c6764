import { isAccount, numbers, paidTries, payerOf, sum } from './history.mjs';

/** @typedef {import('./history.mjs').History} History */
/** @typedef {import('./history-lines.mjs').Finding} Finding */

/** What was answered was paid for, and what was paid has come to something. @type {Record<string, (history: History) => Finding[]>} */
export const PAID = {
  'paid/receipt': receipt,
  'paid/delivery': delivery,
  'paid/debit': debit,
  'paid/not-charged': notCharged,
  'paid/pay-anew': payAnew,
  'paid/kept': kept,
  'paid/owner': owner,
  'paid/ended': ended,
};

const MICRO_USD_PER_SAT = 500;
const HAS_BOUGHT = ['delivered', 'credited'];

/** A call that has a price is answered with a receipt, or says that it was not charged. */
function receipt({ purchases, prices }) {
  return purchases
    .flatMap(({ tries }) => tries)
    .filter(
      ({ ask, end }) => prices.has(ask.route) && end.status >= 200 && end.status < 300 && end.status !== 202,
    )
    .filter(({ end }) => end.receipt === undefined && !end.uncharged)
    .map(({ ask, end }) => ({
      why: `${ask.route} was answered without a receipt`,
      lines: numbers([ask, end]),
    }));
}

/** Each receipt stands for one delivery to whom it was shown, at the price of its route. */
function delivery(history) {
  return history.purchases.flatMap(purchase =>
    paidTries(purchase).flatMap(({ ask, end }) => {
      const fault = (why, ...lines) => [
        { why: `the receipt ${end.receipt} ${why}`, lines: numbers([ask, end, ...lines]) },
      ];
      const claims = history.claims.filter(claim => claim.receipt === end.receipt);
      const bought = claims.filter(({ state }) => state === 'delivered');
      if (bought.length !== 1) return fault(`stands for ${bought.length} deliveries`, ...claims);
      const [claim] = bought;
      if (payerOf(claim.payment) !== payerOf(purchase.payment))
        return fault(`is that of ${claim.payment}`, claim);
      const price = history.prices.get(ask.route);
      if (price === undefined) return fault(`is for ${ask.route}, whose price nothing says`, claim);
      return claim.amount === price ? [] : fault(`is for ${claim.amount}, and the price is ${price}`, claim);
    }),
  );
}

/** What a rail may take beyond a price, by what it can count: a card has a least charge, of which the rest is credit. */
const EXCESS_MAX = { card: Infinity, chain: 0, lightning: MICRO_USD_PER_SAT - 1 };

/** Each delivery was paid by its rail, or by its account, for just its price. */
function debit(history) {
  return history.claims
    .filter(({ state }) => state === 'delivered')
    .flatMap(claim => {
      const { why, lines = [] } = (claim.funding === 'rail' ? railFault : accountFault)(history, claim) ?? {};
      return why ? [{ why: `the delivery ${claim.id} ${why}`, lines: numbers([claim, ...lines]) }] : [];
    });
}

function railFault({ money }, { payment, charged, amount }) {
  const [taken] = money.filter(line => line.what === 'in' && line.payment === payment);
  if (!taken) return { why: `is paid by ${payment}, from which no rail took anything` };
  const fault = why => ({ why, lines: [taken] });
  if (charged !== taken.amount) return fault(`says ${charged}, and ${taken.amount} were taken`);
  const excess = taken.amount - amount;
  return excess < 0 || excess > EXCESS_MAX[taken.rail]
    ? fault(`costs ${amount}, and ${taken.amount} were taken`)
    : undefined;
}

function accountFault(history, { id, funding, amount }) {
  const due = funding === 'quota' ? 0 : amount;
  const booked = -history.booked(({ claim, account }) => claim === id && account.startsWith('customer/'));
  return booked === due ? undefined : { why: `costs its account ${due}, and ${booked} were booked` };
}

/** The claims of a purchase that was one, and the money of it that a rail has and has not given back. */
function standing(history, { payment, idempotency }) {
  const sold = history
    .deliveriesOf(payment)
    .filter(claim => !isAccount(payment) || claim.idempotency === idempotency);
  const money = history.money.filter(line => line.payment === payment && line.rail !== 'lightning');
  const taken = money.filter(({ what }) => what === 'in');
  const isKept = sum(taken) > sum(money.filter(({ what }) => what === 'back'));
  return { sold, taken: isKept ? taken : [] };
}

/**
 * Where all that a payer was told is that it was not charged, it was not: what pays by itself, as Lightning, is still its payer's. An
 * answer that says nothing makes its payment credit.
 */
function notCharged(history) {
  return history.purchases
    .filter(
      ({ isOneTime, tries }) => isOneTime && tries.every(({ end }) => end.charged === 'no' || end.uncharged),
    )
    .flatMap(purchase => {
      const { sold, taken } = standing(history, purchase);
      const mayBeCredit = purchase.tries.some(({ end }) => end.uncharged);
      const offending = mayBeCredit ? sold : [...sold, ...taken];
      const told = purchase.tries.map(({ end }) => end);
      const why = `${purchase.payment} was told that it was not charged, and it was`;
      return offending.length === 0 ? [] : [{ why, lines: numbers([...told, ...offending]) }];
    });
}

/** Who was told at last to pay anew for the same request has bought nothing by what it paid before. */
function payAnew(history) {
  return history.purchases.flatMap(purchase => {
    const { tries, isOneTime, payment } = purchase;
    const last = tries.at(-1);
    const isLast = tries.slice(0, -1).every(({ end }) => end.number < last.ask.number);
    const isSame = tries.every(({ ask }) => ask.body === last.ask.body && ask.route === last.ask.route);
    if (!isOneTime || !isLast || !isSame || last.end.status !== 402 || last.end.retry !== 'pay') return [];
    const { sold } = standing(history, purchase);
    const why = `${payment} was told to pay anew, and has bought its answer`;
    return sold.length === 0 ? [] : [{ why, lines: numbers([last.ask, last.end, ...sold]) }];
  });
}

/** A payment that is said to be kept is: it has a delivery or a credit, or its rail has given it back. */
function kept(history) {
  return history.purchases
    .filter(({ payment }) => !isAccount(payment))
    .flatMap(({ payment, tries }) => {
      const said = tries.filter(({ end }) => end.charged === 'yes' || end.uncharged);
      const has =
        history.claims.some(claim => claim.payment === payment && HAS_BOUGHT.includes(claim.state)) ||
        history.money.some(line => line.payment === payment && line.what === 'back');
      const why = `${payment} was told that it is kept, and there is neither a delivery nor a credit of it`;
      return said.length === 0 || has ? [] : [{ why, lines: numbers(said.map(({ end }) => end)) }];
    });
}

/** What a rail took has become a delivery or a credit, or went back. A Lightning invoice is paid before anybody claims it. */
function owner({ money, claims }) {
  return money
    .filter(({ what }) => what === 'in')
    .flatMap(line => {
      const own = claims.filter(({ payment }) => payment === line.payment);
      if (line.rail === 'lightning' && own.length === 0) return [];
      const back = sum(money.filter(({ what, payment }) => what === 'back' && payment === line.payment));
      if (own.some(({ state }) => HAS_BOUGHT.includes(state)) || back >= line.amount) return [];
      const why = `${line.amount} of ${line.payment ?? line.reference} belong to no payer`;
      return [{ why, lines: numbers([line, ...own]) }];
    });
}

/** Nothing is under way or in doubt at the end. */
function ended({ claims }) {
  return claims
    .filter(
      ({ state, settlement }) =>
        ['claimed', 'settled', 'unknown'].includes(state) || ['pending', 'unknown'].includes(settlement),
    )
    .map(claim => ({
      why: `the claim ${claim.id} is ${claim.state}, its money ${claim.settlement}`,
      lines: [claim.number],
    }));
}

import { readLines } from './history-lines.mjs';

/** @typedef {import('./history-lines.mjs').Line} Line */

/**
 * @typedef {object} Purchase what one payer asked for once, in as many tries as it took
 * @property {string} payment `account:ID` where a key pays
 * @property {boolean} isOneTime its credential, or its Idempotency-Key, buys one answer, however often it is shown
 * @property {string | undefined} idempotency
 * @property {number} price of its dearest try, 0 where no answer has offered one
 * @property {{ ask: Line; end: Line }[]} tries `end` is the answer, or that it was lost
 */

/** A history, put together by purchases, payments and claims: what the rules look at. */
export class History {
  /** @param {string} text as history-lines.mjs says */
  constructor(text) {
    const { lines, findings } = readLines(text);
    this.faults = findings;
    const of = kind => lines.filter(line => line.kind === kind);
    this.asks = of('ask');
    this.claims = of('claim');
    this.money = of('money');
    this.entries = of('entry');
    this.accounts = of('account');
    this.grants = of('grant');
    this.shown = of('shown');
    this.ends = new Map([...of('answer'), ...of('lost')].map(line => [line.id, line]));
    this.accountOfKey = new Map(this.accounts.flatMap(({ id, keys }) => keys.map(key => [key, id])));
    this.prices = this.#pricesOfRoutes();
    this.purchases = this.#purchases();
  }

  /** Whatever pays: of a key its account. */
  paymentOf({ payment }) {
    if (!payment?.startsWith('key:')) return payment;
    const account = this.accountOfKey.get(payment.slice('key:'.length));
    return account === undefined ? payment : `account:${account}`;
  }

  /** Sum of the ledger's entries that a test picks. @param {(entry: Line) => boolean} isMeant */
  booked(isMeant) {
    return sum(this.entries.filter(isMeant));
  }

  /** Claims that were delivered for a payment. */
  deliveriesOf(payment) {
    return this.claims.filter(claim => claim.state === 'delivered' && claim.payment === payment);
  }

  #pricesOfRoutes() {
    const prices = new Map();
    for (const { id, route } of this.asks) {
      const price = this.ends.get(id)?.price;
      if (price !== undefined) prices.set(route, price);
    }
    return prices;
  }

  /** @returns {Purchase[]} */
  #purchases() {
    const found = new Map();
    for (const ask of this.asks.filter(({ payment }) => payment !== undefined)) {
      const payment = this.paymentOf(ask);
      const isKey = ask.payment.startsWith('key:');
      const { idempotency } = ask;
      const same = isKey
        ? [payment, idempotency === undefined ? ask.id : `${ask.route} ${idempotency}`]
        : [payment];
      const name = same.join('\n');
      const isOneTime = !isKey || idempotency !== undefined;
      const purchase = found.get(name) ?? {
        payment,
        isOneTime,
        idempotency: isKey ? idempotency : undefined,
        price: 0,
        tries: [],
      };
      purchase.price = Math.max(purchase.price, this.prices.get(ask.route) ?? 0);
      purchase.tries.push({ ask, end: this.ends.get(ask.id) });
      found.set(name, purchase);
    }
    return [...found.values()];
  }
}

/** Answers that say that they were paid for. @param {Purchase} purchase */
export const paidTries = ({ tries }) => tries.filter(({ end }) => end.receipt !== undefined);

/** Whether a try may or may not have bought its answer: it was lost, goes on, says so itself, or is an error that says nothing. */
export function isOpen({ end }) {
  if (end.kind === 'lost' || end.charged === 'unknown') return true;
  if (end.status >= 400) return end.charged === undefined;
  return end.status === 202 && end.receipt === undefined;
}

/** Whether nothing that the payer was told decides what it bought. @param {Purchase} purchase */
export const isUndecided = purchase => paidTries(purchase).length === 0 && purchase.tries.some(isOpen);

/** Who pays: of payments on a chain all those of one payer, who has the answer to the first again where it pays twice. */
export const payerOf = payment =>
  payment.startsWith('chain:') ? payment.split(':').slice(0, 2).join(':') : payment;

export const isAccount = payment => payment.startsWith('account:') || payment.startsWith('key:');

/** @param {{ amount: number }[]} lines */
export const sum = lines => lines.reduce((total, { amount }) => total + amount, 0);

/** The lines' numbers. @param {Line[]} lines */
export const numbers = lines => lines.map(({ number }) => number);

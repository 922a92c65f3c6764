const ROUTE = 'POST /v1/work';
const PRICE = 1_000;
/** What a card is charged at least; what is more than the price is credit. */
const CARD_CHARGE = 500_000;
const RAILS = ['card', 'chain', 'lightning'];

/** Numbers of a seed, below 1 (mulberry32). @param {number} seed */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A service that keeps its books well, and what its payers, rails and books say of it, line by line. */
class GoodService {
  lines = [{ kind: 'begin', version: 1, name: 'random' }];
  #claims = [];
  #entries = [];
  #accounts = [];
  #count = 0;

  constructor(random) {
    this.random = random;
    const asked = this.ask(undefined);
    this.answer(asked, { status: 402, code: 'PAYMENT_REQUIRED', charged: 'no', retry: 'pay', price: PRICE });
  }

  next = () => ++this.#count;
  pick = list => list[Math.floor(this.random() * list.length)];
  isHeads = () => this.random() < 0.5;

  ask(payment, { body = `body ${this.next()}`, idempotency } = {}) {
    const ask = { kind: 'ask', id: this.next(), route: ROUTE, body };
    this.lines.push({ ...ask, ...(payment && { payment }), ...(idempotency && { idempotency }) });
    return ask;
  }

  answer({ id }, answer) {
    this.lines.push({ kind: 'answer', id, body: `answer ${id}`, ...answer });
  }

  lose({ id }) {
    this.lines.push({ kind: 'lost', id, why: 'the connection ended' });
  }

  post(claim, legs) {
    const transaction = `t${this.next()}`;
    for (const [account, amount] of legs) {
      this.#entries.push({ kind: 'entry', transaction, account, amount, ...(claim && { claim: claim.id }) });
      const customer = this.#accounts.find(({ id }) => account === `customer/${id}`);
      if (customer) customer.balance += amount;
    }
  }

  open(isPlan) {
    const id = `a${this.next()}`;
    const account = { kind: 'account', id, keys: [`k${id}`], balance: 0, used: 0 };
    this.#accounts.push(account);
    if (!isPlan) {
      this.post(undefined, [
        ['given', -3 * PRICE],
        [`customer/${id}`, 3 * PRICE],
      ]);
      this.lines.push({ kind: 'grant', account: id, amount: 3 * PRICE });
    }
    return account;
  }

  claim(members) {
    const id = `c${this.next()}`;
    const claim = {
      kind: 'claim',
      id,
      operation: 'work',
      receipt: id,
      amount: PRICE,
      settlement: 'settled',
      state: 'claimed',
    };
    this.#claims.push({ ...claim, ...members });
    return this.#claims.at(-1);
  }

  /** Takes the money of a payment of a rail, and holds its price. */
  settle(rail, payment) {
    const charged = rail === 'card' ? CARD_CHARGE : PRICE;
    const claim = this.claim({ payment, funding: 'rail', charged });
    if (rail !== 'lightning') this.take(rail, payment);
    claim.credit = this.#derived();
    const rest = charged - PRICE;
    this.post(claim, [[`rail/${rail}`, -charged], ['held', PRICE], ...(rest ? [[claim.credit, rest]] : [])]);
    return claim;
  }

  take(rail, payment) {
    const amount = rail === 'card' ? CARD_CHARGE : PRICE;
    this.lines.push({ kind: 'money', rail, what: 'in', reference: `r${this.next()}`, amount, payment });
  }

  #derived() {
    const id = `a${this.next()}`;
    this.#accounts.push({ kind: 'account', id, keys: [], balance: 0, used: 0 });
    return `customer/${id}`;
  }

  /** Holds the price of a call by key, or counts it. */
  hold(account, isPlan, idempotency) {
    const common = { payment: `account:${account.id}`, ...(idempotency && { idempotency }) };
    const claim = this.claim({ ...common, funding: isPlan ? 'quota' : 'credit' });
    claim.credit = `customer/${account.id}`;
    if (isPlan) account.used++;
    else
      this.post(claim, [
        [claim.credit, -PRICE],
        ['held', PRICE],
      ]);
    return claim;
  }

  deliver(claim) {
    if (claim.funding !== 'quota')
      this.post(claim, [
        ['held', -PRICE],
        ['sold', PRICE],
      ]);
    claim.state = 'delivered';
  }

  release(claim, account) {
    if (claim.funding === 'quota') account.used--;
    else
      this.post(claim, [
        ['held', -PRICE],
        [claim.credit, PRICE],
      ]);
    claim.state = 'credited';
  }

  holdAgain(claim) {
    this.post(claim, [
      [claim.credit, -PRICE],
      ['held', PRICE],
    ]);
    claim.state = 'claimed';
  }

  /** All lines, the books at the end of them. */
  end() {
    const claims = this.#claims.map(({ credit: _credit, ...claim }) => claim);
    const all = [...this.lines, ...claims, ...this.#entries, ...this.#accounts];
    return [...all, { kind: 'end', lines: all.length }];
  }
}

const FAILED = { status: 500, code: 'INTERNAL', retry: 'same' };

/** A purchase over a rail, which comes to one of all ends that are good. */
function buyByRail(service) {
  const rail = service.pick(RAILS);
  const payment = `${rail}:p${service.next()}${rail === 'chain' ? ':n' : ''}`;
  const body = `body of ${payment}`;
  const ask = () => service.ask(payment, { body });
  if (rail === 'lightning') service.take(rail, payment);
  let claim;
  const paid = asked =>
    service.answer(asked, { status: 200, body: `bought ${claim.id}`, receipt: claim.receipt });
  const first = ask();
  const end = service.pick(['bought', 'lost', 'never-back', 'credited', 'refused', 'failed', 'uncharged']);
  if (end === 'refused')
    return service.answer(first, { status: 402, code: 'PAYMENT_INVALID', charged: 'no', retry: 'pay' });
  if (end === 'never-back' && service.isHeads()) return service.lose(first);
  claim = service.settle(rail, payment);
  if (end === 'credited' || end === 'uncharged' || end === 'failed') {
    service.release(claim);
    if (end === 'credited') return service.lose(first);
    if (end === 'uncharged') return service.answer(first, { status: 200, uncharged: true });
    service.answer(first, { ...FAILED, charged: 'yes' });
    if (service.isHeads()) return undefined;
    service.holdAgain(claim);
  }
  service.deliver(claim);
  if (end === 'never-back') return service.lose(first);
  if (end === 'bought') paid(first);
  else if (end === 'lost') service.lose(first);
  if (end === 'lost' && service.isHeads())
    service.answer(ask(), { status: 409, code: 'PAYMENT_IN_FLIGHT', charged: 'unknown', retry: 'same' });
  for (let again = service.isHeads() ? 2 : 1; again > 0; again--) paid(ask());
  return undefined;
}

/** A purchase by a key, of a plan or of credit, with an Idempotency-Key or without. */
function buyByKey(service, account, isPlan) {
  const idempotency = service.isHeads() ? `i${service.next()}` : undefined;
  const body = `body ${service.next()}`;
  const ask = () => service.ask(`key:${account.keys[0]}`, { body, idempotency });
  const first = ask();
  if (!isPlan && account.balance < PRICE)
    return service.answer(first, { status: 402, code: 'PAYMENT_INSUFFICIENT', charged: 'no', retry: 'pay' });
  const end = service.pick(['bought', 'lost', 'never-asked', 'failed', 'uncharged']);
  if (end === 'never-asked') return service.lose(first);
  const claim = service.hold(account, isPlan, idempotency);
  if (end === 'failed' || end === 'uncharged') {
    service.release(claim, account);
    return service.answer(
      first,
      end === 'failed' ? { ...FAILED, charged: 'no' } : { status: 200, uncharged: true },
    );
  }
  service.deliver(claim);
  const paid = asked =>
    service.answer(asked, { status: 200, body: `bought ${claim.id}`, receipt: claim.receipt });
  if (end === 'lost') service.lose(first);
  else paid(first);
  // Without an Idempotency-Key, too, the same request has the same answer for a minute.
  if (service.isHeads()) paid(ask());
  return undefined;
}

/**
 * The history of a service that does everything right: purchases over every rail and by key, each of which comes to any end that is
 * good, with answers that are lost and asked for again.
 *
 * @param {() => number} random
 * @param {number} purchaseCount
 * @returns {Record<string, any>[]} its lines, all but their times
 */
export function randomHistory(random, purchaseCount) {
  const service = new GoodService(random);
  const accounts = [false, true, false].map(isPlan => ({ account: service.open(isPlan), isPlan }));
  for (let left = purchaseCount; left > 0; left--) {
    const { account, isPlan } = service.pick(accounts);
    if (service.isHeads()) buyByRail(service);
    else buyByKey(service, account, isPlan);
  }
  return service.end();
}

/** Lines as a file has them. @param {Record<string, any>[]} lines */
export const textOf = lines => lines.map((line, at) => `${JSON.stringify({ at, ...line })}\n`).join('');

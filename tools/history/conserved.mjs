import { numbers, paidTries, sum } from './history.mjs';

/** @typedef {import('./history.mjs').History} History */
/** @typedef {import('./history-lines.mjs').Finding} Finding */

/** What came in is what was sold, what is owed, and what went back. @type {Record<string, (history: History) => Finding[]>} */
export const CONSERVED = {
  'conserved/zero': zero,
  'conserved/claim': ofClaims,
  'conserved/rail': ofRails,
  'conserved/balance': balances,
  'conserved/spending': spending,
  'conserved/whole': whole,
};

/** Each transaction of the ledger sums to zero, and so does all of it. */
function zero({ entries }) {
  const byTransaction = new Map();
  for (const entry of entries)
    byTransaction.set(entry.transaction, [...(byTransaction.get(entry.transaction) ?? []), entry]);
  return [...byTransaction]
    .filter(([, legs]) => sum(legs) !== 0)
    .map(([id, legs]) => ({ why: `the transaction ${id} sums to ${sum(legs)}`, lines: numbers(legs) }));
}

/** Where the money of each claim lies is where its state says. */
function ofClaims(history) {
  return history.claims.flatMap(claim => {
    const own = history.entries.filter(entry => entry.claim === claim.id);
    const at = place =>
      sum(own.filter(({ account }) => account === place || account.startsWith(`${place}/`)));
    const isPaidFor = claim.funding !== 'quota' && claim.settlement === 'settled';
    const isHeld = isPaidFor && ['claimed', 'settled'].includes(claim.state);
    const due = {
      rail: claim.funding === 'rail' && isPaidFor ? -(claim.charged ?? 0) : 0,
      held: isHeld ? claim.amount : 0,
      sold: isPaidFor && claim.state === 'delivered' ? claim.amount : 0,
    };
    const wrong = Object.keys(due).filter(place => at(place) !== due[place]);
    const why = wrong.map(place => `${place} has ${at(place)} for ${due[place]}`).join(', ');
    return wrong.length === 0
      ? []
      : [{ why: `the claim ${claim.id} is ${claim.state}, and ${why}`, lines: numbers([claim, ...own]) }];
  });
}

/** Of each rail the ledger has what the rail has, payment by payment: of Lightning, that of payments which were claimed. */
function ofRails(history) {
  const claimed = new Set(history.claims.map(({ payment }) => payment));
  return ['card', 'chain', 'lightning'].flatMap(rail => {
    const seen = history.money.filter(
      line => line.rail === rail && (rail !== 'lightning' || claimed.has(line.payment)),
    );
    const net =
      sum(seen.filter(({ what }) => what === 'in')) - sum(seen.filter(({ what }) => what === 'back'));
    const booked = -history.booked(({ account }) => account === `rail/${rail}`);
    const entries = history.entries.filter(({ account }) => account === `rail/${rail}`);
    const why = `${rail} has brought in ${net}, and the ledger says ${booked}`;
    return net === booked ? [] : [{ why, lines: numbers([...seen, ...entries]) }];
  });
}

/** The balance of a customer is what its entries sum to, never less than nothing, and what the customer is shown. */
function balances({ accounts, entries, shown }) {
  const known = new Set(accounts.map(({ id }) => `customer/${id}`));
  const strangers = entries.filter(({ account }) => account.startsWith('customer/') && !known.has(account));
  const booked = accounts.flatMap(account => {
    const own = entries.filter(entry => entry.account === `customer/${account.id}`);
    const why = `${account.id} has ${account.balance}, and its entries sum to ${sum(own)}`;
    const isGood = account.balance >= 0 && account.balance === sum(own);
    return isGood ? [] : [{ why, lines: numbers([account, ...own]) }];
  });
  const told = shown.flatMap(line => {
    const account = accounts.find(({ keys }) => keys.includes(line.key));
    if (account && account.balance === line.balance && account.used === line.used) return [];
    const why = `${line.key} is shown ${line.balance} and ${line.used} requests used, and has ${account?.balance} and ${account?.used}`;
    return [{ why, lines: numbers([line, ...(account ? [account] : [])]) }];
  });
  const lost = { why: 'entries of accounts that are not there', lines: numbers(strangers) };
  return [...booked, ...told, ...(strangers.length > 0 ? [lost] : [])];
}

/**
 * What answers cost: of each receipt that was shown the price of its route, and of each delivery that no payer was shown what it says.
 * A purchase that is undecided has either a delivery, which counts, or costs nothing.
 */
function costOf(purchases, deliveries) {
  const costs = new Map(deliveries.map(({ receipt, amount }) => [receipt, amount]));
  for (const purchase of purchases)
    for (const { end } of paidTries(purchase)) costs.set(end.receipt, purchase.price);
  return { money: [...costs.values()].reduce((total, cost) => total + cost, 0), count: costs.size };
}

/** What an account has had less what it has left is what its answers cost, in money and in requests of its plan. */
function spending(history) {
  return history.accounts.flatMap(account => {
    const own = history.purchases.filter(({ payment }) => payment === `account:${account.id}`);
    const { counted, paid } = divided(history, own, history.deliveriesOf(`account:${account.id}`));
    const spent = hadBy(history, account) - account.balance;
    const cost = costOf(paid.purchases, paid.deliveries).money;
    const { count } = costOf(counted.purchases, counted.deliveries);
    const ends = own.flatMap(({ tries }) => tries.map(({ end }) => end));
    const why = [
      ...(spent === cost ? [] : [`has spent ${spent}, and its answers cost ${cost}`]),
      ...(account.used === count ? [] : [`has used ${account.used} requests for ${count} answers`]),
    ].join(', and ');
    return why === '' ? [] : [{ why: `${account.id} ${why}`, lines: numbers([account, ...ends]) }];
  });
}

/** What an account has had: what it was given, and what payments over rails left it. */
function hadBy(history, { id }) {
  const byRail = new Set(history.claims.filter(({ funding }) => funding === 'rail').map(claim => claim.id));
  const left = history.booked(({ account, claim }) => account === `customer/${id}` && byRail.has(claim));
  return left + sum(history.grants.filter(({ account }) => account === id));
}

/** Those that requests of a plan paid for, and those that money did. */
function divided({ claims }, purchases, deliveries) {
  const byQuota = new Set(claims.filter(({ funding }) => funding === 'quota').map(({ receipt }) => receipt));
  const isCounted = purchase => paidTries(purchase).some(({ end }) => byQuota.has(end.receipt));
  const ofFunding = isQuota => ({
    purchases: purchases.filter(purchase => isCounted(purchase) === isQuota),
    deliveries: deliveries.filter(({ funding }) => (funding === 'quota') === isQuota),
  });
  return { counted: ofFunding(true), paid: ofFunding(false) };
}

/** From the rails, the grants and the balances alone: what is missing there is what the answers cost. */
function whole(history) {
  const claimed = new Set(history.claims.map(({ payment }) => payment));
  const counts = history.money.filter(({ rail, payment }) => rail !== 'lightning' || claimed.has(payment));
  const came =
    sum(counts.filter(({ what }) => what === 'in')) - sum(counts.filter(({ what }) => what === 'back'));
  const given = sum(history.grants);
  const owed = history.accounts.reduce((total, { balance }) => total + balance, 0);
  const sold = came + given - owed - history.booked(({ account }) => account === 'held');
  const delivered = history.claims.filter(({ state }) => state === 'delivered');
  const { paid } = divided(history, history.purchases, delivered);
  const cost = costOf(paid.purchases, paid.deliveries).money;
  if (sold === cost) return [];
  const why = `${came} came in, ${given} were given, ${owed} are owed: ${sold} for answers that cost ${cost}`;
  return [{ why, lines: numbers([...counts, ...history.grants, ...history.accounts]) }];
}

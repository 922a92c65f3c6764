/** One of the lines that a test picks. */
function one(random, lines, isMeant) {
  const found = lines.filter(isMeant);
  return found[Math.floor(random() * found.length)];
}

const without = (lines, gone) => lines.filter(line => !gone.includes(line));
const changed = (lines, line, change) => lines.map(each => (each === line ? { ...each, ...change } : each));
const before = (lines, place, ...more) => lines.flatMap(line => (line === place ? [...more, line] : [line]));
const bought = kind => line =>
  line.kind === 'claim' && line.state === 'delivered' && (!kind || line.funding === kind);
const legsOf = (lines, claim) => lines.filter(line => line.kind === 'entry' && line.claim === claim.id);
const endOf = lines => lines.at(-1);
const isShown = (lines, claim) =>
  lines.some(line => line.kind === 'answer' && line.receipt === claim.receipt);

/** Whether it is the one purchase of its payer's that can have been this: all its tries were answered with its receipt. */
function isCertain(lines, claim) {
  const answers = lines.filter(line => line.kind === 'answer' && line.receipt === claim.receipt);
  const asks = lines.filter(line => line.kind === 'ask');
  const [first] = asks.filter(({ id }) => answers.some(answer => answer.id === id));
  const isSame = ({ payment, idempotency }) => payment === first.payment && idempotency === first.idempotency;
  return (
    first !== undefined &&
    (claim.funding === 'rail' || claim.idempotency !== undefined) &&
    asks.filter(isSame).length === answers.length
  );
}

/** The balance of an account is shown as it would be with so much more. */
function richer(lines, place, amount) {
  const account = lines.find(({ kind, id }) => kind === 'account' && `customer/${id}` === place);
  return changed(lines, account, { balance: account.balance + amount });
}

/** One more try of a purchase, with its answer. */
function askedAgain(lines, claim, answer) {
  const first = lines.find(line => line.kind === 'answer' && line.receipt === claim.receipt);
  const ask = lines.find(line => line.kind === 'ask' && line.id === first.id);
  const id = 1_000_000;
  return before(lines, endOf(lines), { ...ask, id }, { ...first, id, ...answer });
}

/** The entries of a claim are gone, and the balance is as if they had never been. */
function neverBooked(lines, claim) {
  const legs = legsOf(lines, claim);
  const gained = legs.filter(({ account }) => account.startsWith('customer/'));
  return gained.reduce((all, { account, amount }) => richer(all, account, -amount), without(lines, legs));
}

/**
 * Faults of a service, or of what it says of itself, as changes of a good history: each with the rules of which at least one has to
 * name it. A change gives nothing where the history has no place for it.
 *
 * @type {Record<string, { rules: string[]; change: (lines: Record<string, any>[], random: () => number) => Record<string, any>[] | undefined }>}
 */
export const FAULTS = {
  'an answer was given again with other bytes': {
    rules: ['once/one-answer'],
    change: (lines, random) => {
      const claim = one(random, lines, line => bought()(line) && isShown(lines, line));
      return claim && askedAgain(lines, claim, { body: 'other bytes' });
    },
  },
  'a payment bought a second answer': {
    rules: ['once/one-answer'],
    change: (lines, random) => {
      const claim = one(random, lines, line => bought('rail')(line) && isShown(lines, line));
      return claim && askedAgain(lines, claim, { body: 'other bytes', receipt: 'another receipt' });
    },
  },
  'a payment was delivered twice, and the second delivery was booked': {
    rules: ['once/one-delivery'],
    change: (lines, random) => {
      const claim = one(
        random,
        lines,
        line => bought()(line) && isShown(lines, line) && (line.funding === 'rail' || line.idempotency),
      );
      const again = claim && { ...claim, id: 'again', receipt: 'again' };
      const legs =
        claim &&
        legsOf(lines, claim).map(leg => ({ ...leg, transaction: `${leg.transaction}-2`, claim: 'again' }));
      return claim && before(lines, endOf(lines), again, ...legs);
    },
  },
  'a rail charged a payment twice': {
    rules: ['once/one-charge'],
    change: (lines, random) => {
      const money = one(random, lines, ({ kind }) => kind === 'money');
      return money && before(lines, endOf(lines), { ...money, reference: 'a second charge' });
    },
  },
  'a sale by credit was never booked': {
    rules: ['paid/delivery', 'paid/debit'],
    change: (lines, random) => {
      const claim = one(random, lines, bought('credit'));
      return claim && neverBooked(lines, claim);
    },
  },
  'a sale is not on record at all, and cost nothing': {
    rules: ['paid/delivery', 'conserved/spending'],
    change: (lines, random) => {
      const claim = one(random, lines, line => bought('credit')(line) && isShown(lines, line));
      return claim && without(neverBooked(lines, claim), [claim]);
    },
  },
  'an answer that has a price came without a receipt': {
    rules: ['paid/receipt'],
    change: (lines, random) => {
      const answer = one(random, lines, ({ kind, receipt }) => kind === 'answer' && receipt !== undefined);
      return answer && changed(lines, answer, { receipt: undefined });
    },
  },
  'a sale by plan was not counted': {
    rules: ['conserved/spending'],
    change: (lines, random) => {
      const claim = one(random, lines, line => bought('quota')(line) && isShown(lines, line));
      const account =
        claim && lines.find(({ kind, id }) => kind === 'account' && claim.payment === `account:${id}`);
      return account && changed(lines, account, { used: account.used - 1 });
    },
  },
  'a delivery was paid by nothing that a rail has': {
    rules: ['paid/debit'],
    change: (lines, random) => {
      const claim = one(random, lines, bought('rail'));
      const money = claim && lines.find(({ kind, payment }) => kind === 'money' && payment === claim.payment);
      return money && without(lines, [money]);
    },
  },
  'what an answer cost was not its price': {
    rules: ['paid/delivery'],
    change: (lines, random) => {
      const claim = one(random, lines, line => bought()(line) && isShown(lines, line));
      return claim && changed(lines, claim, { amount: 2 * claim.amount });
    },
  },
  'a payer was told that it was not charged, and was': {
    rules: ['paid/not-charged', 'once/one-delivery'],
    change: (lines, random) => {
      const claim = one(random, lines, line => bought()(line) && isCertain(lines, line));
      const told = { status: 500, code: 'INTERNAL', charged: 'no', retry: 'same', receipt: undefined };
      return (
        claim &&
        lines.map(line =>
          line.kind === 'answer' && line.receipt === claim.receipt ? { ...line, ...told } : line,
        )
      );
    },
  },
  'a payer was told to pay anew for what it had bought': {
    rules: ['paid/pay-anew'],
    change: (lines, random) => {
      const claim = one(random, lines, line => bought('rail')(line) && isShown(lines, line));
      return (
        claim &&
        askedAgain(lines, claim, {
          status: 402,
          code: 'PAYMENT_INVALID',
          charged: 'no',
          retry: 'pay',
          receipt: undefined,
        })
      );
    },
  },
  'a payment that is said to be kept is gone': {
    rules: ['paid/kept'],
    change: (lines, random) => {
      const claim = one(
        random,
        lines,
        ({ kind, state, payment }) =>
          kind === 'claim' && state === 'credited' && payment.startsWith('lightning:'),
      );
      const tried = claim && lines.find(({ kind, payment }) => kind === 'ask' && payment === claim.payment);
      const answer =
        tried &&
        lines.find(
          ({ kind, id, charged, uncharged }) =>
            kind === 'answer' && id === tried.id && (charged === 'yes' || uncharged),
        );
      return answer && without(neverBooked(lines, claim), [claim]);
    },
  },
  'a rail charged for nothing that is on record': {
    rules: ['paid/owner'],
    change: lines =>
      before(lines, endOf(lines), {
        kind: 'money',
        rail: 'card',
        what: 'in',
        reference: 'lost',
        amount: 500_000,
      }),
  },
  'a failed call kept its money': {
    rules: ['conserved/claim'],
    change: (lines, random) => {
      const claim = one(
        random,
        lines,
        ({ kind, state, funding }) => kind === 'claim' && state === 'credited' && funding !== 'quota',
      );
      if (!claim) return undefined;
      const back = legsOf(lines, claim).find(
        ({ account, amount }) => account.startsWith('customer/') && amount === claim.amount,
      );
      return richer(changed(lines, back, { account: 'sold' }), back.account, -claim.amount);
    },
  },
  'a failed call of a plan stayed counted, and its payer was told that it was not': {
    rules: ['conserved/spending'],
    change: (lines, random) => {
      const claim = one(
        random,
        lines,
        ({ kind, state, funding }) => kind === 'claim' && state === 'credited' && funding === 'quota',
      );
      const account =
        claim && lines.find(({ kind, id }) => kind === 'account' && claim.payment === `account:${id}`);
      const asks =
        account &&
        lines.filter(({ kind, payment }) => kind === 'ask' && payment === `key:${account.keys[0]}`);
      const isOpen = asks?.some(({ id }) => lines.some(line => line.kind === 'lost' && line.id === id));
      return account && !isOpen ? changed(lines, account, { used: account.used + 1 }) : undefined;
    },
  },
  'a purchase stays in doubt': {
    rules: ['paid/ended'],
    change: (lines, random) => {
      const claim = one(random, lines, ({ kind }) => kind === 'claim');
      return claim && changed(lines, claim, { state: 'unknown', settlement: 'unknown' });
    },
  },
  'one leg of a transaction is missing': {
    rules: ['conserved/zero'],
    change: (lines, random) => {
      const leg = one(random, lines, ({ kind }) => kind === 'entry');
      return leg && without(lines, [leg]);
    },
  },
  'the ledger has more of a rail than came': {
    rules: ['conserved/rail'],
    change: (lines, random) => {
      const account = one(random, lines, ({ kind }) => kind === 'account');
      const place = `customer/${account.id}`;
      const legs = [
        ['rail/card', -700],
        [place, 700],
      ].map(([at, amount]) => ({ kind: 'entry', transaction: 'x', account: at, amount }));
      return richer(before(lines, endOf(lines), ...legs), place, 700);
    },
  },
  'a balance is not what its entries sum to': {
    rules: ['conserved/balance'],
    change: (lines, random) => {
      const account = one(random, lines, ({ kind }) => kind === 'account');
      return changed(lines, account, { balance: account.balance + 1 });
    },
  },
  'an account was given credit without a payment': {
    rules: ['conserved/spending', 'conserved/whole'],
    change: (lines, random) => {
      const account = one(random, lines, ({ kind, keys }) => kind === 'account' && keys.length > 0);
      const place = `customer/${account.id}`;
      const legs = [
        ['given', -5_000_000],
        [place, 5_000_000],
      ];
      const entries = legs.map(([at, amount]) => ({ kind: 'entry', transaction: 'x', account: at, amount }));
      return richer(before(lines, endOf(lines), ...entries), place, 5_000_000);
    },
  },
  'the history was cut off': { rules: ['history/lines'], change: lines => lines.slice(0, -1) },
  'an ask has no end': {
    rules: ['history/lines'],
    change: (lines, random) =>
      without(lines, [one(random, lines, ({ kind }) => kind === 'lost' || kind === 'answer')]),
  },
};

/** A history after a change, whose last line counts what it has: unless that is gone. */
export const recounted = lines =>
  endOf(lines).kind === 'end' ? [...lines.slice(0, -1), { ...endOf(lines), lines: lines.length - 1 }] : lines;

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkHistory, RULE_NAMES } from './check-history.mjs';
import { textOf } from './random-history.mjs';

const PROVE = 'POST /v1/zk/prove';
const ask = (id, payment, more = {}) => ({ kind: 'ask', id, route: PROVE, body: 'b1', payment, ...more });
const paid = (id, receipt, more = {}) => ({
  kind: 'answer',
  id,
  status: 200,
  body: 'proof',
  receipt,
  ...more,
});
const refused = (id, charged, more = {}) => ({
  ...{ kind: 'answer', id, status: 402, body: 'problem', code: 'PAYMENT_INVALID', charged, retry: 'pay' },
  ...more,
});
const entries = (transaction, claim, ...legs) =>
  legs.map(([account, amount]) => ({ kind: 'entry', transaction, account, amount, ...(claim && { claim }) }));
const account = (id, balance, used = 0) => ({ kind: 'account', id, keys: [`k-${id}`], balance, used });

/**
 * Every way to pay once, each line under a name, so that a test can change it: a card whose first answer was lost, a Lightning invoice
 * whose call failed for good, a transfer on a chain, a key with credit that lost an answer, a key with a plan, and a refusal.
 */
const GOOD = {
  begin: { kind: 'begin', version: 1, name: 'written by hand' },
  offered: { kind: 'ask', id: 1, route: PROVE, body: 'none' },
  offer: { ...refused(1, 'no'), code: 'PAYMENT_REQUIRED', price: 1_000 },

  cardAsk: ask(2, 'card:c'),
  cardTaken: {
    kind: 'money',
    rail: 'card',
    what: 'in',
    reference: 'pi_1',
    amount: 500_000,
    payment: 'card:c',
  },
  cardLost: { kind: 'lost', id: 2, why: 'ECONNRESET' },
  cardWait: ask(3, 'card:c'),
  cardBusy: refused(3, 'unknown', { status: 409, code: 'PAYMENT_IN_FLIGHT', retry: 'same' }),
  cardAgain: ask(4, 'card:c'),
  cardPaid: paid(4, 'pi_1'),

  invoicePaid: {
    kind: 'money',
    rail: 'lightning',
    what: 'in',
    reference: 'ln',
    amount: 1_000,
    payment: 'lightning:l',
  },
  lightningAsk: ask(5, 'lightning:l'),
  lightningFailed: refused(5, 'yes', { status: 500, code: 'INTERNAL', retry: 'same' }),

  chainAsk: ask(6, 'chain:0xa:1', { body: 'b2' }),
  chainTaken: {
    kind: 'money',
    rail: 'chain',
    what: 'in',
    reference: '0x1',
    amount: 1_000,
    payment: 'chain:0xa:1',
  },
  chainPaid: paid(6, '0x1', { body: 'proof of b2' }),

  grant: { kind: 'grant', account: 'a', amount: 2_000 },
  creditAsk: ask(7, 'key:k-a', { idempotency: 'i' }),
  creditLost: { kind: 'lost', id: 7, why: 'ECONNRESET' },
  creditAgain: ask(8, 'key:k-a', { idempotency: 'i' }),
  creditPaid: paid(8, 'c-credit'),

  planAsk: ask(9, 'key:k-p'),
  planPaid: paid(9, 'c-plan'),

  refusedAsk: ask(10, 'chain:0xb:1'),
  refusal: refused(10, 'no'),

  cardClaim: {
    ...{
      kind: 'claim',
      id: 'c-card',
      operation: 'zk.prove',
      payment: 'card:c',
      receipt: 'pi_1',
      state: 'delivered',
    },
    ...{ settlement: 'settled', funding: 'rail', amount: 1_000, charged: 500_000 },
  },
  lightningClaim: {
    ...{
      kind: 'claim',
      id: 'c-ln',
      operation: 'zk.prove',
      payment: 'lightning:l',
      receipt: 'ln',
      state: 'credited',
    },
    ...{ settlement: 'settled', funding: 'rail', amount: 1_000, charged: 1_000 },
  },
  chainClaim: {
    ...{ kind: 'claim', id: 'c-chain', operation: 'zk.prove', payment: 'chain:0xa:1', receipt: '0x1' },
    ...{ state: 'delivered', settlement: 'settled', funding: 'rail', amount: 1_000, charged: 1_000 },
  },
  creditClaim: {
    ...{ kind: 'claim', id: 'c-credit', operation: 'zk.prove', payment: 'account:a', receipt: 'c-credit' },
    ...{ idempotency: 'i', state: 'delivered', settlement: 'settled', funding: 'credit', amount: 1_000 },
  },
  planClaim: {
    ...{ kind: 'claim', id: 'c-plan', operation: 'zk.prove', payment: 'account:p', receipt: 'c-plan' },
    ...{ state: 'delivered', settlement: 'settled', funding: 'quota', amount: 1_000 },
  },
  cardBooked: entries('t1', 'c-card', ['rail/card', -500_000], ['held', 1_000], ['customer/rest', 499_000]),
  cardSold: entries('t2', 'c-card', ['held', -1_000], ['sold', 1_000]),
  lightningBooked: entries('t3', 'c-ln', ['rail/lightning', -1_000], ['held', 1_000]),
  lightningBack: entries('t4', 'c-ln', ['held', -1_000], ['customer/ln', 1_000]),
  chainBooked: entries('t5', 'c-chain', ['rail/chain', -1_000], ['held', 1_000]),
  chainSold: entries('t6', 'c-chain', ['held', -1_000], ['sold', 1_000]),
  granted: entries('t7', undefined, ['given', -2_000], ['customer/a', 2_000]),
  creditSold: entries('t8', 'c-credit', ['customer/a', -1_000], ['sold', 1_000]),
  accounts: [account('rest', 499_000), account('ln', 1_000), account('a', 1_000), account('p', 0, 1)],
  shown: { kind: 'shown', key: 'k-a', balance: 1_000, used: 0 },
};

/** The good history with other lines in place of some, or with more behind one. */
function historyOf(changes = {}) {
  const lines = Object.values({ ...GOOD, ...changes }).flat();
  return textOf([...lines, { kind: 'end', lines: lines.length }]);
}
const rulesOf = text => [...new Set(checkHistory(text).findings.map(({ rule }) => rule))].sort();
const but = (name, change) => ({ [name]: { ...GOOD[name], ...change } });

/** Each with one fault, and every rule that it breaks. */
const FAULTS = [
  [
    'the card is answered a second time with other bytes',
    { cardPaid: [GOOD.cardPaid, ask(20, 'card:c'), paid(20, 'pi_1', { body: 'another proof' })] },
    ['once/one-answer'],
  ],
  [
    'one transfer bought two bodies under two receipts, and the ledger has one sale',
    {
      chainPaid: [
        GOOD.chainPaid,
        ask(20, 'chain:0xa:1', { body: 'b3' }),
        paid(20, '0x2', { body: 'proof of b3' }),
      ],
    },
    ['conserved/whole', 'once/one-answer', 'paid/delivery'],
  ],
  [
    'what was bought under one Idempotency-Key was bought once more, and all of it is booked',
    {
      creditClaim: [GOOD.creditClaim, { ...GOOD.creditClaim, id: 'c-more', receipt: 'c-more' }],
      creditSold: [...GOOD.creditSold, ...entries('t9', 'c-more', ['customer/a', -1_000], ['sold', 1_000])],
      accounts: [account('rest', 499_000), account('ln', 1_000), account('a', 0), account('p', 0, 1)],
      shown: { ...GOOD.shown, balance: 0 },
    },
    ['once/one-delivery'],
  ],
  [
    'a card was charged twice for one token, and the second charge is nowhere',
    { cardTaken: [GOOD.cardTaken, { ...GOOD.cardTaken, reference: 'pi_2' }] },
    ['conserved/rail', 'conserved/whole', 'once/one-charge'],
  ],
  [
    'an answer that has a price came without a receipt',
    but('chainPaid', { receipt: undefined }),
    ['once/one-delivery', 'paid/receipt'],
  ],
  [
    'an answer was given, and nothing of the sale is there',
    {
      ...{ creditClaim: [], creditSold: [], shown: { ...GOOD.shown, balance: 2_000 } },
      accounts: [account('rest', 499_000), account('ln', 1_000), account('a', 2_000), account('p', 0, 1)],
    },
    ['conserved/spending', 'conserved/whole', 'paid/delivery'],
  ],
  [
    'a receipt is that of another payer',
    but('refusal', {
      status: 200,
      receipt: '0x1',
      body: 'proof of b2',
      charged: undefined,
      retry: undefined,
      code: undefined,
    }),
    ['paid/delivery'],
  ],
  [
    'a sale took less from the account than its price',
    {
      creditSold: entries('t8', 'c-credit', ['customer/a', -900], ['sold', 900]),
      accounts: [account('rest', 499_000), account('ln', 1_000), account('a', 1_100), account('p', 0, 1)],
      shown: { ...GOOD.shown, balance: 1_100 },
    },
    ['conserved/claim', 'conserved/spending', 'conserved/whole', 'paid/debit'],
  ],
  [
    'a transfer took more than the price, and the rest became credit',
    {
      chainTaken: { ...GOOD.chainTaken, amount: 1_001 },
      chainClaim: { ...GOOD.chainClaim, charged: 1_001 },
      chainBooked: entries('t5', 'c-chain', ['rail/chain', -1_001], ['held', 1_000], ['customer/x', 1]),
      accounts: [...GOOD.accounts, account('x', 1)],
    },
    ['paid/debit'],
  ],
  [
    'a payer is told that nothing was charged, and the transfer was made and became credit',
    {
      refusal: [GOOD.refusal, { ...GOOD.chainTaken, payment: 'chain:0xb:1', reference: '0x9' }],
      chainClaim: [
        GOOD.chainClaim,
        { ...GOOD.chainClaim, id: 'c-b', payment: 'chain:0xb:1', receipt: '0x9', state: 'credited' },
      ],
      chainSold: [...GOOD.chainSold, ...entries('t9', 'c-b', ['rail/chain', -1_000], ['customer/b', 1_000])],
      accounts: [...GOOD.accounts, account('b', 1_000)],
    },
    ['paid/not-charged'],
  ],
  [
    'a payer whose answer was lost is told to pay anew, and had bought it',
    { cardPaid: refused(4, 'no') },
    ['paid/pay-anew'],
  ],
  [
    'a payment is told to be kept, and no book has it',
    {
      lightningClaim: [],
      lightningBooked: [],
      lightningBack: [],
      accounts: GOOD.accounts.filter(({ id }) => id !== 'ln'),
    },
    ['paid/kept'],
  ],
  [
    'what a card paid belongs to no payer',
    but('cardTaken', { payment: undefined }),
    ['paid/debit', 'paid/owner'],
  ],
  [
    'a transfer whose answer was lost stays in doubt for ever',
    {
      chainPaid: { kind: 'lost', id: 6, why: 'ECONNRESET' },
      chainClaim: { ...GOOD.chainClaim, state: 'unknown', settlement: 'unknown', charged: undefined },
      ...{ chainBooked: [], chainSold: [] },
    },
    ['conserved/rail', 'conserved/whole', 'paid/ended', 'paid/owner'],
  ],
  [
    'a leg of a sale is missing',
    { chainSold: GOOD.chainSold.slice(0, 1) },
    ['conserved/claim', 'conserved/zero'],
  ],
  [
    'the credit of a call that failed was earned',
    {
      lightningBack: entries('t4', 'c-ln', ['held', -1_000], ['sold', 1_000]),
      accounts: GOOD.accounts.filter(({ id }) => id !== 'ln'),
    },
    ['conserved/claim', 'conserved/whole'],
  ],
  ['a customer is shown more than it has', but('shown', { balance: 1_001 }), ['conserved/balance']],
  [
    'a call of a plan was counted twice',
    { accounts: GOOD.accounts.map(each => (each.id === 'p' ? { ...each, used: 2 } : each)) },
    ['conserved/spending'],
  ],
  ['an answer is not written down', { planPaid: [] }, ['history/lines']],
  ['an amount is half a micro-USD', but('grant', { amount: 0.5 }), ['history/lines']],
  [
    'a place of the ledger is not known',
    { granted: entries('t7', undefined, ['elsewhere', 0]) },
    ['history/lines'],
  ],
];

describe('the checker of histories', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-histories-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('finds nothing in a good history, and says how much there was to judge', () => {
    assert.deepEqual(checkHistory(historyOf()), {
      findings: [],
      seen: { asks: 10, purchases: 6, claims: 5, paidAnswers: 4, openTries: 3, money: 3, entries: 17 },
    });
  });

  for (const [what, changes, rules] of FAULTS) {
    it(`finds that ${what}: ${rules.join(', ')}`, () => {
      assert.deepEqual(rulesOf(historyOf(changes)), rules);
    });
  }

  it('has a fault for every rule', () => {
    const caught = new Set(FAULTS.flatMap(([, , rules]) => rules));
    assert.deepEqual(
      RULE_NAMES.filter(rule => !caught.has(rule)),
      [],
    );
  });

  it('takes a lost answer either way: sold, given back, or never begun', () => {
    const back = entries('t6', 'c-chain', ['held', -1_000], ['customer/b', 1_000]);
    const lost = { chainPaid: { kind: 'lost', id: 6, why: 'ECONNRESET' } };
    const credited = { chainClaim: { ...GOOD.chainClaim, state: 'credited' }, chainSold: back };
    const never = { chainTaken: [], chainClaim: [], chainBooked: [], chainSold: [] };
    const accounts = [...GOOD.accounts, account('b', 1_000)];
    assert.deepEqual(rulesOf(historyOf(lost)), []);
    assert.deepEqual(rulesOf(historyOf({ ...lost, ...credited, accounts })), []);
    assert.deepEqual(rulesOf(historyOf({ ...lost, ...never })), []);
  });

  it('takes a payer on a chain who pays twice for one request, and has the first answer with its receipt', () => {
    const second = [ask(20, 'chain:0xa:2', { body: 'b2' }), { ...GOOD.chainPaid, id: 20 }];
    assert.deepEqual(rulesOf(historyOf({ chainPaid: [GOOD.chainPaid, ...second] })), []);
    const settled = { ...GOOD.chainTaken, payment: 'chain:0xa:2', reference: '0x2' };
    const taken = historyOf({ chainPaid: [GOOD.chainPaid, ...second, settled] });
    assert.deepEqual(rulesOf(taken), ['conserved/rail', 'conserved/whole', 'paid/owner']);
  });

  it('names the lines that offend', () => {
    const { findings } = checkHistory(historyOf({ cardPaid: refused(4, 'no') }));
    const text = historyOf({ cardPaid: refused(4, 'no') }).split('\n');
    const named = findings[0].lines.map(number => JSON.parse(text[number - 1]));
    assert.deepEqual(
      named.map(({ kind, id }) => `${kind} ${id}`),
      ['ask 4', 'answer 4', 'claim c-card'],
    );
  });

  it('reads a file as a command, and ends with 1 where a rule is broken', () => {
    const command = join(import.meta.dirname, 'check-history.mjs');
    const run = text => {
      const file = join(folder, 'history.jsonl');
      writeFileSync(file, text);
      const { status, stdout } = spawnSync(process.execPath, [command, file], { encoding: 'utf8' });
      return [status, JSON.parse(stdout).findings.map(({ rule }) => rule)];
    };
    assert.deepEqual(run(historyOf()), [0, []]);
    assert.deepEqual(run(historyOf({ shown: { ...GOOD.shown, used: 3 } })), [1, ['conserved/balance']]);
    assert.deepEqual(run('{"kind":"begin"'), [1, Array(3).fill('history/lines')]);
    assert.equal(spawnSync(process.execPath, [command]).status, 2);
  });
});

import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { problem } from '@svc/platform';
import { findAnvil } from '@svc/sandbox';
import { randomUUID } from 'node:crypto';
import type { AllRails } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import type { Books } from './history-books.js';
import { insist, letLeasesEnd } from './insist.js';
import { type Answer, type Funding, openAccount, paidL402, post } from './paid-call.js';
import { PaymentHistory } from './payment-history.js';
import { until } from './processes.js';
import { fundedWallet, signedPayment } from './x402-wallet.js';

const PATH = '/v1/zk/prove';
const CREDIT = 5_000;

type Credential = Readonly<Record<string, string>>;

let rails: AllRails;
let history: PaymentHistory;
let bodies = 0;

const books = (): Books => rails;
const nextBody = () => ({ traceData: `history ${++bodies}`, degree: 64, friBlowup: 8 });
const buy = (body: object, credential: Credential): Promise<Answer> =>
  post(`${rails.route.address}${PATH}`, body, { ...credential }, history.fetch);

/** Asks until the answer is there, and once more: it has the same bytes. */
async function insistTwice(body: object, credential: Credential): Promise<void> {
  const ask = () => buy(body, credential);
  const answer = await insist(ask, () => rails.database);
  expect(await ask()).toMatchObject({ status: 200, text: answer.text });
}

const byLightning = async (): Promise<Credential> => {
  const { address } = rails.route;
  return { authorization: await paidL402(address, PATH, address, history.fetch) };
};
async function byCard(paymentMethod?: string): Promise<Credential> {
  const { headers } = await post(`${rails.route.address}${PATH}`, undefined);
  const token = await rails.mintToken(paymentMethod);
  return { 'payment-credential': `SPT ${token}`, 'x-402-challenge': headers.get('x-402-challenge')! };
}
async function byKey(funding: Funding): Promise<Credential> {
  const { accountId, key } = await openAccount(rails.route.address, ADMIN_KEY, funding, CREDIT);
  if (funding === 'credit') history.grant(accountId, CREDIT);
  return { 'x-svc-key': key, 'idempotency-key': randomUUID() };
}
const PAYERS: Readonly<Record<string, () => Promise<Credential>>> = {
  Lightning: byLightning,
  card: () => byCard(),
  credit: () => byKey('credit'),
  quota: () => byKey('quota'),
};

/** Until no purchase is under way or in doubt. */
async function untilAllEnd(): Promise<void> {
  await until(
    async () => {
      await letLeasesEnd(rails.database);
      const open = await rails.database.query(
        `SELECT 1 FROM payment_claim WHERE state IN ('claimed', 'settled', 'unknown')`,
      );
      return open.length === 0;
    },
    () => 'all purchases to end',
  );
}

/** Purchases that go wrong within one process, whose history is judged as that of the deaths is: the first to use the rails. */
export function describePaymentHistory(railsOf: () => AllRails): void {
  describe('purchases that go wrong, and their history', () => {
    beforeAll(() => {
      rails = railsOf();
      history = new PaymentHistory('payments-of-one-process');
    });
    afterEach(() => {
      rails.route.script.before = async () => undefined;
      rails.emulator.control.clearFaults();
      if (rails.proxy) rails.proxy.mode = 'open';
    });

    it.each(Object.keys(PAYERS))(
      'by %s: the payer hangs up while the call runs, and comes back',
      async payer => {
        const credential = await PAYERS[payer]();
        const body = nextBody();
        const hangUp = new AbortController();
        let open = () => {};
        const isCancelled = new Promise<void>(resolve => (open = resolve));
        rails.route.script.before = () => (hangUp.abort(), isCancelled);
        const over: typeof fetch = (input, init) => history.fetch(input, { ...init, signal: hangUp.signal });
        await expect(post(`${rails.route.address}${PATH}`, body, { ...credential }, over)).rejects.toThrow();
        open();
        rails.route.script.before = async () => undefined;
        await insistTwice(body, credential);
      },
    );

    it.each(Object.keys(PAYERS))(
      'by %s: payments end while the call runs, and are started again',
      async payer => {
        const credential = await PAYERS[payer]();
        const body = nextBody();
        rails.route.script.before = () => rails.route.stopPayments();
        expect((await buy(body, credential)).status).toBe(503);
        rails.route.script.before = async () => undefined;
        await rails.route.startPayments();
        await insistTwice(body, credential);
      },
    );

    it.each(Object.keys(PAYERS))('by %s: the call fails, and its payer does not ask again', async payer => {
      const credential = await PAYERS[payer]();
      rails.route.script.before = async () => {
        throw problem('INTERNAL', 'no proof can be made');
      };
      const { status, json } = await buy(nextBody(), credential);
      expect([status, json.charged]).toEqual([500, 'x-svc-key' in credential ? 'no' : 'yes']);
    });

    it.each(Object.keys(PAYERS))('by %s: eight ask at once', async payer => {
      const credential = await PAYERS[payer]();
      const body = nextBody();
      const answers = await Promise.all(Array.from({ length: 8 }, () => buy(body, credential)));
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      await insistTwice(body, credential);
    });

    it('by card: the charge is made and its answer lost, and the payer asks until it has what it paid for', async () => {
      const [credential, body] = [await byCard(), nextBody()];
      rails.emulator.control.fault({ method: 'POST', path: '/v1/payment_intents', after: true, drop: true });
      await buy(body, credential);
      await insistTwice(body, credential);
    });

    it('by card: it is declined', async () => {
      const credential = await byCard('pm_card_chargeDeclined');
      expect(await buy(nextBody(), credential)).toMatchObject({ status: 402, json: { charged: 'no' } });
    });

    it('by key: there is too little credit', async () => {
      const { accountId, key } = await openAccount(rails.route.address, ADMIN_KEY, 'credit', 1);
      history.grant(accountId, 1);
      expect((await buy(nextBody(), { 'x-svc-key': key })).status).toBe(402);
    });

    if (findAnvil() === undefined) it('needs anvil', () => console.log('SKIPPED: anvil is not installed'));
    else
      it('on a chain: the transfer is made and the answer of its node lost, and the payer asks until it is sold', async () => {
        const wallet = await fundedWallet(rails.chain!);
        const payment = await signedPayment(wallet, `${rails.route.address}${PATH}`);
        const [credential, body] = [{ 'PAYMENT-SIGNATURE': payment }, nextBody()];
        rails.proxy!.mode = 'lose-sent';
        expect((await buy(body, credential)).json.code).toBe('SETTLEMENT_UNKNOWN');
        rails.proxy!.mode = 'open';
        await insistTwice(body, credential);
      });

    it('says that each payment was sold once, each answer paid for, and nothing lost of what came', async () => {
      await untilAllEnd();
      const { paidAnswers, openTries, money } = await history.judge(books());
      expect([paidAnswers > 20, openTries > 4, money > 8]).toEqual([true, true, true]);
    });
  });
}

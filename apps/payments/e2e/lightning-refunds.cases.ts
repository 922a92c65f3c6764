import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INVOICE_WAIT_DAYS, paymentsContract, refundsContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import type { LndEmulator } from './lnd-emulator.js';
import type { PaymentsFixture } from './payments-fixture.js';
import { foreignInvoice, paidByLightning, PRICE, refundCalls } from './refund-fixture.js';

/** What the suite of refunds has. */
interface OfTheSuite {
  readonly paymentsOf: () => PaymentsFixture;
  readonly node: LndEmulator;
  readonly makeDue: (refundId: string) => Promise<unknown>;
  readonly raced: <T>(works: readonly Promise<T>[]) => Promise<{ done: T[]; codes: string[] }>;
}

const SATS = PRICE / 500;

/** Refunds of Lightning payments, over the REST interface of a node. */
export function describeLightningRefunds({ paymentsOf, node, makeDue, raced }: OfTheSuite): void {
  const { claim, refund, find } = refundCalls(paymentsOf);
  const query = (sql: string, values: unknown[] = []) => paymentsOf().database.query(sql, values);

  describe('by Lightning', () => {
    let credential: { scheme: 'L402'; value: string };
    let claimId: string;
    const bring = (invoice: string, shown: typeof credential | null = credential) =>
      paymentsOf().bus.call(refundsContract.lightning, { invoice, ...(shown && { credential: shown }) });
    const paidTimes = () => [...node.payments.values()].reduce((sum, { paidTimes: times }) => sum + times, 0);
    let before: number;
    beforeEach(async () => {
      before = paidTimes();
      credential = await paidByLightning(paymentsOf(), node);
      const held = await claim(credential);
      if (held.outcome !== 'claimed') throw new Error(held.outcome);
      claimId = held.claimId;
      await paymentsOf().bus.call(paymentsContract.deliver, {
        ...{ claimId, attempt: held.attempt },
        response: { status: 200, contentType: 'application/json', body: Buffer.from('{}') },
      });
    });
    afterEach(() => void (node.paying = 'pays'));

    it('waits for an invoice of its payer, over its amount, and is paid once', async () => {
      const { payload } = await problemOf(refund({ claimId, microUsd: 499 }));
      expect(payload.errors?.[0]).toMatchObject({ path: 'microUsd', bound: 500, got: 499 });
      const { refundId, state } = await refund({ claimId });
      expect(state).toBe('requested');
      const dear = await problemOf(bring(foreignInvoice(SATS + 1).invoice));
      expect(dear.payload.errors?.[0]).toMatchObject({ path: 'invoice', bound: [SATS], got: SATS + 1 });
      const short = await problemOf(bring(foreignInvoice(SATS, 30).invoice));
      expect(short.payload.errors?.[0]).toMatchObject({ path: 'invoice', bound: 60 });
      expect((await problemOf(bring('lnbcrt1'))).code).toBe('VALIDATION_FAILED');
      const { invoice, paymentHash } = foreignInvoice(SATS);
      const paid = await bring(invoice);
      expect(paid).toEqual({ refundId, state: 'done', microUsd: PRICE, sats: SATS, paymentHash });
      expect(await bring(invoice)).toEqual(paid);
      expect((await problemOf(bring(foreignInvoice(SATS).invoice))).code).toBe('CONFLICT');
      expect(paidTimes() - before).toBe(1);
      expect(await find(refundId)).toMatchObject({ state: 'done', by: 'lightning', reference: paymentHash });
    });

    it('is its payer’s alone: it needs the credential that was paid with', async () => {
      await refund({ claimId });
      const { invoice } = foreignInvoice(SATS);
      const other = await paidByLightning(paymentsOf(), node);
      expect((await problemOf(bring(invoice, other))).code).toBe('NOT_FOUND');
      expect((await problemOf(bring(invoice, null))).code).toBe('VALIDATION_FAILED');
      const [macaroon] = credential.value.split(':');
      const guessed = { scheme: 'L402' as const, value: `${macaroon}:${'00'.repeat(32)}` };
      expect((await problemOf(bring(invoice, guessed))).code).toBe('IDENTITY_UNPROVED');
      expect(paidTimes()).toBe(before);
    });

    it('that could not be paid waits for another invoice', async () => {
      const { refundId } = await refund({ claimId });
      node.paying = 'fails';
      expect(await bring(foreignInvoice(SATS).invoice)).toMatchObject({ refundId, state: 'requested' });
      node.paying = 'pays';
      expect(await bring(foreignInvoice(SATS).invoice)).toMatchObject({ refundId, state: 'done' });
    });

    it('whose answer the node lost is found by asking it, and paid once', async () => {
      const { refundId } = await refund({ claimId });
      node.paying = 'loses';
      const { invoice } = foreignInvoice(SATS);
      expect((await bring(invoice)).state).toBe('unknown');
      node.paying = 'pays';
      expect((await problemOf(bring(foreignInvoice(SATS).invoice))).code).toBe('CONFLICT');
      await makeDue(refundId);
      while ((await bring(invoice)).state !== 'done') await new Promise(resolve => setTimeout(resolve, 20));
      expect(paidTimes() - before).toBe(1);
    });

    it('pays one of many invoices that come at once', async () => {
      await refund({ claimId });
      const { done, codes } = await raced(
        Array.from({ length: 50 }, () => bring(foreignInvoice(SATS).invoice)),
      );
      expect([done.length, codes.length, new Set(codes)]).toEqual([1, 49, new Set(['CONFLICT'])]);
      expect(paidTimes() - before).toBe(1);
    });

    it('takes an invoice for one refund alone', async () => {
      await refund({ claimId, microUsd: 500 }, randomUUID());
      await refund({ claimId, microUsd: 500 }, randomUUID());
      const { invoice } = foreignInvoice(1);
      const [first, again] = [await bring(invoice), await bring(invoice)];
      expect(again).toEqual(first);
      expect(await bring(foreignInvoice(1).invoice)).toMatchObject({ state: 'done' });
      expect(paidTimes() - before).toBe(2);
    });

    it('becomes credit where no invoice is brought', async () => {
      const { refundId } = await refund({ claimId });
      await query(
        `UPDATE refund SET requested_at = now() - make_interval(days => $2, mins => 1) WHERE refund_id = $1`,
        [refundId, INVOICE_WAIT_DAYS],
      );
      await makeDue(refundId);
      while ((await find(refundId)).state !== 'done') await new Promise(resolve => setTimeout(resolve, 20));
      const { accountId, by } = await find(refundId);
      const [{ balance }] = await query(
        `SELECT balance_micro_usd::int AS balance FROM account WHERE account_id = $1`,
        [accountId],
      );
      expect([by, balance]).toEqual(['account', PRICE]);
      expect((await problemOf(bring(foreignInvoice(SATS).invoice))).code).toBe('NOT_FOUND');
    });
  });
}

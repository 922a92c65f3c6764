import { paymentsContract, refundsContract, type Refund } from '@svc/contracts';
import { createLogger } from '@svc/platform';
import { signInvoice } from '@svc/protocols/bolt11';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Ledger } from '../src/ledger/ledger.js';
import type { Rail } from '../src/rail/rail.js';
import { RefundSender } from '../src/refund/refund-sender.js';
import { RefundStore } from '../src/refund/refund-store.js';
import type { LndEmulator } from './lnd-emulator.js';
import { claimParts, type PaymentsFixture, SECRETS } from './payments-fixture.js';
import { scripted, type ScriptedPayment } from './scripted-rail.js';

export const ADMIN_KEY = SECRETS.ADMIN_KEY;
/** Of `zk.prove`. */
export const PRICE = 1_000;
const RESPONSE = { status: 200, contentType: 'application/json', body: Buffer.from('{}') };

/** What a test does with claims and their refunds, as an operator and as payers. */
export function refundCalls(paymentsOf: () => PaymentsFixture) {
  const bus = () => paymentsOf().bus;
  const claim = (credential: Parameters<typeof scripted>[0] | { scheme: 'L402'; value: string }) =>
    bus().call(paymentsContract.claim, {
      operationId: 'zk.prove',
      // Each payment is for a request of its own: one payer would be given the answer of the first again.
      requestDigest: createHash('sha256')
        .update('nonce' in credential ? credential.nonce : '')
        .digest('hex'),
      credential: 'scheme' in credential ? credential : scripted(credential),
    });
  return {
    claim,
    /** A call that was paid by the scripted rail and delivered, or given back: the id of its claim. */
    async bought(payment: Partial<ScriptedPayment> = {}, isDelivered = true): Promise<string> {
      const held = await claim({ nonce: randomUUID(), payer: 'x402:0xabc', ...payment });
      if (held.outcome !== 'claimed') throw new Error(held.outcome);
      const { claimId, attempt } = held;
      if (isDelivered) await bus().call(paymentsContract.deliver, { claimId, attempt, response: RESPONSE });
      else await bus().call(paymentsContract.release, { claimId, attempt, reason: 'a test' });
      return claimId;
    },
    refund: (
      asked: { claimId: string; microUsd?: number; to?: 'origin' | 'credit'; reason?: string },
      idempotencyKey: string = randomUUID(),
      accountKey: string = ADMIN_KEY,
    ): Promise<Refund> =>
      bus().call(refundsContract.refund, {
        ...{ to: 'origin', reason: 'a complaint', ...asked, idempotencyKey, accountKey },
      }),
    find: (refundId: string) => bus().call(refundsContract.findRefund, { accountKey: ADMIN_KEY, refundId }),
  };
}

/** An invoice of another node than ours, and its payment hash. */
export function foreignInvoice(amountSats: number, expirySeconds = 600) {
  const paymentHash = createHash('sha256').update(randomBytes(32)).digest('hex');
  const invoice = signInvoice(
    {
      ...{ network: 'regtest', amountSats, paymentHash, description: 'a refund', expirySeconds },
      ...{ paymentSecret: randomBytes(32).toString('hex'), createdAt: Math.floor(Date.now() / 1_000) },
    },
    '33'.repeat(32),
  );
  return { invoice, paymentHash };
}

/** An L402 credential whose invoice the emulated node was paid. */
export async function paidByLightning(
  { bus }: PaymentsFixture,
  node: LndEmulator,
): Promise<{ scheme: 'L402'; value: string }> {
  const { offers } = await bus.call(paymentsContract.challenge, {
    ...{ operationId: 'zk.prove', realm: 'svc.example' },
  });
  const header = offers.find(({ rail }) => rail === 'l402')!.wwwAuthenticate!;
  const [, macaroon] = /macaroon="([^"]+)"/.exec(header)!;
  const preimage = node.settleNewest();
  return { scheme: 'L402', value: `${macaroon}:${preimage}` };
}

/** What another instance of the service has of refunds, which its own upkeep does not run. */
export function otherInstance(database: DataSource, rails: readonly Rail[]) {
  const { derived } = claimParts(database, rails);
  const environment = { logger: createLogger('payments', { level: 'silent' }) };
  const store = new RefundStore(database);
  return { store, sender: new RefundSender(database, store, new Ledger(), derived, rails, environment) };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimReply, paymentsContract, type Receipt } from '@svc/contracts';
import {
  BusClient,
  createLogger,
  MemoryBus,
  openBusLink,
  PlainDigests,
  problemOf,
  type ServiceDefinition,
} from '@svc/platform';
import { TemporaryServices } from '@svc/platform/testing';
import { createHash, randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { CreditReversals } from '../src/card/credit-reversals.js';
import { CheckoutStore } from '../src/checkout/checkout-store.js';
import { packProduct } from '../src/checkout/products.js';
import { EscrowStore } from '../src/escrow/escrow-store.js';
import { Ledger } from '../src/ledger/ledger.js';
import { DIGEST_COLUMNS } from '../src/migrations/1766500000000-keyed-digests.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { PaymentsModule } from '../src/payments.module.js';
import { paymentsService } from '../src/payments.service-definition.js';
import type { TicketHolds } from '../src/ticket/ticket-holds.js';
import { Tickets } from '../src/ticket/tickets.js';
import { SECRETS } from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';

const OLD = SECRETS.LICENCE_SIGNING_SEEDS;
const NEW = 'newer-licence-seed-of-the-tests-of-32-characters';
const PRICE = 1_000;
const RESPONSE = { status: 200, contentType: 'application/json', body: new TextEncoder().encode('{"ok":1}') };

const rail = new ScriptedRail();
let services: TemporaryServices;

const definition: ServiceDefinition = {
  ...paymentsService,
  module: given => PaymentsModule.for(given, { moreRails: [rail], upkeepIntervalMs: 3_600_000 }),
};
const secretsOf = (seeds: readonly string[]) => ({ ...SECRETS, LICENCE_SIGNING_SEEDS: seeds.join(',') });

/** A replica with these seeds, which alone answers on its bus. */
async function replica(...seeds: string[]): Promise<BusClient> {
  const bus = { kind: 'memory', bus: new MemoryBus() } as const;
  await services.start(definition, { secrets: secretsOf(seeds), bus });
  const link = openBusLink(bus, 'gateway', createLogger('payments', { level: 'silent' }));
  await link.connect();
  return new BusClient(link);
}

const digestOf = (body: string) => createHash('sha256').update(body).digest('hex');
const claim = (of: BusClient, body: string, pays: object) =>
  of.call(paymentsContract.claim, { operationId: 'zk.prove', requestDigest: digestOf(body), ...pays });
const codeOf = async (reply: Promise<unknown>) => (await problemOf(reply)).code;
async function delivered(of: BusClient, reply: ClaimReply): Promise<void> {
  if (reply.outcome !== 'claimed') throw new Error(`it was ${reply.outcome}`);
  const { claimId, attempt } = reply;
  await of.call(paymentsContract.deliver, { claimId, attempt, response: RESPONSE });
}

async function customer(): Promise<{ accountId: string; accountKey: string }> {
  const keys = new ApiKeys(services.database, accountSecretsOf({ production: false, secrets: SECRETS }));
  const ledger = new Ledger();
  return services.database.transaction(async manager => {
    const accountId = await new Accounts().create(manager, { kind: 'purchased' });
    const { key } = await keys.issue(manager, accountId);
    const legs = [
      { account: 'processor-clearing' as const, amountMicroUsd: -10 * PRICE },
      { account: ledger.customer(accountId), amountMicroUsd: 10 * PRICE },
    ];
    await ledger.post(manager, { kind: 'top-up', legs });
    return { accountId, accountKey: key };
  });
}
const balanceOf = async (accountId: string) =>
  (await new Accounts().find(services.database.manager, accountId))!.balanceMicroUsd;

/** What a replica with these seeds keeps with the digest of a request. */
function storesOf(seeds: readonly string[]) {
  const { database } = services;
  const keys = paymentKeysOf({ production: false, secrets: secretsOf(seeds) });
  const ledger = new Ledger();
  return {
    checkouts: new CheckoutStore(database, keys),
    escrows: new EscrowStore(database, ledger, new CreditReversals(ledger), keys),
    tickets: new Tickets(database, {} as TicketHolds, keys),
  };
}

/** A ticket that a request has used. */
async function usedTicket(tickets: Tickets, body: string): Promise<string> {
  const claimId = randomUUID();
  const receipt: Receipt = {
    ...{ rail: 'x402', reference: claimId, amountMicroUsd: 1, amountSats: 1, headers: {} },
    timestamp: new Date().toISOString(),
  };
  await services.database.query(
    `INSERT INTO payment_claim (claim_id, proof_key, rail_family, operation_id, request_digest, credential_digest,
       attempt, receipt, amount_micro_usd, amount_sats, state, lease_until)
     VALUES ($1::uuid, $1::text, 'x402', 'tool.a', $2, $2, 1, '{}', 1, 1, 'credited', now())`,
    [claimId, digestOf(body)],
  );
  await services.database.query(
    `INSERT INTO execution_ticket (ticket_id, ticket_hash, tool, claim_id, amount_micro_usd, funding, rail, receipt,
       inline, expires_at)
     VALUES ($1::uuid, sha256($1::text::bytea), 'zk_prove_spatial', $1::uuid, 1, 'rail', 'x402', $2, false, now() + interval '1 hour')`,
    [claimId, JSON.stringify(receipt)],
  );
  const ticket = (await tickets.findById(claimId))!;
  const use = { sagaId: randomUUID(), requestDigest: digestOf(body) };
  await services.database.transaction(tx => tickets.consume(tx, ticket, use));
  return claimId;
}

/** The seeds of who sells, and of who is asked again. */
const PAIRS: readonly [what: string, sells: string[], asked: string[]][] = [
  ['the same', [OLD], [OLD]],
  ['rotated', [OLD], [NEW, OLD]],
  ['not rotated yet', [NEW, OLD], [OLD]],
  ['in another order', [NEW, OLD], [OLD, NEW]],
  ['without the oldest', [NEW, OLD], [NEW]],
];

export function describeKeyedDigests(): void {
  describe('keyed digests', () => {
    beforeAll(async () => {
      services = await TemporaryServices.open('payments');
    });
    afterAll(() => services?.close());

    describe.each(PAIRS)('asked again of a replica whose seeds are %s', (_what, sells, asked) => {
      let [seller, other]: BusClient[] = [];
      beforeAll(async () => {
        [seller, other] = [await replica(...sells), await replica(...asked)];
      });
      afterAll(() => Promise.all(services.services.splice(0).map(each => each.close())));

      it('a call by key is sold once, with and without an Idempotency-Key', async () => {
        const { accountId, accountKey } = await customer();
        for (const more of [{}, { idempotencyKey: 'name' }]) {
          const body = randomUUID();
          await delivered(seller, await claim(seller, body, { accountKey, ...more }));
          expect(await claim(other, body, { accountKey, ...more })).toMatchObject({ outcome: 'replayed' });
        }
        expect(await balanceOf(accountId)).toBe(8 * PRICE);
        const repeated = { accountKey, idempotencyKey: 'name' };
        expect(await codeOf(claim(other, 'another body', repeated))).toBe('UNPROCESSABLE');
      });

      it('a call that runs is in flight, not sold again', async () => {
        const { accountKey } = await customer();
        const body = randomUUID();
        expect(await claim(seller, body, { accountKey })).toMatchObject({ outcome: 'claimed' });
        expect(await codeOf(claim(other, body, { accountKey }))).toBe('PAYMENT_IN_FLIGHT');
      });

      it('of many at once, at both, one is sold', async () => {
        const { accountId, accountKey } = await customer();
        const payer = `x402:${randomUUID()}`;
        const body = randomUUID();
        const both = (pays: () => object) =>
          Promise.allSettled(
            Array.from({ length: 8 }, (_, i) => claim(i % 2 === 0 ? seller : other, body, pays())),
          );
        const byKey = await both(() => ({ accountKey }));
        const byRail = await both(() => ({ credential: scripted({ nonce: randomUUID(), payer }) }));
        for (const replies of [byKey, byRail])
          expect(replies.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await balanceOf(accountId)).toBe(9 * PRICE);
      });

      it('a checkout, an escrow and a ticket are those of the request that began them, and of no other', async () => {
        const { accountId } = await customer();
        const [here, there] = [sells, asked].map(storesOf);
        const [body, name] = [randomUUID(), randomUUID()];
        const checkout = (of: typeof here, about: string) =>
          of.checkouts.begin({
            ...{ product: packProduct('pack_10'), requestDigest: digestOf(about) },
            idempotency: { scope: accountId, key: name },
          });
        const escrow = (of: typeof here, about: string) =>
          of.escrows.begin({
            ...{
              accountId,
              payeeAccountId: accountId,
              amountCents: 50,
              expiresInHours: 1,
              idempotencyKey: name,
            },
            ...{ requestDigest: digestOf(about), openedBy: `account:${accountId}` },
          });
        const { checkoutId } = await checkout(here, body);
        expect((await checkout(there, body)).checkoutId).toBe(checkoutId);
        const { escrowId } = await escrow(here, body);
        expect((await escrow(there, body)).escrowId).toBe(escrowId);
        for (const other of [checkout(there, 'another body'), escrow(there, 'another body')])
          expect(await codeOf(other)).toBe('UNPROCESSABLE');
        const ticketId = await usedTicket(here.tickets, body);
        const used = (await there.tickets.findById(ticketId))!;
        expect([body, 'another body'].map(about => there.tickets.isUsedBy(used, digestOf(about)))).toEqual([
          ...[true, false],
        ]);
      });

      it('a payment buys the same answer, and no other', async () => {
        const body = randomUUID();
        const credential = scripted({ nonce: randomUUID() });
        await delivered(seller, await claim(seller, body, { credential }));
        expect(await claim(other, body, { credential })).toMatchObject({ outcome: 'replayed' });
        expect(await codeOf(claim(other, 'another body', { credential }))).toBe('PAYMENT_BOUND_ELSEWHERE');
      });
    });

    describe('what an earlier release wrote plainly', () => {
      const query = (sql: string, parameters: unknown[] = []) => services.database.query(sql, parameters);
      const isPlain = `request_digest ~ '^[0-9a-f]{64}$'`;

      it('is known before it is keyed, and keyed in batches, from wherever a run before it stopped', async () => {
        const seller = await replica(OLD);
        const { accountId, accountKey } = await customer();
        const credential = scripted({ nonce: randomUUID() });
        const [byKey, byRail] = [randomUUID(), randomUUID()];
        await delivered(seller, await claim(seller, byKey, { accountKey, idempotencyKey: 'before' }));
        await delivered(seller, await claim(seller, byRail, { credential }));
        for (const [body, where] of [
          [byKey, `payer = 'account:${accountId}'`],
          [
            byRail,
            `payer IS NULL AND claim_id IN (SELECT claim_id FROM payment_claim ORDER BY claimed_at DESC LIMIT 1)`,
          ],
        ])
          await query(`UPDATE payment_claim SET request_digest = $1 WHERE ${where}`, [digestOf(body)]);
        await query(
          `INSERT INTO checkout_session (checkout_id, kind, product, amount_micro_usd, request_digest)
       SELECT 'chk_' || lpad(n::text, 22, '0'), 'pack', 'pack_10', 10000000, encode(sha256(n::text::bytea), 'hex')
         FROM generate_series(1, 1200) AS n`,
        );
        const replayed = async () => {
          const again = { accountKey, idempotencyKey: 'before' };
          expect(await claim(seller, byKey, again)).toMatchObject({ outcome: 'replayed' });
          expect(await claim(seller, byKey, { accountKey })).toMatchObject({ outcome: 'replayed' });
          expect(await codeOf(claim(seller, 'another body', again))).toBe('UNPROCESSABLE');
          expect(await claim(seller, byRail, { credential })).toMatchObject({ outcome: 'replayed' });
        };
        await replayed();
        const { requests } = paymentKeysOf({ production: false, secrets: secretsOf([NEW, OLD]) });
        const job = () =>
          new PlainDigests(
            services.database,
            requests,
            DIGEST_COLUMNS,
            createLogger('payments', { level: 'silent' }),
          );
        const half = job();
        const halved = half.convert();
        await half.onApplicationShutdown();
        const counts = await Promise.all([halved, job().convert(), job().convert()]);
        expect(Math.max(...counts)).toBeGreaterThan(0);
        expect(await job().convert()).toBe(0);
        for (const { table } of DIGEST_COLUMNS)
          expect(await query(`SELECT 1 FROM ${table} WHERE ${isPlain}`)).toEqual([]);
        await replayed();
        expect(await balanceOf(accountId)).toBe(9 * PRICE);
      });
    });
  });
}

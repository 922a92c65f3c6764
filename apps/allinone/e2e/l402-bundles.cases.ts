import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { problem } from '@svc/platform';
import { attenuate, decodeBase64, decodeMacaroon, encodeBase64, encodeMacaroon } from '@svc/protocols';
import { AlbyWallet, MemoryTokenStore, setupL402Interceptor } from 'l402';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Client } from 'pg';
import { type Answer, paidL402, payInvoice, post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

/** The very axios that the client under test brings along. */
const { default: axios } = createRequire(createRequire(import.meta.url).resolve('l402'))(
  'axios',
) as typeof import('axios');

const ADMIN = { 'x-svc-key': 'admin key of the tests, at least 32 characters' };
const BUNDLE = '/v1/l402/bundle';
/** Of a proof, satoshis. */
const PRICE = 2;
const FIFTY = Array.from({ length: 50 });

let route: PaidRoute;
let calls = 0;

/** A body that no other call has. */
const body = () => ({ traceData: `bundle ${calls++}`, degree: 8 });
const prove = (authorization: string, sent: object = body(), headers: Record<string, string> = {}) =>
  post(`${route.address}/v1/zk/prove`, sent, { authorization, ...headers });
const show = (authorization: string, sent?: object) => post(route.address + BUNDLE, sent, { authorization });
const bundleOf = (asked: object) => paidL402(route.address, BUNDLE, route.address, fetch, asked);
const leftOf = async (authorization: string) => (await show(authorization)).json.leftSats;
const seen = ({ status, json }: Answer) => [status, json.code];

const partsOf = (authorization: string) => /^L402 ([^:]+):(.*)$/.exec(authorization)!.slice(1);

/** A credential as its holder hands it on. */
function narrowed(authorization: string, ...caveats: string[]): string {
  const [token, preimage] = partsOf(authorization);
  const macaroon = caveats.reduce(attenuate, decodeMacaroon(decodeBase64(token, 4_096)!));
  return `L402 ${encodeBase64(encodeMacaroon(macaroon))}:${preimage}`;
}

async function counted(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: route.databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** @param routeOf what all suites of the file share */
export function describeL402Bundles(routeOf: () => PaidRoute): void {
  describe('a bundle of L402', () => {
    beforeAll(() => {
      route = routeOf();
    });
    beforeEach(() => {
      route.script.before = async () => undefined;
    });
    describeOffers();
    describeSpending();
    describeDelegation();
    describeRetries();
    describeBundleClients();
    describeEnds();
  });
}

function describeOffers(): void {
  it('is offered for its price by one invoice, with budget, capabilities and end in the macaroon', async () => {
    const asked = { sats: 1_000, capabilities: ['zk.*', 'tool.arena_challenge'], validSeconds: 86_400 };
    const { status, json, headers } = await post(route.address + BUNDLE, asked);
    expect([status, json.code, json.priceSats, json.priceUsd]).toEqual([
      402,
      'PAYMENT_REQUIRED',
      1_000,
      '0.50',
    ]);
    expect(json.rails).toEqual(['l402']);
    const lines = headers.get('www-authenticate')!;
    expect(lines.match(/L402 |Payment /g)).toEqual(['L402 ']);
    const [, token] = /macaroon="([^"]+)"/.exec(lines)!;
    const { caveats } = decodeMacaroon(decodeBase64(token, 4_096)!);
    expect(caveats.slice(0, 3)).toEqual([
      'services=svc:0',
      'svc_capabilities=zk.*,tool.arena_challenge',
      'svc_budget_sats=1000',
    ]);
    const validUntil = Number(/^svc_valid_until=(\d+)$/.exec(caveats[3])![1]);
    expect(Math.abs(validUntil - Date.now() / 1_000 - 86_400)).toBeLessThan(60);
  });

  it.each<[{ sats?: number; validSeconds?: number } | undefined]>([
    [undefined],
    [{}],
    [{ sats: 2 }],
    [{ sats: 2_000_000, validSeconds: 2_592_000 }],
  ])('of %j is asked for', async asked => {
    const answer = await post(route.address + BUNDLE, asked);
    expect([...seen(answer), answer.json.priceSats]).toEqual([
      ...[402, 'PAYMENT_REQUIRED'],
      asked?.sats ?? 1_000,
    ]);
  });

  it.each([
    [{ sats: 1 }, 400, 'sats'],
    [{ sats: 2_000_001 }, 400, 'sats'],
    [{ sats: 2.5 }, 400, 'sats'],
    [{ sats: '10' }, 400, 'sats'],
    [{ validSeconds: 59 }, 400, 'validSeconds'],
    [{ validSeconds: 2_592_001 }, 400, 'validSeconds'],
    [{ capabilities: [] }, 400, 'capabilities'],
    [{ capabilities: ['zk.prove,*'] }, 400, 'capabilities'],
    [{ capabilities: Array(51).fill('zk.*') }, 400, 'capabilities'],
    [{ capabilities: ['zk.*', 'zk.nothing'] }, 422, 'capabilities[1]'],
    [{ budget: 5 }, 400, ''],
  ])('of %j is refused: %i', async (asked, status, path) => {
    const answer = await post(route.address + BUNDLE, asked);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.json.errors)).toContain(path);
    expect(answer.json.charged).toBe('no');
  });

  it('is opened by L402 alone, and not by a token of one call nor a preimage that does not fit', async () => {
    const single = await paidL402(route.address);
    expect(seen(await show(single))).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
    expect((await prove(single)).status).toBe(200);
    const [token] = partsOf(await bundleOf({ sats: 10 }));
    for (const at of [show, prove])
      expect(seen(await at(`L402 ${token}:${'0'.repeat(64)}`))).toEqual([402, 'PAYMENT_INVALID']);
    expect(seen(await show('Payment e30'))).toEqual([400, 'PAYMENT_METHOD_UNSUPPORTED']);
  });

  it('is the one that it was bought as', async () => {
    const bundle = await bundleOf({ sats: 10, capabilities: ['zk.*'] });
    const other = await show(bundle, { sats: 12, capabilities: ['zk.*'] });
    expect([...seen(other), other.json.priceSats]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE', 12]);
    expect(seen(await show(bundle, { sats: 10, capabilities: ['zk.prove'] }))[0]).toBe(402);
    expect((await show(bundle, { sats: 10, capabilities: ['zk.*'] })).status).toBe(200);
  });
}

function describeSpending(): void {
  it('buys tickets and executions, which say what is left of it too', async () => {
    const bundle = await bundleOf({ sats: 100, capabilities: ['tool.*'] });
    const creditOf = ({ status, headers }: Answer) => [status, headers.get('svc-credit')];
    const ask = (path: string, key: string) =>
      post(route.address + path, {}, { authorization: bundle, 'idempotency-key': key });
    const ticket = await ask('/v1/x402/verify?tool=get_product_catalog', 'a');
    expect(creditOf(ticket)).toEqual([200, 'balance=49000, cap=50000, spent=1000']);
    expect((await ask('/v1/x402/verify?tool=get_product_catalog', 'a')).json).toEqual(ticket.json);
    const execution = await ask('/v1/x402/execute?tool=get_product_catalog', 'b');
    expect(creditOf(execution)).toEqual([200, 'balance=48000, cap=50000, spent=2000']);
    expect(creditOf(await ask('/v1/x402/execute?tool=get_product_catalog', 'b'))[1]).toBe(
      'balance=48000, cap=50000, spent=2000',
    );
  });

  it('pays call after call without being shown anywhere first, and says what is left', async () => {
    const bundle = await bundleOf({ sats: 10, capabilities: ['zk.*'] });
    for (const spent of [2, 4]) {
      const { status, headers } = await prove(bundle);
      expect([status, headers.get('svc-credit')]).toEqual([
        200,
        `balance=${5_000 - 500 * spent}, cap=5000, spent=${500 * spent}`,
      ]);
      expect(headers.get('payment-receipt')).toEqual(expect.any(String));
    }
    const { status, json, headers } = await show(bundle);
    expect([status, json]).toEqual([
      200,
      {
        ...{ budgetSats: 10, spentSats: 4, leftSats: 6, capabilities: ['zk.*'] },
        expiresAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(headers.get('payment-receipt')).toEqual(expect.any(String));
  });

  it('that is spent is 402 with the spending, the invoice of the call and where the next bundle is', async () => {
    const bundle = await bundleOf({ sats: 3 });
    expect((await prove(bundle)).status).toBe(200);
    const sent = body();
    const spent = await prove(bundle, sent);
    expect([...seen(spent), spent.json.budgetSats, spent.json.spentSats]).toEqual([
      ...[402, 'BUDGET_EXHAUSTED'],
      ...[3, 2],
    ]);
    expect([spent.json.priceSats, spent.json.bundleUrl]).toEqual([PRICE, route.address + BUNDLE]);
    const [, token] = /macaroon="([^"]+)"/.exec(spent.headers.get('www-authenticate')!)!;
    const preimage = await payInvoice(route.address, spent.json.invoice as string);
    expect((await prove(`L402 ${token}:${preimage}`, sent)).status).toBe(200);
    // Who asks for a bundle with it buys the next one.
    const next = await show(bundle, { sats: 3 });
    expect([...seen(next), next.json.priceSats]).toEqual([402, 'BUDGET_EXHAUSTED', 3]);
    expect(next.json.invoice).toEqual(expect.any(String));
  });

  it('takes nothing for what it does not cover', async () => {
    const bundle = await bundleOf({ sats: 1_000, capabilities: ['agent.*', 'tool.arena_challenge'] });
    const refused = await prove(bundle);
    expect([...seen(refused), refused.json.charged]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE', 'no']);
    expect(refused.json.invoice).toEqual(expect.any(String));
    expect(await leftOf(bundle)).toBe(1_000);
  });

  it('gets back what a call has cost that failed', async () => {
    const bundle = await bundleOf({ sats: 4 });
    route.script.before = () => Promise.reject(problem('INTERNAL', 'Scripted'));
    for (let turn = 0; turn < 3; turn++) {
      const failed = await prove(bundle);
      expect([failed.status, failed.json.charged, failed.json.creditKey]).toEqual([500, 'no', undefined]);
    }
    expect(await leftOf(bundle)).toBe(4);
    route.script.before = async () => undefined;
    expect([(await prove(bundle)).status, await leftOf(bundle)]).toEqual([200, 2]);
  });

  it('pays for ten of fifty calls that come at once, opened by the first of them', async () => {
    const bundle = await bundleOf({ sats: 10 * PRICE });
    const answers = await Promise.all(FIFTY.map(() => prove(bundle)));
    const statuses = answers.map(seen).map(String).sort();
    expect(statuses).toEqual([...Array(10).fill('200,'), ...Array(40).fill('402,BUDGET_EXHAUSTED')]);
    const rows = await counted(
      `SELECT balance_micro_usd::int AS balance, (SELECT count(*)::int FROM payment_claim
          WHERE credit_account_id = account_id AND operation_id LIKE 'l402.bundle.%') AS opened
         FROM account JOIN payment_claim ON credit_account_id = account_id
        WHERE operation_id = 'l402.bundle.20'`,
    );
    expect(rows).toEqual([{ balance: 0, opened: 1 }]);
  });
}

function describeDelegation(): void {
  it('is handed on with smaller budgets, each its own and all within the first', async () => {
    const parent = await bundleOf({ sats: 12 });
    const [child, sibling] = ['a', 'b'].map(who => narrowed(parent, `holder=${who}`, 'svc_budget_sats=4'));
    expect([(await prove(child)).status, (await prove(child)).status]).toEqual([200, 200]);
    const spent = await prove(child);
    expect([...seen(spent), spent.json.budgetSats, spent.json.spentSats]).toEqual([
      ...[402, 'BUDGET_EXHAUSTED'],
      ...[4, 4],
    ]);
    expect(await Promise.all([leftOf(sibling), leftOf(parent)])).toEqual([4, 8]);
    for (let turn = 0; turn < 3; turn++) expect((await prove(parent)).status).toBe(200);
    // Two satoshis of the four of the sibling are left, of the budget above it.
    expect(await leftOf(sibling)).toBe(2);
    expect((await prove(sibling)).status).toBe(200);
    const over = await prove(sibling);
    expect([...seen(over), over.json.budgetSats, over.json.spentSats]).toEqual([
      ...[402, 'BUDGET_EXHAUSTED'],
      ...[12, 12],
    ]);
  });

  it('never pays more than the budget that is handed on, nor than the one above, to fifty at once', async () => {
    const parent = await bundleOf({ sats: 12 });
    const children = ['a', 'b', 'c'].map(who => narrowed(parent, `holder=${who}`, 'svc_budget_sats=6'));
    const answers = await Promise.all(
      FIFTY.map((_, turn) => prove(children[turn % 3]).then(({ status }) => ({ status, child: turn % 3 }))),
    );
    const paid = answers.filter(({ status }) => status === 200);
    expect(paid).toHaveLength(6);
    for (const child of [0, 1, 2])
      expect(paid.filter(each => each.child === child).length).toBeLessThanOrEqual(3);
    expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
  });

  it('gives back to every budget above the call that failed', async () => {
    const parent = await bundleOf({ sats: 8 });
    const child = narrowed(parent, 'svc_budget_sats=4');
    route.script.before = () => Promise.reject(problem('INTERNAL', 'Scripted'));
    expect((await prove(child)).status).toBe(500);
    expect(await Promise.all([leftOf(child), leftOf(parent)])).toEqual([4, 8]);
  });

  it('is narrowed in what it pays for and how long, and is never widened', async () => {
    const parent = await bundleOf({ sats: 8, capabilities: ['zk.*', 'tool.*'] });
    expect((await prove(narrowed(parent, 'svc_capabilities=zk.prove'))).status).toBe(200);
    for (const [caveats, code] of [
      [['svc_capabilities=tool.*'], 'PAYMENT_BOUND_ELSEWHERE'],
      [['svc_capabilities=*'], 'PAYMENT_INVALID'],
      [['svc_capabilities=agent.coi-verify'], 'PAYMENT_INVALID'],
      [['svc_budget_sats=9'], 'PAYMENT_INVALID'],
      [['svc_budget_sats=4', 'svc_budget_sats=5'], 'PAYMENT_INVALID'],
      [['svc_budget_sats=0'], 'PAYMENT_INVALID'],
      [['svc_amount_sats=2'], 'PAYMENT_INVALID'],
      [['svc_valid_until=4000000000'], 'PAYMENT_INVALID'],
      [
        ['svc_budget_sats=6', 'svc_budget_sats=5', 'svc_budget_sats=4', 'svc_budget_sats=3'],
        'PAYMENT_INVALID',
      ],
      [['svc_valid_until=1700000000'], 'PAYMENT_EXPIRED'],
    ] as const) {
      const refused = await prove(narrowed(parent, ...caveats));
      expect([caveats, ...seen(refused), refused.json.charged]).toEqual([caveats, 402, code, 'no']);
    }
    expect(await leftOf(parent)).toBe(6);
    // Its issuer's condition makes a bundle, and no holder does.
    const single = narrowed(await paidL402(route.address), 'svc_budget_sats=2');
    expect(seen(await prove(single))).toEqual([402, 'PAYMENT_INVALID']);
  });

  it('has a hundred budgets at most', async () => {
    const parent = await bundleOf({ sats: 200 });
    const childOf = (place: number) => narrowed(parent, `holder=${place}`, 'svc_budget_sats=4');
    for (let place = 1; place < 100; place++) expect((await show(childOf(place))).status).toBe(200);
    const one = await show(childOf(100));
    expect([...seen(one), one.json.max]).toEqual([402, 'PAYMENT_INVALID', 100]);
    expect((await prove(childOf(99))).status).toBe(200);
  });
}

function describeRetries(): void {
  it('is given a lost answer again, and pays once', async () => {
    const bundle = await bundleOf({ sats: 10 });
    const sent = body();
    const first = await prove(bundle, sent);
    const again = await prove(bundle, sent);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('payment-receipt')).toBe(first.headers.get('payment-receipt'));
    expect([again.headers.get('svc-credit'), await leftOf(bundle)]).toEqual([
      'balance=4000, cap=5000, spent=1000',
      8,
    ]);
  });

  it('has the Idempotency-Key of its holder', async () => {
    const bundle = await bundleOf({ sats: 10 });
    const key = { 'idempotency-key': 'purchase-1' };
    const sent = body();
    const first = await prove(bundle, sent, key);
    expect((await prove(bundle, sent, key)).text).toBe(first.text);
    expect(seen(await prove(bundle, body(), key))).toEqual([422, 'UNPROCESSABLE']);
    // A credential that has ended buys nothing, and is given what was bought.
    const ended = narrowed(bundle, 'svc_valid_until=1700000000');
    expect((await prove(ended, sent, key)).text).toBe(first.text);
    expect(await leftOf(bundle)).toBe(8);
  });
}

function describeBundleClients(): void {
  it('is kept by l402 for axios for all that its host sells, unmodified', async () => {
    const client = axios.create({ baseURL: route.address });
    const invoices: string[] = [];
    const account = {
      sendPayment: async ({ invoice }: { invoice: string }) => {
        invoices.push(invoice);
        return { payment_preimage: await payInvoice(route.address, invoice) };
      },
    };
    const store = new MemoryTokenStore({ keyMode: 'hostname-only' });
    setupL402Interceptor(client, new AlbyWallet(account as never), store);
    const bought = await client.post(BUNDLE, { sats: 4, capabilities: ['zk.*'] });
    expect([bought.status, bought.data.leftSats, invoices.length]).toEqual([200, 4, 1]);
    for (let turn = 0; turn < 2; turn++) expect((await client.post('/v1/zk/prove', body())).status).toBe(200);
    expect(invoices).toHaveLength(1);
    // It has nothing left: the client pays the invoice of the call.
    expect((await client.post('/v1/zk/prove', body())).status).toBe(200);
    expect(invoices).toHaveLength(2);
  });

  it('is bought by the L402 fetch of @getalby/lightning-tools, and pays what that is given it for', async () => {
    const wallet = {
      payInvoice: async ({ invoice }: { invoice: string }) => ({
        preimage: await payInvoice(route.address, invoice),
      }),
    };
    const init = (sent: object) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
    const bought = await fetchWithL402(route.address + BUNDLE, init({ sats: 4 }), { wallet });
    const { payment } = bought as unknown as { payment: { credentials: never } };
    expect([bought.status, payment.credentials]).toEqual([200, expect.anything()]);
    const { credentials } = payment;
    for (let turn = 0; turn < 2; turn++) {
      const url = `${route.address}/v1/zk/prove`;
      const answer = await fetchWithL402(url, init(body()), { wallet, credentials });
      expect([answer.status, answer.headers.get('svc-credit')]).toEqual([
        200,
        `balance=${1_000 - 1_000 * turn}, cap=2000, spent=${1_000 + 1_000 * turn}`,
      ]);
    }
  });
}

function describeEnds(): void {
  it('is refused once it has expired, and what it has left is its payer’s', async () => {
    const bundle = await bundleOf({ sats: 10 });
    expect((await prove(bundle)).status).toBe(200);
    expect(seen(await show(narrowed(bundle, 'svc_valid_until=1700000000')))).toEqual([
      402,
      'PAYMENT_EXPIRED',
    ]);
    const child = narrowed(bundle, 'svc_budget_sats=4');
    expect((await prove(child)).status).toBe(200);
    const recover = async (authorization: string) => {
      const { json } = await post(`${route.address}/v1/account/recovery/challenge`, {});
      const { challenge } = json;
      return post(`${route.address}/v1/account/recovery`, { challenge }, { authorization });
    };
    expect(seen(await recover(child))).toEqual([401, 'IDENTITY_UNPROVED']);
    const recovered = await recover(bundle);
    expect([recovered.status, recovered.json.balanceMicroUsd]).toEqual([201, 3_000]);
    for (const ended of [bundle, child, narrowed(bundle, 'holder=c', 'svc_budget_sats=2')])
      for (const at of [prove, show]) expect(seen(await at(ended))).toEqual([402, 'PAYMENT_INVALID']);
    const key = { 'x-svc-key': recovered.json.key as string };
    const paid = await post(`${route.address}/v1/zk/prove`, body(), key);
    expect([paid.status, paid.headers.get('svc-credit')]).toEqual([200, 'balance=2000']);
  });

  it('is refunded as far as it is not spent: its calls have earned the rest', async () => {
    const bundle = await bundleOf({ sats: 10 });
    expect((await prove(bundle)).status).toBe(200);
    const [{ claimId }] = await counted(
      `SELECT claim_id AS "claimId" FROM payments.payment_claim WHERE operation_id = 'l402.bundle.10' ORDER BY delivered_at DESC LIMIT 1`,
    );
    const refund = (more: object) =>
      post(
        `${route.address}/v1/admin/refunds`,
        { claimId, to: 'origin', reason: 'a complaint', ...more },
        { ...ADMIN, 'idempotency-key': randomUUID() },
      );
    const over = await refund({ microUsd: 4_500 });
    expect([over.status, over.json.errors]).toEqual([
      422,
      [expect.objectContaining({ path: 'microUsd', bound: 4_000, got: 4_500 })],
    ]);
    expect((await refund({ to: 'credit' })).status).toBe(422);
    expect(await leftOf(bundle)).toBe(8);
    expect((await refund({})).json).toMatchObject({ state: 'requested', microUsd: 4_000 });
    const none = { budgetSats: 10, spentSats: 2, leftSats: 0 };
    for (const asked of [prove(bundle), show(bundle)])
      expect((await asked).json).toMatchObject({ code: 'BUDGET_EXHAUSTED', ...none });
  });

  it('leaves its preimage and what names its macaroons in no table', async () => {
    const bundle = await bundleOf({ sats: 10 });
    const child = narrowed(bundle, 'svc_budget_sats=4');
    for (const each of [bundle, child]) expect((await prove(each)).status).toBe(200);
    const [, preimage] = partsOf(bundle);
    const signatures = [bundle, child].map(each =>
      Buffer.from(decodeMacaroon(decodeBase64(partsOf(each)[0], 4_096)!).signature).toString('hex'),
    );
    const tables = await counted(
      `SELECT format('%I', table_name) AS name FROM information_schema.tables WHERE table_schema = 'payments'`,
    );
    expect(tables.length).toBeGreaterThan(10);
    const dump: string[] = [];
    for (const { name } of tables)
      for (const row of await counted(`SELECT row_to_json(t)::text AS line FROM payments.${name} t`))
        dump.push(row.line as string);
    const text = dump.join('\n');
    // The row of the payment is there, so the search looks where it says.
    expect(text).toContain('l402.bundle.10');
    expect([preimage, ...signatures].filter(secret => text.includes(secret))).toEqual([]);
  });

  it('leaves the ledger and the claims without a finding', async () => {
    const { json } = await post(`${route.address}/v1/admin/reconcile`, {}, ADMIN);
    expect(json.findings).toEqual([]);
  });
}

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { PaidRoute } from './paid-route-fixture.js';

const ADMIN_KEY = 'admin key of the tests, at least 32 characters';
const NOBODY = `svc_test_${'a'.repeat(16)}_${'A'.repeat(43)}`;

let route: PaidRoute;

interface Reply {
  readonly status: number;
  readonly json: Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route
  readonly headers: Headers;
}

async function call(method: string, path: string, key?: string, body?: unknown, more = {}): Promise<Reply> {
  const response = await fetch(route.address + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-svc-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    json: (await response.json()) as Reply['json'],
    headers: response.headers,
  };
}

const admin = (method: string, path: string, body?: unknown, more = {}) =>
  call(method, path, ADMIN_KEY, body, more);

/** An account that an operator opened, with one key. */
async function openAccount(more: Record<string, unknown> = {}) {
  const { json: account } = await admin('POST', '/v1/admin/accounts', more);
  const { json: issued } = await admin('POST', `/v1/admin/accounts/${account.accountId}/keys`, {
    label: 'first',
  });
  return { accountId: account.accountId as string, key: issued.key as string, keyId: issued.keyId as string };
}

async function operatorKey(scopes: readonly string[]): Promise<string> {
  const { json: account } = await admin('POST', '/v1/admin/accounts', { kind: 'operator' });
  const issued = await admin('POST', `/v1/admin/accounts/${account.accountId}/keys`, { scopes });
  expect(issued.status).toBe(201);
  return issued.json.key as string;
}

/** Accounts and keys, as their holders and as operators see them. */
export function describeAccountAdmin(routeOf: () => PaidRoute): void {
  describe('accounts', () => {
    beforeAll(() => {
      route = routeOf();
    });

    describe('GET /v1/account', () => {
      test('without a key, or with one of nobody, is 401', async () => {
        for (const key of [undefined, NOBODY, `${NOBODY}x`, 'x']) {
          const { status, json } = await call('GET', '/v1/account', key);
          expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
        }
      });

      test('shows plan, credit as the floor of the balance, quota and keys, and is no-store', async () => {
        const { accountId, key, keyId } = await openAccount({ plan: 'developer' });
        await admin('POST', `/v1/admin/accounts/${accountId}/credit`, {
          amountMicroUsd: 749_999,
          reason: 'test',
        });
        const { status, json, headers } = await call('GET', '/v1/account', key);
        expect(status).toBe(200);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(json).toMatchObject({
          ...{ accountId, plan: 'developer', planState: 'active', balanceMicroUsd: 749_999, credits: 2 },
          quota: { limit: 50_000, used: 0 },
          keys: [{ keyId, label: 'first', state: 'active' }],
        });
        expect(JSON.stringify(json)).not.toContain(key.slice(-43));
      });

      test('and its ledger and usage tell what calls took', async () => {
        const { accountId, key } = await openAccount();
        await admin('POST', `/v1/admin/accounts/${accountId}/credit`, {
          amountMicroUsd: 5_000,
          reason: 'test',
        });
        const purchases: string[] = [];
        for (let i = 0; i < 3; i++) {
          const paid = await call('POST', '/v1/zk/prove', key, { traceData: `call ${i}`, degree: 8 });
          expect(paid.status).toBe(200);
          const receipt = Buffer.from(paid.headers.get('payment-receipt') ?? '', 'base64url').toString();
          purchases.push((JSON.parse(receipt) as { reference: string }).reference);
        }
        const { json: account } = await call('GET', '/v1/account', key);
        expect(account.balanceMicroUsd).toBe(2_000);
        const { json: usage } = await call('GET', '/v1/account/usage', key);
        expect(usage.items).toEqual([
          {
            ...{
              day: new Date().toISOString().slice(0, 10),
              operationId: 'zk.prove',
              calls: 3,
              delivered: 3,
            },
            ...{ fromQuota: 0, debitedMicroUsd: 3_000 },
          },
        ]);
        expect(usage.nextCursor).toBeNull();
        const seen: { seq: number; claimId?: string; balanceAfterMicroUsd: number }[] = [];
        for (let cursor = ''; ;) {
          const query = `limit=3${cursor && `&cursor=${cursor}`}`;
          const { json: page } = await call('GET', `/v1/account/ledger?${query}`, key);
          seen.push(...page.items);
          if (page.nextCursor === null) break;
          cursor = page.nextCursor;
        }
        expect(seen.map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
        // A debit names the purchase that its receipt names; a credit of an operator's is of none.
        expect(seen.map(({ claimId }) => claimId)).toEqual([...purchases.reverse(), undefined]);
        expect(seen.map(({ balanceAfterMicroUsd }) => balanceAfterMicroUsd)).toEqual([
          2_000, 3_000, 4_000, 5_000,
        ]);
      });
    });

    describe('keys of a holder', () => {
      test('a new one is shown once, works, and is its account’s', async () => {
        const { accountId, key } = await openAccount();
        const made = await call('POST', '/v1/account/keys', key, { label: 'second' });
        expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
        const { json: account } = await call('GET', '/v1/account', made.json.key);
        expect(account.accountId).toBe(accountId);
        expect(account.keys).toHaveLength(2);
      });

      test('one that is rotated goes on for its time of grace and no longer', async () => {
        const { key, keyId } = await openAccount();
        const once = await call('POST', `/v1/account/keys/${keyId}/rotate`, key, { graceSeconds: 600 });
        expect(once.status).toBe(201);
        expect(once.json.replaces.keyId).toBe(keyId);
        expect((await call('GET', '/v1/account', key)).status).toBe(200);
        const again = await call('POST', `/v1/account/keys/${keyId}/rotate`, key, { graceSeconds: 0 });
        expect([again.status, again.json.code]).toEqual([409, 'CONFLICT']);
        const next = await call('POST', `/v1/account/keys/${once.json.keyId}/rotate`, once.json.key, {
          graceSeconds: 0,
        });
        expect((await call('GET', '/v1/account', once.json.key)).status).toBe(401);
        expect((await call('GET', '/v1/account', next.json.key)).status).toBe(200);
      });

      test('of ten rotations of one key at once, one makes a key', async () => {
        const { key, keyId } = await openAccount();
        const rotations = Array.from({ length: 10 }, () =>
          call('POST', `/v1/account/keys/${keyId}/rotate`, key, { graceSeconds: 60 }),
        );
        const statuses = (await Promise.all(rotations)).map(({ status }) => status);
        expect(statuses.filter(status => status === 201)).toHaveLength(1);
        expect(statuses.filter(status => status === 409)).toHaveLength(9);
        expect((await call('GET', '/v1/account', key)).json.keys).toHaveLength(2);
      });

      test('one of another account is 404, whatever is asked of it', async () => {
        const [mine, other] = [await openAccount(), await openAccount()];
        const rotate = await call('POST', `/v1/account/keys/${other.keyId}/rotate`, mine.key, {});
        const revoke = await call('DELETE', `/v1/account/keys/${other.keyId}`, mine.key);
        expect([rotate.status, revoke.status]).toEqual([404, 404]);
        expect((await call('GET', '/v1/account', other.key)).status).toBe(200);
      });

      test('the last active one is revoked with force alone, and two at once do not both go', async () => {
        const { key, keyId } = await openAccount();
        const refused = await call('DELETE', `/v1/account/keys/${keyId}`, key);
        expect([refused.status, refused.json.code]).toEqual([409, 'CONFLICT']);
        const { json: second } = await call('POST', '/v1/account/keys', key);
        const both = await Promise.all([
          call('DELETE', `/v1/account/keys/${keyId}`, key),
          call('DELETE', `/v1/account/keys/${second.keyId}`, key),
        ]);
        const statuses = both.map(({ status }) => status).sort();
        // The one that is left opens the account still; a key that was revoked just before is 401.
        expect([[200, 409].join(), [200, 401].join()]).toContain(statuses.join());
        const left = both[0].status === 200 ? (second.key as string) : key;
        const { json: account } = await call('GET', '/v1/account', left);
        const last = account.keys.find(({ state }: { state: string }) => state === 'active').keyId;
        expect((await call('DELETE', `/v1/account/keys/${last}?force=true`, left)).status).toBe(200);
        expect((await call('GET', '/v1/account', left)).status).toBe(401);
      });

      test('are twenty at most', async () => {
        const { key } = await openAccount();
        const made = await Promise.all(
          Array.from({ length: 24 }, () => call('POST', '/v1/account/keys', key)),
        );
        expect(made.filter(({ status }) => status === 201)).toHaveLength(19);
        expect(made.find(({ status }) => status === 409)?.json).toMatchObject({ code: 'CONFLICT', max: 20 });
      });

      test.each([
        ['POST', '/v1/account/keys', { label: 'a\nb' }, 'label'],
        ['POST', '/v1/account/keys', { label: 'x'.repeat(101) }, 'label'],
        ['POST', '/v1/account/keys', { scopes: ['leads:read'] }, 'scopes'],
        ['POST', `/v1/account/keys/${'a'.repeat(16)}/rotate`, { graceSeconds: -1 }, 'graceSeconds'],
        ['POST', `/v1/account/keys/${'a'.repeat(16)}/rotate`, { graceSeconds: 604_801 }, 'graceSeconds'],
        ['POST', `/v1/account/keys/${'a'.repeat(16)}/rotate`, { graceSeconds: 1.5 }, 'graceSeconds'],
        ['GET', '/v1/account/usage?limit=32', undefined, 'limit'],
        ['GET', '/v1/account/ledger?limit=0', undefined, 'limit'],
        ['GET', '/v1/account/ledger?cursor=AAAA', undefined, 'cursor'],
        ['GET', '/v1/account/usage?cursor=%20', undefined, 'cursor'],
      ])('%s %s with %j is 400 naming %s', async (method, path, body, field) => {
        const { key } = await openAccount();
        const { status, json } = await call(method, path, key, body);
        expect([status, json.code, json.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', field]);
      });
    });

    /** Every route of operators, with the scope that it asks for. */
    const ACCOUNT = `acct_${'a'.repeat(20)}`;
    const SCOPED: readonly [method: string, path: string, scope: string, body?: object][] = [
      ['GET', '/leads', 'leads:read'],
      ['PATCH', `/leads/lead_${'A'.repeat(22)}`, 'leads:write', { status: 'won' }],
      ['GET', '/v1/admin/accounts', 'admin:accounts'],
      ['POST', '/v1/admin/accounts', 'admin:accounts', {}],
      ['GET', `/v1/admin/accounts/${ACCOUNT}`, 'admin:accounts'],
      ['PUT', `/v1/admin/accounts/${ACCOUNT}/plan`, 'admin:accounts', { plan: 'enterprise' }],
      [
        'POST',
        `/v1/admin/accounts/${ACCOUNT}/credit`,
        'admin:ledger',
        { amountMicroUsd: 1, reason: 'why not' },
      ],
      ['POST', `/v1/admin/accounts/${ACCOUNT}/keys`, 'admin:keys', {}],
      ['DELETE', `/v1/admin/accounts/${ACCOUNT}/keys/${'a'.repeat(16)}`, 'admin:keys'],
      ['PUT', `/v1/admin/accounts/${ACCOUNT}/licences`, 'admin:licences', { state: 'revoked' }],
      ['GET', '/v1/admin/spot-prices', 'admin:spot'],
      ['GET', '/v1/admin/audit', 'admin:audit'],
      ['POST', '/v1/admin/reconcile', 'admin:ledger'],
    ];

    describe('a route of operators', () => {
      let holder: string;
      beforeAll(async () => {
        holder = (await openAccount()).key;
      });

      test.each(SCOPED.map(([method, path, scope, body]) => [method, path, scope, body] as const))(
        '%s %s is 401 without a key, 403 with one that lacks %s',
        async (method, path, scope, body) => {
          const others = SCOPED.map(([, , each]) => each).filter(each => each !== scope);
          const lacking = await operatorKey([...new Set(others)]);
          const replies = [await call(method, path, undefined, body), await call(method, path, NOBODY, body)];
          expect(replies.map(({ status }) => status)).toEqual([401, 401]);
          for (const key of [holder, lacking]) {
            const { status, json } = await call(method, path, key, body);
            expect([status, json.code]).toEqual([403, 'FORBIDDEN']);
          }
          const fitting = await operatorKey([scope]);
          expect([200, 201, 404]).toContain((await call(method, path, fitting, body)).status);
        },
      );

      test('gives no scope that its own key lacks, and none to a customer', async () => {
        const { json: operator } = await admin('POST', '/v1/admin/accounts', { kind: 'operator' });
        const keys = `/v1/admin/accounts/${operator.accountId}/keys`;
        const narrow = await operatorKey(['admin:keys']);
        expect((await call('POST', keys, narrow, { scopes: ['leads:pii'] })).status).toBe(403);
        expect((await call('POST', keys, narrow, { scopes: ['admin:keys'] })).status).toBe(201);
        const { accountId } = await openAccount();
        const toCustomer = await admin('POST', `/v1/admin/accounts/${accountId}/keys`, {
          scopes: ['leads:read'],
        });
        expect([toCustomer.status, toCustomer.json.code]).toEqual([409, 'CONFLICT']);
      });
    });

    describe('keys of an operator', () => {
      test('are made, replaced and revoked on the record, refusals too, and those of a customer are not', async () => {
        const { json: operator } = await admin('POST', '/v1/admin/accounts', { kind: 'operator' });
        const issue = (scopes: string[]) =>
          admin('POST', `/v1/admin/accounts/${operator.accountId}/keys`, { scopes });
        const [{ json: narrow }, { json: wide }] = [await issue([]), await issue(['leads:read'])];
        const { json: made } = await call('POST', '/v1/account/keys', narrow.key, {});
        await call('POST', `/v1/account/keys/${made.keyId}/rotate`, narrow.key, { graceSeconds: 0 });
        await call('DELETE', `/v1/account/keys/${wide.keyId}`, narrow.key);
        const { key, accountId } = await openAccount();
        expect((await call('POST', '/v1/account/keys', key, {})).status).toBe(201);
        const { json } = await admin('GET', '/v1/admin/audit?limit=50');
        type Line = { accountId: string; action: string; target?: string; outcome: string };
        const lines = (json.items as Line[]).filter(line => line.action.startsWith('own-key.'));
        const ofOperator = lines.filter(line => line.accountId === operator.accountId);
        expect(ofOperator.map(({ action, target, outcome }) => [action, target, outcome])).toEqual([
          ['own-key.revoke', wide.keyId, 'FORBIDDEN'],
          ['own-key.rotate', made.keyId, 'DONE'],
          ['own-key.create', undefined, 'DONE'],
        ]);
        expect(lines.some(line => line.accountId === accountId)).toBe(false);
      });
    });

    describe('credit that an operator grants', () => {
      test('is one grant for one Idempotency-Key, also of twenty at once, and another body under it is 422', async () => {
        const { accountId, key } = await openAccount();
        const path = `/v1/admin/accounts/${accountId}/credit`;
        const header = { 'idempotency-key': `grant ${accountId}` };
        const grant = { amountMicroUsd: 1_000_000, reason: 'an apology' };
        const grants = await Promise.all(
          Array.from({ length: 20 }, () => admin('POST', path, grant, header)),
        );
        expect(new Set(grants.map(({ status }) => status))).toEqual(new Set([201]));
        expect(new Set(grants.map(({ json }) => json.grantId)).size).toBe(1);
        expect((await call('GET', '/v1/account', key)).json.balanceMicroUsd).toBe(1_000_000);
        const other = await admin('POST', path, { ...grant, amountMicroUsd: 2 }, header);
        expect([other.status, other.json.code]).toEqual([422, 'UNPROCESSABLE']);
      });

      test.each([
        [{ amountMicroUsd: 0, reason: 'zero' }, 'amountMicroUsd'],
        [{ amountMicroUsd: -1, reason: 'negative' }, 'amountMicroUsd'],
        [{ amountMicroUsd: 0.5, reason: 'a fraction' }, 'amountMicroUsd'],
        [{ amountMicroUsd: 10_000_000_001, reason: 'too much' }, 'amountMicroUsd'],
        [{ amountMicroUsd: 1e300, reason: 'overflow' }, 'amountMicroUsd'],
        [{ amountMicroUsd: '1', reason: 'text' }, 'amountMicroUsd'],
        [{ amountMicroUsd: 1, reason: '  ' }, 'reason'],
        [{ amountMicroUsd: 1, reason: 'a NUL \u0000' }, 'reason'],
        [{ amountMicroUsd: 1, reason: 'half a pair \ud800' }, 'reason'],
        [{ amountMicroUsd: 1 }, 'reason'],
      ])('%j is 400 naming %s', async (body, field) => {
        const { status, json } = await admin('POST', `/v1/admin/accounts/${ACCOUNT}/credit`, body);
        expect([status, json.errors[0].path]).toEqual([400, field]);
      });
    });

    describe('accounts', () => {
      test('are found by address and plan, page by page, each once', async () => {
        const email = 'found@example.com';
        const made = [];
        for (let i = 0; i < 5; i++) made.push((await openAccount({ email, plan: 'enterprise' })).accountId);
        const seen: string[] = [];
        for (let cursor = ''; ;) {
          const query = `limit=2&plan=enterprise&email=FOUND%40example.com${cursor && `&cursor=${cursor}`}`;
          const { json } = await admin('GET', `/v1/admin/accounts?${query}`);
          seen.push(...json.items.map(({ accountId }: { accountId: string }) => accountId));
          expect(json.items[0].email).toBe(email);
          if (json.nextCursor === null) break;
          cursor = json.nextCursor;
        }
        expect(seen).toEqual(made.reverse());
        const masked = await call(
          'GET',
          '/v1/admin/accounts?email=found%40example.com',
          await operatorKey(['admin:accounts']),
        );
        expect(masked.json.items[0].email).toBe('f***@example.com');
      });

      test('get the plan that an operator sets, to its end', async () => {
        const { accountId, key } = await openAccount();
        const until = new Date(Date.now() + 3_600_000).toISOString();
        const set = await admin('PUT', `/v1/admin/accounts/${accountId}/plan`, { plan: 'enterprise', until });
        expect(set.json).toMatchObject({ plan: 'enterprise', planUntil: until, quota: { limit: null } });
        expect((await call('GET', '/v1/account', key)).json.plan).toBe('enterprise');
        const past = await admin('PUT', `/v1/admin/accounts/${accountId}/plan`, {
          ...{ plan: 'enterprise', until: '2020-01-01T00:00:00Z' },
        });
        expect([past.status, past.json.errors[0].path]).toEqual([400, 'until']);
      });

      test.each([
        ['/v1/admin/accounts?email=nobody', 'email'],
        ['/v1/admin/accounts?limit=201', 'limit'],
        ['/v1/admin/accounts?limit=x', 'limit'],
        ['/v1/admin/accounts?cursor=garbage', 'cursor'],
        ['/v1/admin/accounts/acct_x', 'accountId'],
        ['/leads?limit=201', 'limit'],
        ['/leads?limit=-1', 'limit'],
        ['/leads?cursor=!', 'cursor'],
        ['/leads?cursor=AAAAAAAAAAAAAAAA', 'cursor'],
        ['/leads?status=lukewarm', 'status'],
        ['/leads?source=telephone', 'source'],
        ['/leads?since=yesterday', 'since'],
        ['/leads?q=%00%00', 'q'],
        ['/leads?since=99999-01-01T00:00:00Z', 'since'],
        [`/leads?q=${'x'.repeat(129)}`, 'q'],
        ['/v1/admin/audit?action=DROP', 'action'],
      ])('GET %s is 400 naming %s, its bound and the value', async (path, field) => {
        const { status, json } = await admin('GET', path);
        expect([status, json.code, json.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', field]);
        expect(json.errors[0]).toHaveProperty('bound');
        if (field !== 'limit' || !path.endsWith('x')) expect(json.errors[0]).toHaveProperty('got');
      });
    });

    describe('a key that an operator revokes', () => {
      test('ends at once; the key that asks is left alone', async () => {
        const { accountId, key, keyId } = await openAccount();
        const path = `/v1/admin/accounts/${accountId}/keys/${keyId}`;
        expect((await admin('DELETE', path)).status).toBe(200);
        expect((await call('GET', '/v1/account', key)).status).toBe(401);
        const { json: me } = await admin('GET', '/v1/account');
        const [{ keyId: own }] = me.keys.filter(({ label }: { label: string }) => label === 'ADMIN_KEY');
        expect((await admin('DELETE', `/v1/admin/accounts/${me.accountId}/keys/${own}`)).status).toBe(409);
        expect((await admin('GET', '/v1/account')).status).toBe(200);
      });
    });

    describe('spot prices', () => {
      const price = {
        metal: 'XAU',
        currency: 'USD',
        price: '2387.15',
        asOf: '2026-04-02T12:00:00Z',
        source: 'desk',
      };

      test('are kept, and the newest of each metal and currency is in force', async () => {
        expect((await admin('POST', '/v1/admin/spot-prices', price)).status).toBe(201);
        const later = { ...price, price: '2400.00000001', asOf: '2026-04-02T13:00:00+02:00' };
        await admin('POST', '/v1/admin/spot-prices', later);
        await admin('POST', '/v1/admin/spot-prices', { ...price, metal: 'XAG', price: '30' });
        const { json } = await admin('GET', '/v1/admin/spot-prices');
        expect(json.items.map((item: typeof price) => [item.metal, item.price])).toEqual([
          ['XAG', '30'],
          ['XAU', '2387.15'],
        ]);
      });

      test.each([
        [{ metal: 'XCU' }, 'metal'],
        [{ price: '0' }, 'price'],
        [{ price: '0.000' }, 'price'],
        [{ price: '-1' }, 'price'],
        [{ price: '1e9' }, 'price'],
        [{ price: 2387.15 }, 'price'],
        [{ price: '1.123456789' }, 'price'],
        [{ currency: 'usd' }, 'currency'],
        [{ asOf: '2999-01-01T00:00:00Z' }, 'asOf'],
        [{ asOf: 'now' }, 'asOf'],
        [{ source: '' }, 'source'],
      ])('with %j are 400 naming %s', async (fault, field) => {
        const { status, json } = await admin('POST', '/v1/admin/spot-prices', { ...price, ...fault });
        expect([status, json.errors[0].path]).toEqual([400, field]);
      });
    });

    test('the record says who did what and what came of it, newest first, refusals too', async () => {
      const { accountId } = await openAccount();
      const key = await operatorKey(['admin:keys']);
      await call('POST', `/v1/admin/accounts/${accountId}/keys`, key, { scopes: ['leads:pii'] });
      const { json } = await admin('GET', '/v1/admin/audit?action=key.issue&limit=2');
      expect(json.items[0]).toMatchObject({ action: 'key.issue', target: accountId, outcome: 'FORBIDDEN' });
      expect(json.items[0].argumentsDigest).toMatch(/^[0-9a-f]{8}:[A-Za-z0-9_-]{43}$/);
      expect(json.items[1]).toMatchObject({ action: 'key.issue', outcome: 'DONE' });
      expect(json.nextCursor).not.toBeNull();
      expect(JSON.stringify(json)).not.toContain(key);
    });

    test('after all of this the ledger agrees with itself', async () => {
      const { status, json } = await admin('POST', '/v1/admin/reconcile');
      expect([status, json.balanced, json.imbalanceMicroUsd, json.findings]).toEqual([200, true, 0, []]);
    });
  });
}

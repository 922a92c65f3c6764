import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { HOLDER, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { scriptedAttest, scriptedTools, toolScript } from './tools-under-test.js';

let gateway: RunningGateway;
let services: RunningService[];
let payments: PaymentsScript;
let renew: () => void;
const tools = toolScript();
beforeAll(async () => {
  const bus = new MemoryBus();
  const scripted = scriptedPayments();
  payments = scripted.script;
  renew = scripted.begin;
  services = [
    await startServiceOn(bus, 'payments', {
      controllers: [...scripted.controllers, scriptedTools('payments', tools)],
    }),
    await startServiceOn(bus, 'snn', { controllers: [scriptedTools('snn', tools)] }),
    await startServiceOn(bus, 'prover', {
      controllers: [scriptedTools('prover', tools), scriptedAttest(tools)],
    }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  renew();
  payments.purse = purse(100_000);
  Object.assign(tools, { faults: [], admitFaults: [], attestFaults: [] });
  tools.reply = ({ tool }) => ({ output: tool === 'get_product_catalog' ? { catalog: [] } : FREE_ENERGY });
  for (const list of [tools.admitted, tools.calls, tools.revoked, tools.attested]) list.length = 0;
});

const PRICE = 1_000;
const FREE_ENERGY = {
  ...{ variationalFreeEnergy: 0.01, homeostaticStatus: 'HOMEOSTATIC', optimalTrajectory: [1, 2, 3] },
  ...{ adaptingUpTo: 1 },
};
const fepBody = (parcel: number, samples = 3) => ({
  parcelId: `parcel-${parcel}`,
  elevationContour: Array.from({ length: samples }, (_, i) => i),
});
const purse = (balanceMicroUsd: number, quotaCalls = 0) => ({
  ...{ accountId: HOLDER.accountId, balanceMicroUsd, quotaCalls },
});
let keys = 0;
/** A key that the gateway has not seen, of an account that it has not seen: what it remembers of others counts for nothing. */
function freshKey(balanceMicroUsd = 100_000, quotaCalls = 0): HeaderLines {
  const accountId = `acct_${String(++keys).padStart(20, '0')}`;
  payments.purse = { accountId, balanceMicroUsd, quotaCalls };
  return [['X-SVC-KEY', `svc_test_key_${keys}`]];
}
const CATALOGUE = '/v1/tools/get_product_catalog';
const FEP = '/v1/tools/evaluate_spatial_parcel_fep';
const call = (lines: HeaderLines, path = CATALOGUE, body: unknown = {}) =>
  rawCall(gateway.address, path, { lines, body });
/** A key whose account has paid once, so that it may be answered first. */
async function knownKey(balanceMicroUsd?: number, quotaCalls?: number): Promise<HeaderLines> {
  const lines = freshKey(balanceMicroUsd, quotaCalls);
  expect((await call(lines)).status).toBe(200);
  payments.claimed.length = 0;
  payments.delivered.length = 0;
  tools.calls.length = 0;
  return lines;
}
/** Holds calls of tools until the gate is opened. */
function gate(count: number): { open: () => void; reached: () => Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>(resolve => (open = resolve));
  tools.faults = Array.from({ length: count }, () => () => opened);
  return {
    open: () => open(),
    reached: async () => {
      while (tools.calls.length < count) await delay(2);
    },
  };
}

describe('a cheap call of a key', () => {
  test('is claimed at first, and then runs before it is paid for, under the receipt that it is sold with', async () => {
    const lines = freshKey();
    expect((await call(lines)).status).toBe(200);
    expect([payments.claimed.length, payments.delivered.length, payments.sold.length]).toEqual([1, 1, 0]);
    const { status, headers, text } = await call(lines);
    expect([status, payments.claimed.length, payments.sold.length]).toEqual([200, 1, 1]);
    const [sold] = payments.sold;
    expect(sold).toMatchObject({ operationId: 'tool.get_product_catalog', accountKey: lines[0][1] });
    expect(Buffer.from(sold.response.body).toString()).toBe(text);
    const receipt = JSON.parse(Buffer.from(String(headers['payment-receipt']), 'base64url').toString());
    expect(receipt).toMatchObject({ method: 'svc-key', reference: sold.claimId, timestamp: sold.soldAt });
    expect(tools.calls.at(-1)?.receipt).toBe(headers['payment-receipt']);
    expect(headers['svc-credit']).toBe('balance=100000');
  });

  test('that has an effect, or is paid otherwise, is claimed all the same', async () => {
    const lines = await knownKey();
    await call(lines, '/v1/tools/create_purchase_link', { tier: 'developer_sdk' });
    await call([['Authorization', 'L402 bWFj:00']]);
    expect(payments.claimed).toHaveLength(2);
    expect(payments.sold).toEqual([]);
  });

  test('whose body is large is claimed first', async () => {
    const lines = await knownKey();
    await call(lines, FEP, fepBody(1, 2_000));
    await call(lines, FEP, fepBody(2, 20_000));
    expect([payments.sold.length, payments.claimed.length]).toEqual([1, 1]);
  });

  test('costs nothing where the work refuses it, and the next one runs first again', async () => {
    const lines = await knownKey();
    tools.faults = [() => Promise.reject(problem('UNPROCESSABLE', 'No such parcel'))];
    const refused = await call(lines);
    expect([refused.status, refused.json.detail, refused.json.charged]).toEqual([
      422,
      'No such parcel. Nothing was taken from the account',
      'no',
    ]);
    expect([payments.claimed, payments.sold]).toEqual([[], []]);
    expect((await call(lines)).status).toBe(200);
    expect([payments.claimed.length, payments.sold.length]).toEqual([0, 1]);
  });

  test.each([
    ['SERVICE_UNAVAILABLE', 503],
    ['QUEUE_FULL', 429],
  ] as const)(
    'that cannot be done now (%s) is claimed, which finds what was bought before, and so are those after it',
    async (code, status) => {
      const lines = await knownKey();
      const fault = () => Promise.reject(problem(code, 'It is away', { retryAfterSeconds: 1 }));
      tools.faults = [fault];
      payments.bought = {
        status: 200,
        contentType: 'application/json',
        body: Buffer.from('{"before":true}'),
      };
      expect(await call(lines)).toMatchObject({ status: 200, text: '{"before":true}' });
      payments.bought = undefined;
      tools.faults = [fault];
      expect(await call(lines)).toMatchObject({ status, json: { charged: 'no' } });
      expect([payments.claimed.length, payments.released.length, payments.sold.length]).toEqual([2, 1, 0]);
    },
  );
});

describe('work before its payment', () => {
  test('is done for no more calls at once than the account could pay when it last paid', async () => {
    const lines = await knownKey(2 * PRICE);
    const held = gate(3);
    const asked = [1, 2, 3].map(parcel =>
      call([...lines, ['Idempotency-Key', `k-${parcel}`]], FEP, fepBody(parcel)),
    );
    await held.reached();
    // Two run unsold; the third was claimed.
    expect(payments.claimed).toHaveLength(1);
    held.open();
    await Promise.all(asked);
    expect(payments.sold).toHaveLength(2);
  });

  test('is done within what the quota of a plan has left', async () => {
    const lines = await knownKey(0, 1);
    const held = gate(2);
    const asked = [call(lines), call(lines, FEP, fepBody(1))];
    await held.reached();
    expect(payments.claimed).toHaveLength(1);
    held.open();
    await Promise.all(asked);
    expect(payments.sold).toHaveLength(1);
  });

  test('is done once at a time for the same request: who asks meanwhile asks again', async () => {
    const lines = await knownKey();
    const held = gate(1);
    const first = call(lines);
    await held.reached();
    const second = await call(lines);
    expect([second.status, second.json.code, second.headers['retry-after']]).toEqual([
      409,
      'PAYMENT_IN_FLIGHT',
      '1',
    ]);
    held.open();
    expect((await first).status).toBe(200);
    expect([tools.calls.length, payments.sold.length, payments.claimed.length]).toEqual([1, 1, 0]);
  });

  test('that could not be sold is not done again for a while, and its payer hears why', async () => {
    const lines = await knownKey();
    payments.saleOutcomes = [
      problem('PAYMENT_INSUFFICIENT', 'The account has 0 USD', { extensions: { balanceMicroUsd: 0 } }),
    ];
    const refused = await call(lines);
    expect([refused.status, refused.json.code, refused.json.balanceMicroUsd]).toEqual([
      402,
      'PAYMENT_INSUFFICIENT',
      0,
    ]);
    expect(String(refused.headers['www-authenticate'])).toContain('L402');
    await call(lines);
    expect([payments.claimed.length, payments.sold.length]).toEqual([1, 1]);
  });

  test('whose client has gone before it was done is not sold, and the next is claimed first', async () => {
    const lines = await knownKey();
    const held = gate(1);
    const url = new URL(CATALOGUE, gateway.address);
    const outgoing = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [lines[0][0]]: lines[0][1] },
    });
    outgoing.on('error', () => undefined).end('{}');
    await held.reached();
    outgoing.destroy();
    while (tools.revoked.length === 0) await delay(2);
    held.open();
    expect((await call(lines)).status).toBe(200);
    expect([payments.claimed.length, payments.sold.length]).toEqual([1, 0]);
  });
});

describe('a sale', () => {
  test('whose reply is lost is requested again under the same id', async () => {
    const lines = await knownKey();
    payments.saleOutcomes = [problem('TIMEOUT', 'No answer'), problem('SETTLEMENT_UNKNOWN', 'In doubt')];
    expect((await call(lines)).status).toBe(200);
    expect(payments.sold).toHaveLength(3);
    expect(new Set(payments.sold.map(({ claimId }) => claimId)).size).toBe(1);
    expect(tools.calls).toHaveLength(1);
  });

  test('that gets no reply in three attempts is 503, and its answer is not sent', async () => {
    const lines = await knownKey();
    payments.saleOutcomes = Array.from({ length: 3 }, () => problem('TIMEOUT', 'No answer'));
    const answer = await call(lines);
    expect([answer.status, answer.json.code, answer.json.charged]).toEqual([
      503,
      'SETTLEMENT_UNKNOWN',
      'unknown',
    ]);
    expect(answer.text).not.toContain('auditProof');
  });

  test('that finds the request sold gives the answer that was sold, with its receipt', async () => {
    const lines = await knownKey();
    const body = Buffer.from('{"before":true}');
    const receipt = {
      ...{ rail: 'svc-key', reference: 'first', amountMicroUsd: PRICE, amountSats: 2 },
      ...{ timestamp: '2026-04-02T00:00:00.000Z', headers: { 'Payment-Receipt': 'of-the-first' } },
    };
    payments.saleOutcomes = [
      { outcome: 'replayed', response: { status: 200, contentType: 'application/json', body }, receipt },
    ];
    const answer = await call(lines);
    expect([answer.status, answer.text, answer.headers['payment-receipt']]).toEqual([
      200,
      '{"before":true}',
      'of-the-first',
    ]);
  });

  test('that finds a lapsed claim is claimed instead, and runs under that claim', async () => {
    const lines = await knownKey();
    payments.saleOutcomes = [{ outcome: 'to-be-claimed' }];
    expect((await call(lines)).status).toBe(200);
    expect([payments.sold.length, payments.claimed.length, payments.delivered.length]).toEqual([1, 1, 1]);
    expect(tools.calls).toHaveLength(2);
  });

  test('that is refused after an attempt whose reply was lost says that the charge is unknown', async () => {
    const lines = await knownKey();
    payments.saleOutcomes = [
      problem('TIMEOUT', 'No answer'),
      problem('UNKNOWN_CREDENTIAL', 'It was revoked'),
    ];
    const answer = await call(lines);
    expect([answer.status, answer.json.charged]).toEqual([401, 'unknown']);
  });

  test('to a key that was revoked meanwhile is refused, and nothing is sent', async () => {
    const lines = await knownKey();
    payments.saleOutcomes = [problem('UNKNOWN_CREDENTIAL', 'The key was revoked')];
    const answer = await call(lines);
    expect([answer.status, answer.json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
    expect(answer.text).not.toContain('auditProof');
  });
});

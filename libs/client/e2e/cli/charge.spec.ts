import type { ServerResponse } from 'node:http';
import { PaywallServer, type SeenRequest } from '../../testing/paywall-server.js';
import { svcInProcess } from '../command-line.js';

const CLAIM = '0b9cfc0e-9d5f-4f7e-8b63-2f1d8c1f6e10';
const KEY = { SVC_KEY: 'svc_test_holder' };
const receipt = {
  'payment-receipt': Buffer.from(
    JSON.stringify({
      ...{ status: 'success', method: 'svc-key', timestamp: '2026-11-28T20:37:27.239Z', reference: CLAIM },
    }),
  ).toString('base64url'),
};
const ANSWER = { catalog: [1], auditProof: { version: 2, doesNotProve: 'much' } };

interface Entry {
  readonly claimId?: string | undefined;
  readonly operationId?: string;
  readonly amountMicroUsd: number;
  readonly balanceAfterMicroUsd: number;
  readonly at: string;
}
const entry = (amountMicroUsd: number, balanceAfterMicroUsd: number, more: Partial<Entry> = {}): Entry => ({
  ...{ claimId: CLAIM, amountMicroUsd, balanceAfterMicroUsd, at: '2026-11-28T20:37:27.300Z' },
  ...more,
});
const noise = (at: string) => Array.from({ length: 3 }, () => entry(-1, 0, { claimId: 'other', at }));

let server: PaywallServer;
let answer: { status: number; headers: Record<string, string>; body: object; isSold?: boolean };
/** Pages of the ledger, newest first; undefined: it is away. */
let ledger: Entry[][] | undefined;

function respond(request: SeenRequest, response: ServerResponse, self: PaywallServer): void {
  const { pathname, searchParams } = new URL(request.path, 'http://x');
  if (pathname === '/v1/account/ledger') {
    if (!ledger) return self.problem(response, 503, 'SERVICE_UNAVAILABLE');
    const page = Number(searchParams.get('cursor') ?? 0);
    const nextCursor = page + 1 < ledger.length ? String(page + 1) : null;
    return self.json(response, { items: ledger[page], nextCursor });
  }
  if (answer.isSold && self.paymentHashOf(request) === undefined) return self.demandPayment(response);
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  response.statusCode = answer.status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer.body));
}

beforeAll(async () => {
  server = await PaywallServer.start(respond);
});
beforeEach(() => {
  server.requests.length = 0;
  answer = { status: 200, headers: receipt, body: ANSWER };
  ledger = [[]];
});
afterAll(() => server.close());

const CALL = ['tool', 'get_product_catalog', '--no-check'];
const svc = (args: readonly string[], environment: Record<string, string> = KEY) =>
  svcInProcess([...args, '--url', server.url], { environment });
async function paid(
  args: readonly string[] = CALL,
  environment = KEY,
): Promise<[string | undefined, unknown]> {
  const { stdout } = await svc(args, environment);
  const { payment } = JSON.parse((await svc([...args, '--json'], environment)).stdout);
  return [/^paid +(.*)$/m.exec(stdout)?.[1], payment];
}

describe('what svc says that was paid', () => {
  test('of a key is what its ledger says that the call was debited', async () => {
    ledger = [[...noise('2026-11-28T20:37:30.000Z'), entry(-1_000, 9_942_000)]];
    expect(await paid()).toEqual([
      '0.001 USD from the credit of SVC_KEY, which then had 9.942 USD',
      {
        ...{ rail: 'svc-key', from: 'credit', claimId: CLAIM },
        ...{ debitedMicroUsd: 1_000, returnedMicroUsd: 0, balanceMicroUsd: 9_942_000 },
        at: '2026-11-28T20:37:27.300Z',
      },
    ]);
    expect(server.calls.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
      ...['POST /v1/tools/get_product_catalog', 'GET /v1/account/ledger'],
      ...['POST /v1/tools/get_product_catalog', 'GET /v1/account/ledger'],
    ]);
  });

  test('is found on a later page, where other calls came after it', async () => {
    ledger = [noise('2026-11-28T20:40:00.000Z'), noise('2026-11-28T20:39:00.000Z'), [entry(-1_000, 5_000)]];
    expect((await paid())[0]).toBe('0.001 USD from the credit of SVC_KEY, which then had 0.005 USD');
  });

  test('of a sale that was taken back is nothing, by key and by payment', async () => {
    answer.body = { ...ANSWER, status: 'COMPENSATED' };
    ledger = [[entry(5_000, 9_943_000), entry(-5_000, 9_938_000)]];
    expect(await paid()).toEqual([
      'nothing: 0.005 USD were taken, and are back in the credit of SVC_KEY, which then had 9.943 USD',
      expect.objectContaining({ debitedMicroUsd: 5_000, returnedMicroUsd: 5_000 }),
    ]);
    answer = { ...answer, headers: { 'x-svc-key': 'svc_test_rest' }, isSold: true };
    expect(await paid(CALL, {} as typeof KEY)).toEqual([
      'nothing: 2 sats over l402 were taken, and have become credit',
      expect.objectContaining({ rail: 'l402', amountSats: 2, isReturned: true }),
    ]);
  });

  test('of a plan is a request of the month, or nothing where the plan has no limit', async () => {
    answer.headers = { ratelimit: '"month";r=764;t=1000' };
    expect(await paid()).toEqual([
      'by a request of the month, of which 764 are left',
      { rail: 'svc-key', from: 'plan', requestsLeft: 764 },
    ]);
    expect((await paid(CALL, {} as typeof KEY))[1]).toBeNull();
    answer.headers = receipt;
    ledger = [noise('2026-11-28T20:00:00.000Z'), []];
    expect(await paid()).toEqual([
      'nothing: the plan of SVC_KEY covers it',
      { rail: 'svc-key', from: 'plan', claimId: CLAIM, debitedMicroUsd: 0 },
    ]);
  });

  test.each([0, 764])('of a key that was debited is the debit, with %i requests left too', async left => {
    answer.headers = { ...receipt, ratelimit: `"month";r=${left};t=1000` };
    ledger = [[entry(-1_000, 9_942_000)]];
    expect(await paid()).toEqual([
      '0.001 USD from the credit of SVC_KEY, which then had 9.942 USD',
      expect.objectContaining({ from: 'credit', debitedMicroUsd: 1_000 }),
    ]);
    ledger = undefined;
    expect((await paid())[1]).toMatchObject({ from: 'unknown' });
  });

  test('is not made up where the ledger cannot be read', async () => {
    const short = ['--timeout', '1'];
    ledger = Array.from({ length: 9 }, () => noise('2026-11-28T20:40:00.000Z'));
    expect(await paid([...CALL, ...short])).toEqual([
      'by SVC_KEY; what it was debited cannot be read (it has many newer entries): svc account ledger',
      { rail: 'svc-key', from: 'unknown', claimId: CLAIM },
    ]);
    ledger = [[{ ...entry(-1_000, 4_000), claimId: undefined, operationId: 'zk.prove' }]];
    expect((await paid())[0]).toContain('its entries do not name the purchases that they are of');
    ledger = undefined;
    expect((await paid())[0]).toMatch(/^by SVC_KEY; what it was debited cannot be read/);
  });

  test('of a task that goes on is held, and of a call without a price nothing', async () => {
    answer = { status: 202, headers: {}, body: { taskId: 'tsk_x', status: 'QUEUED' } };
    const { stdout } = await svc(['task', 'proofs']);
    expect(stdout).toMatch(/^paid +from SVC_KEY, held until the work ends; svc account ledger/m);
    answer = { status: 200, headers: {}, body: ANSWER };
    expect(await paid()).toEqual(['nothing', null]);
  });

  test('of a licence that a ticket paid for and a fault took back is nothing', async () => {
    const sale = {
      contractId: 'c',
      m2mLicenseToken: '',
      starkExecutionProof: '',
      contract: {},
      walEvents: [],
    };
    const saga = { sagaId: CLAIM, walHash: '0x', walCount: 0, executionTimeMs: 1 };
    answer.body = { ...sale, ...saga, status: 'COMPENSATED' };
    const licence = ['license', 'agent-7', '--no-check'];
    expect((await svc([...licence, '--ticket', 'tkt_x'])).stdout).toMatch(
      /^paid +nothing: what the ticket cost has become credit of who paid it$/m,
    );
    ledger = [[entry(5_000, 9_943_000), entry(-5_000, 9_938_000)]];
    expect((await svc(licence)).stdout).toMatch(/^paid +nothing: 0.005 USD were taken, and are back/m);
    answer.body = { ...sale, ...saga, status: 'COMPLETED' };
    expect((await svc([...licence, '--ticket', 'tkt_x'])).stdout).toMatch(/^paid +by ticket$/m);
  });
});

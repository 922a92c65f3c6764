import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { INTERCEPTORS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { Controller, RequestMethod, type Type } from '@nestjs/common';
import {
  accountRecoveryContract,
  accountRecoveryRoutes,
  certificatesRoutes,
  ROUTES,
  snnRoutes,
  starkRoutes,
  x402Routes,
} from '@svc/contracts';
import {
  BAD_PAYMENTS,
  FREE_CALLS_AT_ONCE,
  FREE_WORK_UNITS,
  LARGE_WORK_UNITS,
  TrustedProxies,
  UNPAID_FILES,
  UnpaidWork,
} from '@svc/edge';
import { Handle, MemoryBus, problem, type RunningService } from '@svc/platform';
import { GatewayModule } from '../src/gateway.module.js';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { ProverUnderTest, turnsSeen } from './prover-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { scriptedSnn, type SnnScript } from './snn-under-test.js';
import { scriptedAttest, toolScript } from './tools-under-test.js';
import { scriptedX402 } from './x402-under-test.js';

const ASYNC: HeaderLines = [['Prefer', 'respond-async']];
const PAID: HeaderLines = [['Authorization', 'L402 bWFj:00']];
/** Of a run that is large. */
const LARGE_SECONDS = 200;
/** Of a run that is as long as one may be without being large, its call counted. */
const LONGEST_SECONDS = (LARGE_WORK_UNITS - 20) / 1_000;
const graph = snnRoutes.solveGraph.body.schema.meta()!.example as object;

/** Proofs of payers, of which none is one. */
@Controller()
class NobodysProof {
  @Handle(accountRecoveryContract.recover)
  recover(): never {
    throw problem('IDENTITY_UNPROVED', 'It is none');
  }
}

const bus = new MemoryBus();
let gateway: RunningGateway;
let services: RunningService[];
let money: PaymentsScript;
let snn: SnnScript;
/** Each test calls from an address of its own. */
let address = 0;
beforeAll(async () => {
  const payments = scriptedPayments();
  const scripted = scriptedSnn();
  [money, snn] = [payments.script, scripted.script];
  services = await Promise.all([
    startServiceOn(bus, 'payments', {
      controllers: [...payments.controllers, ...scriptedX402().controllers, NobodysProof],
    }),
    startServiceOn(bus, 'snn', { controllers: scripted.controllers }),
    startServiceOn(bus, 'department', { controllers: scripted.deskControllers }),
    startServiceOn(bus, 'prover', { controllers: [ProverUnderTest, scriptedAttest(toolScript())] }),
  ]);
  const rateLimits = { factor: 1, trustedProxies: new TrustedProxies(['127.0.0.0/8']) };
  gateway = await startGatewayOn(bus, { rateLimits });
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  address++;
  const nothing = async () => undefined;
  Object.assign(snn, { seconds: 0.25, before: nothing, taskEnds: nothing, refusal: undefined });
  Object.assign(money, { requestsLeft: 1_000, claimFaults: [] });
  for (const list of [money.counted, money.uncounted, snn.admitted, snn.solved, snn.submitted])
    list.length = 0;
});

const from = (one: string): HeaderLines => [['X-Forwarded-For', one]];
const here = () => from(`192.0.2.${address}`);
const post = (path: string, body: unknown, lines: HeaderLines) =>
  rawCall(gateway.address, path, {
    body,
    lines: lines.some(([name]) => name === 'X-Forwarded-For') ? lines : [...lines, ...here()],
  });
const solve = (lines: HeaderLines = []) => post(snnRoutes.solve.path, { neuronCount: 100 }, lines);
const verify = (lines: HeaderLines = []) =>
  post(starkRoutes.verifyProof.path, { proof: 'AAAA', publicInputs: {}, airId: 'hash-chain/v1' }, lines);
/** Work that is held, and let go at the end of each test: a gateway closes when nothing is under way. */
const holding: (() => void)[] = [];
afterEach(() => holding.splice(0).forEach(letGo => letGo()));
/** Work that goes on until it is let go. */
function held(): { work: () => Promise<void>; begun: () => number; letGo: () => void } {
  const waiting: (() => void)[] = [];
  let begun = 0;
  let isFree = false;
  const letGo = () => {
    isFree = true;
    waiting.forEach(go => go());
  };
  holding.push(letGo);
  return {
    work: () => (begun++, isFree ? Promise.resolve() : new Promise(resolve => waiting.push(resolve))),
    begun: () => begun,
    letGo,
  };
}
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 5));
};
const refusedAt = (bound: number, got: number) => ({
  status: 429,
  json: { code: 'RATE_LIMITED', errors: [{ path: 'free-work', bound, got }] },
});

test('what a service refuses for nothing counts as a call, for it was looked at', async () => {
  const rateLimits = { factor: 200 / FREE_WORK_UNITS, trustedProxies: new TrustedProxies([]) };
  const small = await startGatewayOn(bus, { rateLimits });
  snn.refusal = problem('UNPROCESSABLE', 'no network can be that');
  const seen: number[] = [];
  for (let turn = 0; turn < 12; turn++)
    seen.push((await rawCall(small.address, snnRoutes.solve.path, { body: { neuronCount: 100 } })).status);
  await small.close();
  expect(seen).toEqual([...Array(10).fill(422), 429, 429]);
});

describe('a large run that nobody pays for', () => {
  test.each([
    ['as a task', ASYNC, 'taskEnds'],
    ['on an open connection', [], 'before'],
  ] as [string, HeaderLines, 'taskEnds' | 'before'][])(
    '%s is alone for its caller until it ends, and a second one costs nothing',
    async (_how, lines, waits) => {
      const running = held();
      Object.assign(snn, { seconds: LARGE_SECONDS, [waits]: running.work });
      const first = solve(lines);
      await until(() => running.begun() === 1);

      const second = await solve(ASYNC);
      expect(second).toMatchObject(refusedAt(1, 2));
      expect(second.json.detail).toContain('from this address');
      expect(Number(second.headers['retry-after'])).toBeGreaterThan(LARGE_SECONDS / 2);
      expect(second.headers.ratelimit).toMatch(/^"month";r=999;/);
      expect([money.counted.length, money.uncounted.length]).toEqual([2, 1]);
      expect(await post(snnRoutes.solveGraph.path, graph, ASYNC)).toMatchObject(refusedAt(1, 2));

      expect((await solve([...PAID, ...ASYNC])).status).toBe(202);
      expect((await solve([...ASYNC, ...from(`198.51.100.${address}`)])).status).toBe(202);
      snn.seconds = 0.25;
      expect((await verify()).status).toBe(200);

      snn.seconds = LARGE_SECONDS;
      running.letGo();
      expect((await first).status).toBe(lines === ASYNC ? 202 : 200);
      let next = await solve(ASYNC);
      while (next.status === 429) next = await solve(ASYNC);
      expect(next.status).toBe(202);
    },
  );

  test('of one /64 is of one caller', async () => {
    const running = held();
    Object.assign(snn, { seconds: LARGE_SECONDS, taskEnds: running.work });
    const statuses: number[] = [];
    for (const one of ['2001:db8::1', '2001:db8::2:1', '2001:db8:0:1::1'])
      statuses.push((await solve([...ASYNC, ...from(one)])).status);
    running.letGo();
    expect(statuses).toEqual([202, 429, 202]);
  });

  test('that is refused for another reason leaves room for the next', async () => {
    snn.seconds = LARGE_SECONDS;
    snn.before = async () => {
      throw new Error('the run is lost');
    };
    expect((await solve()).status).toBe(500);
    snn.before = async () => undefined;
    expect((await solve()).status).toBe(200);
  });
});

describe('work that nobody pays for', () => {
  test('ends for its caller at the units of a window, and is given back; who pays goes on', async () => {
    snn.seconds = LONGEST_SECONDS;
    const runs = Math.floor(FREE_WORK_UNITS / LARGE_WORK_UNITS);
    for (let run = 0; run < runs; run++) expect((await solve()).status).toBe(200);
    for (const refused of [await solve(), await verify()]) {
      expect(refused.json).toMatchObject({
        code: 'RATE_LIMITED',
        detail: expect.stringContaining('units of work for nothing'),
        errors: [{ path: 'free-work', bound: FREE_WORK_UNITS }],
      });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(10);
    }
    expect(money.counted.length - money.uncounted.length).toBe(runs);
    expect((await solve(PAID)).status).toBe(200);
  });

  test('takes what it leaves stored: thirty challenges of rings in a window', async () => {
    const ask = () => rawCall(gateway.address, '/api/agent/bullion/challenge', { lines: here(), body: {} });
    const statuses: number[] = [];
    for (let call = 0; call < 31; call++) statuses.push((await ask()).status);
    expect(statuses).toEqual([...Array<number>(30).fill(503), 429]);
  });

  test('that is refused is not counted: what is smaller is still done', async () => {
    for (const [seconds, status] of [
      [LONGEST_SECONDS, 200],
      [LONGEST_SECONDS, 200],
      [5, 200],
      [LONGEST_SECONDS, 429],
      [1, 200],
    ]) {
      snn.seconds = seconds;
      expect((await solve()).status).toBe(status);
    }
  });

  test('waits where what is under way comes to more than a large run, and goes on in the order in which it came', async () => {
    const running = held();
    Object.assign(snn, { seconds: LONGEST_SECONDS, before: running.work });
    const first = solve();
    await until(() => running.begun() === 1);
    snn.seconds = 1;
    const answered: string[] = [];
    const waits =
      (name: string) =>
      async ({ status }: { status: number }) =>
        answered.push(`${name} ${status}`);
    const second = solve().then(waits('second'));
    await until(() => money.counted.length === 2);
    const third = verify().then(waits('third'));
    // What waits is not worked on, and delays no other caller.
    const elsewhere = solve(from(`198.51.100.${address}`));
    await until(() => running.begun() === 2);
    expect([snn.solved.length, answered]).toEqual([2, []]);
    running.letGo();
    for (const one of [await first, await elsewhere]) expect(one.status).toBe(200);
    await Promise.all([second, third]);
    expect(answered.toSorted()).toEqual(['second 200', 'third 200']);
    // Nothing is left under way: as much fits as before.
    snn.seconds = LONGEST_SECONDS;
    expect((await solve()).status).toBe(200);
  });

  /** How many of some calls are answered by a gateway that has so many units in a window. */
  async function answeredWithin(units: number, body: object, lines: HeaderLines): Promise<number> {
    const rateLimits = { factor: units / FREE_WORK_UNITS, trustedProxies: new TrustedProxies([]) };
    const small = await startGatewayOn(bus, { rateLimits });
    let answered = 0;
    for (let turn = 0; turn < 8; turn++) {
      const { status } = await rawCall(small.address, snnRoutes.solveGraph.path, { body, lines });
      if (status === 429) continue;
      expect(status).toBe(lines === ASYNC ? 202 : 200);
      answered++;
    }
    await small.close();
    return answered;
  }

  test.each([
    ['what its body takes and what its run takes, together', [], 3 * (64 + 9_500)],
    ['of a task, what keeping its body takes too', ASYNC, 3 * (40 + 128 + 9_500)],
  ] as [string, HeaderLines, number][])('is %s', async (_what, lines, taken) => {
    // This body is not read here. Its bytes count as 64 units.
    const large = { ...graph, note: 'x'.repeat(1_048_576) };
    snn.seconds = (9_500 - 20) / 1_000;
    for (let turn = 0; turn < 3; turn++)
      expect((await post(snnRoutes.solveGraph.path, large, lines)).status).toBe(lines === ASYNC ? 202 : 200);
    const left = FREE_WORK_UNITS - taken;
    snn.seconds = (left - 20 + 1) / 1_000;
    expect((await solve()).status).toBe(429);
    // But for the look.
    snn.seconds = (left - 20 - 20) / 1_000;
    expect((await solve()).status).toBe(200);
  });

  test('that is refused once it was looked at has its look counted: looks end with the window', async () => {
    // A look is 20 units: after the first call there are 90 left, which is too little for a second.
    snn.seconds = 0.11;
    expect(await answeredWithin(220, graph, [])).toBe(1);
    expect(snn.admitted).toHaveLength(1 + 4);
  });

  test('of many calls at once is refused beyond a bound, and is given back', async () => {
    const running = held();
    Object.assign(snn, { seconds: 0.01, before: running.work });
    const calls = Array.from({ length: FREE_CALLS_AT_ONCE }, () => solve());
    await until(() => running.begun() === FREE_CALLS_AT_ONCE);
    for (const refused of [await verify(), await solve()]) {
      expect(refused).toMatchObject(refusedAt(FREE_CALLS_AT_ONCE, FREE_CALLS_AT_ONCE + 1));
    }
    expect(money.counted.length - money.uncounted.length).toBe(FREE_CALLS_AT_ONCE);
    running.letGo();
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await verify()).status).toBe(200);
  });

  test('takes turns at its service, by who has it done', async () => {
    turnsSeen.length = 0;
    for (const lines of [here(), here(), from(`198.51.100.${address}`)])
      expect((await verify(lines)).status).toBe(200);
    expect(turnsSeen.map(turn => turn?.standing)).toEqual(Array(3).fill('later'));
    const [one, same, other] = turnsSeen.map(turn => turn?.subject);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  test('is what the quota covers: beyond it a caller is asked to pay, whatever it has had', async () => {
    snn.seconds = LONGEST_SECONDS;
    for (let run = 0; run < FREE_WORK_UNITS / LARGE_WORK_UNITS; run++) await solve();
    money.requestsLeft = 0;
    expect((await solve([['X-SVC-KEY', 'svc_test_key']])).status).toBe(200);
  });

  test('of ten users behind one address is done for all of them', async () => {
    snn.seconds = 1.2;
    const ofOne = async () => [
      (await solve()).status,
      (await verify()).status,
      (await solve(ASYNC)).status,
      (await post(snnRoutes.solve.path, { neuronCount: 100, dryRun: true }, [])).status,
    ];
    const statuses = await Promise.all(Array.from({ length: 10 }, ofOne));
    expect(statuses).toEqual(Array(10).fill([200, 200, 202, 200]));
  });
});

test('files are looked at before a payment up to a bound, which bad payments do not pass', async () => {
  const ask = (lines: HeaderLines = []) =>
    post(certificatesRoutes.verify.path, { pdfBase64: 'JVBERi0xLjcK', requirements: {} }, lines);
  // Nobody audits here: what is looked at is 503.
  const asked: number[] = [];
  for (let file = 1; file < UNPAID_FILES; file++) asked.push((await ask()).status);
  expect(new Set(asked)).toEqual(new Set([503]));
  money.claimFaults = [problem('PAYMENT_INVALID', 'The preimage is another one')];
  expect((await ask(PAID)).status).toBe(402);
  for (const lines of [[], PAID] as HeaderLines[]) {
    const { status, json } = await ask(lines);
    expect([status, json.errors]).toMatchObject([429, [{ path: 'unpaid-files', bound: UNPAID_FILES }]]);
  }
  expect((await ask(from(`198.51.100.${address}`))).status).toBe(503);
  // What has no file is asked for as before.
  expect((await solve()).status).toBe(200);
});

test('recordings that a tool is to hear are such files, but for those of a good payment', async () => {
  const input = { deviceId: 'door', challengeNonce: '00', recordingBase64: 'UklGRg==' };
  const ask = (lines: HeaderLines = []) =>
    post(`${x402Routes.execute.path}?tool=verify_acoustic_proximity_token`, input, lines);
  for (let good = 0; good < 3; good++) expect((await ask(PAID)).status).toBe(200);
  const asked: number[] = [];
  for (let file = 0; file < UNPAID_FILES; file++) asked.push((await ask()).status);
  expect(new Set(asked)).toEqual(new Set([402]));
  for (const lines of [[], PAID] as HeaderLines[])
    expect((await ask(lines)).json.errors).toMatchObject([{ path: 'unpaid-files', bound: UNPAID_FILES }]);
});

test.each([
  ['invalid payments', 'PAYMENT_INVALID', 402],
  ['payments of an unknown method', 'PAYMENT_METHOD_UNSUPPORTED', 400],
] as const)('%s are looked at up to a bound, and good ones are not counted', async (_name, code, status) => {
  const none = () => problem(code, 'It is none', { charged: 'no' });
  for (let good = 0; good < 3; good++) expect((await solve(PAID)).status).toBe(200);
  const seen: number[] = [];
  for (let turn = 0; turn <= BAD_PAYMENTS; turn++) {
    money.claimFaults = [none()];
    seen.push((await solve(PAID)).status);
  }
  expect(seen).toEqual([...Array(BAD_PAYMENTS).fill(status), 429]);
  // The first three and the first that was none: a place is kept for none of the others.
  const standings = snn.admitted.map(({ standing }) => standing);
  expect(standings).toEqual([...Array(4).fill('claiming'), ...Array(BAD_PAYMENTS - 1).fill('later')]);
  expect((await solve(PAID)).json.errors).toMatchObject([{ path: 'bad-payments', bound: BAD_PAYMENTS }]);
  expect((await solve()).status).toBe(200);
});

test('proofs of who paid for an account are looked at up to the same bound', async () => {
  const recover = () => post(accountRecoveryRoutes.recover.path, { challenge: 'kr1.a.b' }, PAID);
  // Each refusal of one address waits for half a second: ten wait together.
  const seen: number[] = [];
  while (seen.length < BAD_PAYMENTS) {
    const wave = await Promise.all(Array.from({ length: 10 }, recover));
    seen.push(...wave.map(({ status }) => status));
  }
  expect(seen).toEqual(Array(BAD_PAYMENTS).fill(401));
  const beyond = await recover();
  expect(beyond.status).toBe(429);
  expect(beyond.json.errors).toMatchObject([{ path: 'bad-payments', bound: BAD_PAYMENTS }]);
});

test('payments that a node cannot look at are bounded apart: they keep their place, and payments of which nobody else is asked pass', async () => {
  const onChain: HeaderLines = [['PAYMENT-SIGNATURE', 'e30=']];
  const seen: string[] = [];
  for (let turn = 0; turn <= BAD_PAYMENTS; turn++) {
    const retryAfterSeconds = 5;
    money.claimFaults = [problem('SERVICE_UNAVAILABLE', 'It cannot', { charged: 'no', retryAfterSeconds })];
    const { status, headers } = await solve(onChain);
    seen.push(`${status} ${status === 503 ? headers['retry-after'] : ''}`);
  }
  expect(seen).toEqual([...Array(BAD_PAYMENTS).fill('503 5'), '429 ']);
  expect(new Set(snn.admitted.map(({ standing }) => standing))).toEqual(new Set(['claiming']));
  money.claimFaults = [];
  expect((await solve(onChain)).status).toBe(429);
  expect((await solve(PAID)).status).toBe(200);
});

test.each([
  ['a key that is none beside a payment', 'UNKNOWN_CREDENTIAL', [...PAID, ['X-SVC-KEY', BAD_KEY]]],
  ['a key without credit', 'PAYMENT_INSUFFICIENT', [['X-SVC-KEY', 'svc_test_poor']]],
] as const)('no place is kept for who has shown %s', async (_name, code, lines) => {
  money.requestsLeft = 0;
  // A key that comes for the first time counts by its address.
  for (let turn = 0; turn < 4; turn++) {
    money.claimFaults = [problem(code, 'It pays nothing')];
    expect((await solve([...lines] as HeaderLines)).status).toBe(code === 'UNKNOWN_CREDENTIAL' ? 401 : 402);
  }
  const standings = snn.admitted.map(({ standing }) => standing);
  expect([standings[0], standings.at(-1)]).toEqual(['claiming', 'later']);
});

/** What `UnpaidWork` stands before: answers that are work, and cost nothing. */
const FREE_WORK = [
  ...[
    'zk.check-air',
    'stark.verify-proof',
    'stark.pq-verify',
    'account.recovery-challenge',
    'account.recover-key',
    'escrow.get-claim',
    'escrow.claim',
  ],
  ...['agent.bullion-challenge', 'agent.card-search'],
  ...['coi.get-letter', 'tools.upload', 'arena.leaders', 'sam.verify-key', 'refunds.lightning'],
];
/** What changes something for nothing: it ends, or is part of, what was bounded or paid for before, or has bounds of its own. */
const BOUNDED_OTHERWISE = [
  ...['stark.cancel-job', 'mesh.answer', 'mesh.trickle', 'mesh.close-session'],
  ...['credits.prepay', 'webhooks.stripe', 'coi.cancel-batch', 'tools.mcp', 'tools.mcp-payment'],
  'departments.cancel-task',
];

/** A row or a few by their key, or what a service has in memory. */
const LOOK_UPS = [
  ...[
    'gateway.health',
    'gateway.livez',
    'gateway.readyz',
    'stark.get-job',
    'stark.fetch-proof',
    'mesh.session',
  ],
  ...['x402.challenge', 'x402.telemetry', 'x402.saga', 'credits.prepay-success'],
  ...['agent.verify-bullion-price', 'agent.card-valuation-price', 'agent.coi-verify-price'],
  ...[
    'agent.bullion-products',
    'acoustic.beacon-sound',
    'coi.get-audit',
    'coi.get-batch',
    'departments.get-task',
  ],
];
/** Made once, as keys and documents are, or a stream, of which an address has so many. */
const DOCUMENTS_AND_STREAMS = [
  ...[
    'gateway.index',
    'gateway.openapi',
    'gateway.docs',
    'gateway.llms',
    'gateway.problem',
    'gateway.asyncapi',
  ],
  ...['tools.catalog', 'departments.list', 'departments.get', 'mesh.keys', 'well-known.security'],
  ...[
    'pairing-keys',
    'callback-keys',
    'license-keys',
    'wal-keys',
    'proof-keys',
    'receipt-keys',
    'did',
    'x402',
  ].map(name => `well-known.${name}`),
  ...['stark.job-events', 'mesh.inbox', 'tools.mcp-changes', 'tools.mcp-payment-changes'],
];

describe('routes that cost nothing', () => {
  /** Operation ids of the routes, and whether `UnpaidWork` stands before each. */
  const routes = new Map<string, boolean>();
  for (const controller of GatewayModule.register({ sandboxControllers: [] } as never).controllers!)
    for (const name of Object.getOwnPropertyNames(controller.prototype)) {
      const handler = (controller as Type).prototype[name] as object;
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
      const path = Reflect.getMetadata(PATH_METADATA, handler) as string;
      const route = ROUTES.find(one => one.method === method && one.path === path);
      const of = (target: object) => (Reflect.getMetadata(INTERCEPTORS_METADATA, target) ?? []) as unknown[];
      if (route) routes.set(route.operationId, [...of(controller), ...of(handler)].includes(UnpaidWork));
    }

  test('are bounded where their answer is work, and all others are known', () => {
    expect(routes.size).toBe(ROUTES.length);
    const ids = ROUTES.map(({ operationId }) => operationId);
    expect(ids.filter(operationId => routes.get(operationId))).toEqual(FREE_WORK);
    const others = ROUTES.filter(({ access, operationId }) => access === 'free' && !routes.get(operationId));
    const known = new Set([...BOUNDED_OTHERWISE, ...LOOK_UPS, ...DOCUMENTS_AND_STREAMS]);
    expect(others.map(({ operationId }) => operationId).filter(id => !known.delete(id))).toEqual([]);
    expect([...known]).toEqual([]);
  });
});

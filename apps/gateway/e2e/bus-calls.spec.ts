import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Procedure } from '@svc/contracts';
import { BusClient, MemoryBus, problem, type RunningService } from '@svc/platform';
import type { RunningGateway } from '../src/start-gateway.js';
import { scriptedDepartment } from './department-under-test.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { countingProver, HOLDER, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { scriptedAttest, scriptedTools, toolScript } from './tools-under-test.js';

const bus = new MemoryBus();
const [payments, prover, desk, tools] = [
  scriptedPayments(),
  countingProver(),
  scriptedDepartment(),
  toolScript(),
];
const asked: string[] = [];
let gateway: RunningGateway;
let services: RunningService[];
beforeAll(async () => {
  services = [
    await startServiceOn(bus, 'payments', {
      controllers: [...payments.controllers, scriptedTools('payments', tools)],
    }),
    await startServiceOn(bus, 'prover', {
      controllers: [...prover.controllers, scriptedTools('prover', tools), scriptedAttest(tools)],
    }),
    await startServiceOn(bus, 'department', { controllers: desk.controllers }),
  ];
  gateway = await startGatewayOn(bus);
  const call = BusClient.prototype.call;
  jest.spyOn(BusClient.prototype, 'call').mockImplementation(function (this: BusClient, ...given) {
    const { subject } = given[0] as Procedure;
    asked.push(subject);
    return call.apply(this, given) as never;
  });
});
beforeEach(() => {
  for (const each of [payments, prover, desk]) each.begin();
});
afterAll(async () => {
  jest.restoreAllMocks();
  await gateway.close();
  for (const service of services) await service.close();
});

const KEY: HeaderLines = [['X-SVC-KEY', 'svc_test_key']];
/** What is in a credential is for payments to read. */
const PAYMENTS = [
  ['L402', 'Authorization', `L402 ${Buffer.from('macaroon').toString('base64')}:${'ab'.repeat(32)}`],
  ['card', 'Authorization', `Payment ${Buffer.from('{"payload":{"spt":"spt_1"}}').toString('base64url')}`],
  ['x402', 'PAYMENT-SIGNATURE', Buffer.from('{"x402Version":2}').toString('base64')],
] as const;
const PROVE = { traceData: 'hello', degree: 8 };
const TASK = { capability: 'bullion', task: {} };

/**
 * What the gateway asks of other services, in order, for one call by each way that is paid for. Each question is a message there and
 * back over NATS, and what it repeats costs more than it does: this list may get shorter, and longer with a reason.
 */
describe('the questions of a paid call', () => {
  const cases: [string, string, unknown, HeaderLines, number, string[]][] = [
    ['a 402 for a request without a body', '/v1/zk/prove', {}, [], 402, ['payments.challenge']],
    [
      'a 402 for a request that could be answered',
      '/v1/zk/prove',
      PROVE,
      [],
      402,
      ['payments.challenge', 'prover.admit'],
    ],
    [
      'a proof, paid by a key',
      ...(['/v1/zk/prove', PROVE, KEY, 200] as const),
      ['prover.admit', 'payments.claim', 'prover.prove', 'payments.deliver'],
    ],
    ...PAYMENTS.map(([rail, header, value]): (typeof cases)[number] => [
      `a proof, paid by ${rail}`,
      ...(['/v1/zk/prove', PROVE, [[header, value]], 200] as const),
      ['prover.admit', 'payments.claim', 'prover.prove', 'payments.deliver'],
    ]),
  ];

  test('of a new key begin with its account, which the gateway then remembers', async () => {
    const authentications: number[] = [];
    for (let call = 0; call < 3; call++) {
      asked.length = 0;
      await rawCall(gateway.address, '/v1/zk/prove', { body: PROVE, lines: KEY });
      authentications.push(asked.filter(subject => subject === 'payments.authenticate').length);
    }
    expect(authentications).toEqual([1, 0, 0]);
  });

  test('of a new capability begin with its quote, which the gateway then remembers', async () => {
    const quotes: number[] = [];
    for (let call = 0; call < 2; call++) {
      asked.length = 0;
      payments.begin();
      await rawCall(gateway.address, '/departments/authentication', { body: TASK, lines: KEY });
      quotes.push(asked.filter(subject => subject === 'department.quote-task').length);
    }
    expect(quotes).toEqual([1, 0]);
  });

  test('for a cheap tool, paid by a key that has paid lately, are its work, its evidence and its sale', async () => {
    payments.script.purse = { accountId: HOLDER.accountId, balanceMicroUsd: 10_000, quotaCalls: 0 };
    tools.reply = ({ idemKey }) => ({ output: { catalog: [] }, starkRoot: idemKey });
    const calls: [number, string[]][] = [];
    for (let call = 0; call < 2; call++) {
      asked.length = 0;
      const answer = await rawCall(gateway.address, '/v1/tools/get_product_catalog', {
        body: {},
        lines: KEY,
      });
      calls.push([answer.status, [...asked]]);
    }
    expect(calls).toEqual([
      [200, ['payments.claim', 'payments.call-tool', 'prover.attest', 'payments.deliver']],
      [200, ['payments.call-tool', 'prover.attest', 'payments.sell']],
    ]);
  });

  test('for a task that is waited for, paid by a key that has paid lately, do not ask whose it is; its claim looks at it', async () => {
    const lines: HeaderLines = [['X-SVC-KEY', 'svc_test_paid_lately']];
    const revoked = problem('UNKNOWN_CREDENTIAL', 'The key was revoked');
    const calls: [number, string[]][] = [];
    for (const faults of [[], [], [revoked], []]) {
      asked.length = 0;
      for (const each of [payments, desk]) each.begin();
      payments.script.claimMembers = { accountId: HOLDER.accountId };
      payments.script.claimFaults = faults;
      const answer = await rawCall(gateway.address, '/departments/authentication', { body: TASK, lines });
      // Beside the task the burst limits learn whose a new key is, once.
      calls.push([
        answer.status,
        asked.filter(subject => subject !== 'payments.authenticate' || calls.length !== 0),
      ]);
    }
    const begun = [
      'department.admit-task',
      'payments.claim',
      'department.submit-task',
      'department.task-end',
      // The signed receipt: the desk has delivered.
      'payments.delivery',
    ];
    expect(calls).toEqual([
      [200, begun],
      [200, begun],
      [401, begun.slice(0, 2)],
      [200, ['payments.authenticate', ...begun]],
    ]);
  });

  test.each(cases)('for %s', async (_name, path, body, lines, status, expected) => {
    asked.length = 0;
    const answer = await rawCall(gateway.address, path, { body, lines });
    expect([answer.status, asked]).toEqual([status, expected]);
  });
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaywallServer, type SeenRequest } from '../../testing/paywall-server.js';
import { svcInProcess } from '../command-line.js';

const KEY = { SVC_KEY: 'svc_test_holder' };
const RECEIPT = Buffer.from(
  JSON.stringify({ method: 'svc-key', reference: 'c1', timestamp: '2026-11-28T20:37:27Z' }),
).toString('base64url');
const EVIDENCE = { version: 2, doesNotProve: 'much' };
const SALE = {
  ...{ contractId: 'c', m2mLicenseToken: '', starkExecutionProof: 'prf_x', contract: {}, walEvents: [] },
  ...{ sagaId: 'saga_1', walHash: '0x', walCount: 0, executionTimeMs: 1, status: 'COMPLETED' },
};
const PAIRING = {
  ...{ pairingToken: 'token', validUntil: 0, assurance: 'a', secdedSyndrome: 0, snrDb: 1 },
  ...{ berNoiseFloorDb: -30, auditProof: EVIDENCE },
};
const PROVED = JSON.parse(
  readFileSync(new URL('../../testing/fixtures/answer.json', import.meta.url), 'utf8'),
) as { proof: string };
/** What is sold, by path. */
const SOLD: Readonly<Record<string, object>> = {
  '/v1/snn/solve': { said: 'yes' },
  '/v1/tools/get_product_catalog': { catalog: ['gold'], auditProof: EVIDENCE },
  '/v1/x402/execute': SALE,
  '/v1/acoustic/verify-pairing': PAIRING,
  '/v1/zk/prove': PROVED,
  '/departments/proofs': { taskId: 'tsk_x', deptId: 'proofs', status: 'COMPLETED' },
};
const JOB = { jobId: 'job_1', state: 'queued' };

let server: PaywallServer;
let folder: string;
/** Answers in the place of what is sold, where it answers. */
let instead: (request: SeenRequest, response: ServerResponse) => boolean;
/** What happens once a call is paid. */
let whenSold: () => void;

function respond(request: SeenRequest, response: ServerResponse, self: PaywallServer): void {
  if (instead(request, response)) return;
  const sold = SOLD[request.path.split('?')[0]];
  if (sold === undefined) return self.problem(response, 503, 'SERVICE_UNAVAILABLE');
  const isByKey = request.headers['x-svc-key'] !== undefined;
  if (!isByKey && self.paymentHashOf(request) === undefined) return self.demandPayment(response);
  whenSold();
  if (isByKey) response.setHeader('payment-receipt', RECEIPT);
  if (request.headers['prefer'] !== 'respond-async') return self.json(response, sold);
  response.writeHead(202, { 'content-type': 'application/json' });
  response.end(JSON.stringify(JOB));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-kept-'));
  writeFileSync(join(folder, 'sound.wav'), 'sound');
  server = await PaywallServer.start(respond);
});
beforeEach(() => {
  server.requests.length = 0;
  server.moneyMoved.clear();
  [instead, whenSold] = [() => false, () => {}];
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

const svc = (args: readonly string[], environment: Record<string, string> = {}) =>
  svcInProcess([...args, '--url', server.url], { environment });
const paymentIn = (stderr: string) => /payment kept: (.*)/.exec(stderr)?.[1];
const keyIn = (stderr: string) => /purchase kept: (.*)/.exec(stderr)?.[1];
const soldUnder = () => server.calls[0].headers['idempotency-key'];

const CATALOG = ['tool', 'get_product_catalog'];
const CALL = ['call', 'POST', '/v1/snn/solve', '--input', '{"neuronCount":1}'];
const PROVE = ['prove', 'hello', '--degree', '64', '--blowup', '32'];
const PAIR = ['acoustic', 'verify', 'door-7', 'nonce'];

describe('a file that cannot be written is refused before anything is paid', () => {
  test.each([
    [[...CALL, '--output']],
    [[...CATALOG, '--save']],
    [[...PROVE, '--out']],
    [[...PROVE, '--async', '--save']],
    [['task', 'proofs', '--output']],
    [['license', 'agent-7', '--save']],
    [['bullion', 'krugerrand', '--svg']],
    [['card', 'c1', '--svg']],
    [['snn', 'solve', '--svg']],
    [['snn', 'solve', '--raster', '2', '--raster-svg']],
    [['acoustic', 'modulate', 'hello', '--out']],
    [['acoustic', 'challenge', 'door-7', '--out']],
  ])('of %j', async args => {
    for (const [file, reason] of [
      [join(folder, 'no', 'file'), 'there is no such folder'],
      [folder, 'it is a folder'],
      ['', 'it has no name'],
    ]) {
      const ended = await svc([...args, file]);
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
    }
    expect([server.requests, readdirSync(folder)]).toEqual([[], ['sound.wav']]);
  });

  test('of a letter and of helper data', async () => {
    const fields = join(folder, 'sound.wav');
    writeFileSync(fields, '{}');
    for (const args of [
      ['coi', '--fields', fields, '--letter'],
      ['speckle', 'extract', fields, '--helper'],
    ])
      expect((await svc([...args, join(folder, 'no', 'x')])).code).toBe(2);
    expect(server.requests).toEqual([]);
  });

  test('and one that can be is left as it is where the call is refused', async () => {
    const file = join(folder, 'sound.wav');
    instead = (_, response) => {
      server.problem(response, 400, 'VALIDATION_FAILED', { charged: 'no' });
      return true;
    };
    const before = readFileSync(file, 'utf8');
    expect((await svc([...CALL, '--output', file])).code).toBe(1);
    expect((await svc([...CALL, '--output', join(folder, 'new.json')])).code).toBe(1);
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([before, ['sound.wav']]);
  });
});

describe('what was bought is shown, and can be fetched again for nothing, where its file cannot be written after all', () => {
  /** A folder that is there until the call is sold. */
  function vanishing(): string {
    const gone = join(folder, 'gone');
    mkdirSync(gone, { recursive: true });
    whenSold = () => rmSync(gone, { recursive: true, force: true });
    return join(gone, 'file');
  }

  test.each([
    [[...CALL, '--output'], /^said +yes$/m, 1],
    [[...CATALOG, '--no-check', '--save'], /^ +catalog +gold$/m, 1],
    [[...PROVE, '--out'], /^proof +[\d,]+ bytes, prf_[\w-]+(, saved to .*again)?$/m, 1],
    [[...PROVE, '--save'], /^status +VERIFIED_VALID$/m, 1],
    [['task', 'proofs', '--output'], /^status +COMPLETED$/m, 1],
    // Its execution proof is away, too.
    [['license', 'agent-7', '--no-check', '--save'], /^status +COMPLETED$/m, 5],
  ])('of %j', async (args, line, code) => {
    const ended = await svc([...args, vanishing()]);
    expect(ended).toMatchObject({
      ...{ code, stdout: expect.stringMatching(line) },
      stderr: expect.stringContaining('gone/file cannot be written'),
    });
    const payment = paymentIn(ended.stderr)!;
    const again = await svc([...args, join(folder, 'again'), '--payment', payment]);
    rmSync(join(folder, 'again'));
    expect([again.stdout, server.paymentCount]).toEqual([expect.stringMatching(line), 1]);

    server.requests.length = 0;
    const byKey = await svc([...args, vanishing()], KEY);
    expect([keyIn(byKey.stderr), paymentIn(byKey.stderr)]).toEqual([soldUnder(), undefined]);
    server.requests.length = 0;
    await svc([...args, join(folder, 'again'), '--idempotency-key', keyIn(byKey.stderr)!], KEY);
    rmSync(join(folder, 'again'));
    expect(soldUnder()).toBe(keyIn(byKey.stderr));
  });

  test('as JSON on stdout, with the failure on stderr', async () => {
    const ended = await svc([...CALL, '--json', '--output', vanishing()]);
    expect(JSON.parse(ended.stdout)).toEqual({ said: 'yes' });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('payment kept: {') });
  });
});

test('a payment that bought nothing, since the request is refused, is for the request as it is mended', async () => {
  instead = (request, response) => {
    if (server.paymentHashOf(request) === undefined) return false;
    server.problem(response, 422, 'UNPROCESSABLE', { charged: 'no', retry: 'changed' });
    return true;
  };
  const refused = await svc(CALL);
  expect(refused.stderr).toMatch(/payment kept: \{.*\n  it has bought nothing: mend the request/);
  instead = () => false;
  const mended = await svc([...CALL, '--payment', paymentIn(refused.stderr)!]);
  expect([mended.code, server.paymentCount]).toEqual([0, 1]);
});

describe('what was bought is shown where its evidence cannot be checked', () => {
  const unheard = [
    ['is away', (response: ServerResponse) => server.problem(response, 503, 'SERVICE_UNAVAILABLE'), 5],
    ['asks for patience', (response: ServerResponse) => server.problem(response, 429, 'RATE_LIMITED'), 1],
    ['breaks off', (response: ServerResponse) => response.destroy(), 5],
    ['is no list', (response: ServerResponse) => server.json(response, { keys: 7 }), 1],
  ] as const;
  test.each(unheard)('since the document of keys %s', async (_, answer, code) => {
    instead = ({ path }, response) => path.startsWith('/.well-known/') && (answer(response), true);
    const ended = await svc(CATALOG);
    expect(ended).toMatchObject({ code, stdout: expect.stringMatching(/^ +catalog +gold$/m) });
    expect(ended.stdout).toMatch(/^evidence +not checked here$/m);
    expect(paymentIn(ended.stderr)).toContain('"rail":"l402"');
    const paired = await svc([...PAIR, join(folder, 'sound.wav')]);
    expect(paired).toMatchObject({ code, stdout: expect.stringMatching(/^token +token$/m) });
    expect(paymentIn(paired.stderr)).toContain('"rail":"l402"');
    const licence = await svc(['license', 'agent-7']);
    expect(licence).toMatchObject({ stdout: expect.stringMatching(/^checked +not checked here$/m) });
    expect(licence.code).toBeGreaterThan(0);
    expect(paymentIn(licence.stderr)).toContain('"rail":"l402"');
    expect(keyIn((await svc(CATALOG, KEY)).stderr)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('and a request of the month leaves no key, for none brings it again', async () => {
    instead = ({ path }, response) => {
      if (path === '/v1/tools/get_product_catalog') {
        response.setHeader('ratelimit', '"month";r=7;t=1000');
        server.json(response, SOLD[path]);
        return true;
      }
      return false;
    };
    const { code, stderr } = await svc(CATALOG, KEY);
    expect([code, keyIn(stderr), paymentIn(stderr)]).toEqual([5, undefined, undefined]);
  });
});

describe('a call whose end is not known', () => {
  test('as a job leaves its payment, or the key that it was sold under', async () => {
    instead = ({ path }, response) => {
      if (path.endsWith('/events')) response.writeHead(204).end();
      return path.endsWith('/events');
    };
    const byPayment = await svc([...PROVE, '--async']);
    expect(byPayment).toMatchObject({ code: 5, stderr: expect.stringContaining('job job_1') });
    expect(paymentIn(byPayment.stderr)).toContain('"rail":"l402"');
    const proved = await svc([...PROVE, '--payment', paymentIn(byPayment.stderr)!]);
    expect([proved.code, server.paymentCount]).toEqual([0, 1]);
    // The job has ended: its payment brings the answer whole.
    const asJob = instead;
    instead = ({ path }, response) => path === '/v1/zk/prove' && (server.json(response, PROVED), true);
    const whole = await svc([...PROVE, '--async', '--payment', paymentIn(byPayment.stderr)!]);
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^paid +2 sats over l402$/m) });
    instead = asJob;
    server.requests.length = 0;
    const byKey = await svc([...PROVE, '--async', '--json'], KEY);
    expect(JSON.parse(byKey.stdout).error).toMatchObject({
      ...{ code: 'SERVICE_UNAVAILABLE', idempotencyKey: soldUnder() },
    });
  });

  test.each([[CALL], [CATALOG], [PROVE], [['task', 'proofs']], [['license', 'agent-7']]])(
    'by key leaves the key that it was sent under: %j',
    async args => {
      instead = (_, response) => (server.problem(response, 500, 'INTERNAL'), true);
      const lost = await svc(args, KEY);
      expect([lost.code, keyIn(lost.stderr)]).toEqual([1, soldUnder()]);
      instead = (_, response) => (server.problem(response, 400, 'BAD', { charged: 'no' }), true);
      expect(keyIn((await svc(args, KEY)).stderr)).toBeUndefined();
    },
  );
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statement } from '../src/air/index.js';
import {
  type Client,
  createClient,
  type Payment,
  preimageDigest,
  ProblemError,
  sandboxWallet,
  verifyLocally,
} from '../src/index.js';
import { LossyProxy } from './lossy-proxy.js';
import { describeAgents } from './agents.cases.js';
import { describeAudit } from './audit.cases.js';
import type { Svc } from './command-line.js';
import { describeLicence } from './licence.cases.js';
import { describeRails } from './rails.cases.js';
import { RunningProduct } from './running-product.js';
import { describeWal } from './wal.cases.js';

/** Made anew with PIN_ANSWER=1 where the format changes. */
const PINNED_ANSWER = new URL('../testing/fixtures/answer.json', import.meta.url);
const PINNED_STATEMENTS_FILE = new URL('../testing/fixtures/statements.json', import.meta.url);
const COUNTER = {
  statement: 'raw',
  airId: 'raw/counter/v1',
  inputs: { start: '5', step: '3', rows: 9 },
  friBlowup: 32,
};
const [GOLDILOCKS_PATH, M31_PATH] = ['/v1/stark/prove-goldilocks', '/v1/stark/prove-m31'];
const BINDING = { publicInputs: ['42'], privateWitness: ['7'], contextDomain: 'demo', friBlowup: 32 };
const PINNED_STATEMENTS = [
  ['binding', GOLDILOCKS_PATH, BINDING],
  ['binding-m31', M31_PATH, BINDING],
  [
    'preimage',
    GOLDILOCKS_PATH,
    {
      statement: 'preimage',
      publicInputs: preimageDigest('goldilocks', '', ['7']),
      privateWitness: ['7'],
      friBlowup: 32,
    },
  ],
  ['counter', GOLDILOCKS_PATH, COUNTER],
  ['counter-m31', M31_PATH, COUNTER],
  ['counter-long', GOLDILOCKS_PATH, { ...COUNTER, degree: 2048, parameterSet: 'conjectured96' }],
  ['counter-conjectured96', GOLDILOCKS_PATH, { ...COUNTER, parameterSet: 'conjectured96' }],
  ['counter-m31-fast', M31_PATH, { ...COUNTER, parameterSet: 'm31-fast' }],
  [
    'trace',
    GOLDILOCKS_PATH,
    {
      statement: 'raw',
      airId: 'raw/fibonacci/v1',
      trace: [
        ['1', '1', '2'],
        ['1', '2', '3'],
      ],
      friBlowup: 32,
    },
  ],
  [
    'neuron-m31',
    M31_PATH,
    {
      statement: 'raw',
      airId: 'raw/lif-step/v1',
      inputs: {
        decay: 3900,
        threshold: 15360,
        reset: -5120,
        refractorySteps: 2,
        initialPotential: 0,
        currents: [9000, 9000],
      },
      friBlowup: 32,
    },
  ],
  ['own', GOLDILOCKS_PATH, tripling('goldilocks')],
  ['own-m31', M31_PATH, tripling('m31')],
] as const;

/** A number of the buyer's own is tripled, and `k` added, row by row. */
function tripling(field: 'goldilocks' | 'm31') {
  const s = statement(field);
  const x = s.column('x');
  s.require('step', x.next.sub(x.mul(s.constant(3n)).add(s.public('k'))));
  s.first(x, s.public('start'));
  s.last(x, s.public('end'));
  return {
    ...{ statement: 'own', air: JSON.parse(s.json()) as Record<string, never>, rows: 5, start: { x: 2 } },
    ...{ public: { k: 1 }, zeroKnowledge: false, friBlowup: 32 },
  } as const;
}

/**
 * All that is bought of one product, by the client and by the command line.
 * @param svc how a command is run
 * @param flips as in `describeAgents`
 * @param size as in `describeRails`
 */
export function describeProduct({
  svc,
  flips,
  size,
}: {
  svc: Svc;
  flips: number;
  size?: { readonly degree?: 64 };
}): void {
  let product: RunningProduct;
  let stopped: number | null | undefined;
  beforeAll(async () => {
    product = await RunningProduct.start();
  });
  afterAll(async () => {
    if (stopped === undefined) await product?.stop();
  });

  describe('what is sold', () => describeSales(() => product, svc));
  describe('rails', () => describeRails(() => product, size));
  describe('audit', () => describeAudit(() => product, svc));
  describe('agents', () => describeAgents(() => product, svc, flips));
  describe('licences', () => describeLicence(() => product, svc));
  // The last of all that buys: it takes records out of the log.
  describe('log', () => describeWal(() => product, svc));

  test('Ctrl-C ends the product with exit code 0', async () => {
    stopped = await product.stop();
    expect(stopped).toBe(0);
  });
}

function describeSales(product: () => RunningProduct, svc: Svc): void {
  let folder: string;
  let proxy: LossyProxy | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-e2e-out-'));
  });
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  function clientOf(baseUrl: string): Client {
    return createClient({ baseUrl, wallet: sandboxWallet({ baseUrl: product().address }) });
  }
  const small = { degree: 64, friBlowup: 32 } as const;

  describe('the product, by its command line', () => {
    test('is up, with every service and a rail that can settle', async () => {
      const { code, stdout } = await svc(['health', '--url', product().address, '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        status: 'OPERATIONAL',
        domainsOnline: 6,
        version: '2026.4.2',
      });
      expect(JSON.parse(stdout).rails).toContain('l402');
    });

    test('sells a proof for 2 sats that holds on this machine and on the server', async () => {
      const [answer, proof] = [join(folder, 'answer.json'), join(folder, 'proof.bin')];
      const url = ['--url', product().address];
      const proved = await svc(['prove', '-', ...url, '--degree', '1024', '--save', answer, '--out', proof], {
        input: 'hello',
      });
      expect(proved).toMatchObject({ code: 0, stderr: '' });
      const saved = JSON.parse(await readFile(answer, 'utf8'));
      expect(saved).toMatchObject({
        status: 'VERIFIED_VALID',
        traceLength: 1024,
        checked: { valid: true, boundToTraceData: true },
        payment: { rail: 'l402', amountSats: 2 },
      });
      // The first call of the README: whoever compares finds the same.
      const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
      for (const shown of [
        /proof {8}([\d,]+ bytes)/,
        /proof hash {3}(0x[0-9a-f]{64})/,
        /trace root {3}(0x[0-9a-f]{64})/,
      ])
        expect(proved.stdout).toContain(shown.exec(readme)![1]);
      expect((await svc(['verify', proof, '--result', answer, '--trace-data', 'hello'])).code).toBe(0);
      expect((await svc(['verify', answer, '--trace-data', 'hellp'])).code).toBe(4);
      expect((await svc(['verify', answer, '--remote', ...url])).code).toBe(0);
      const { data } = await clientOf(product().address).fetchProof(saved.proofId);
      expect(Buffer.from(data).equals(await readFile(proof))).toBe(true);
    });

    test('verifies a proof that was made under a domain tag from what fetching it answers', async () => {
      const [answer, fetched] = [join(folder, 'raw.json'), join(folder, 'fetched.json')];
      const contextDomain = 'lot 7/ä\u0001';
      const inputs = { start: '5', step: '3', rows: 9 };
      const statement = { statement: 'raw', airId: 'raw/counter/v1', inputs, contextDomain };
      const ordered = [
        'prove',
        '-',
        '--statement',
        'goldilocks',
        '--url',
        product().address,
        '--save',
        answer,
      ];
      expect(await svc(ordered, { input: JSON.stringify(statement) })).toMatchObject({ code: 0, stderr: '' });
      const { proofId, auditProof } = JSON.parse(await readFile(answer, 'utf8'));
      const contexts = [
        [proofId, contextDomain],
        [auditProof.proofId, 'svc/audit/v1'],
      ];
      for (const [id, context] of contexts) {
        const address = `${product().address}/v1/stark/proofs/${id}`;
        const stored = await (await fetch(address, { headers: { accept: 'application/json' } })).json();
        expect(stored.contextDomain).toBe(context);
        await writeFile(fetched, JSON.stringify(stored));
        expect((await svc(['verify', fetched])).code).toBe(0);
        expect((await svc(['verify', fetched, '--remote', '--url', product().address])).code).toBe(0);
        expect((await svc(['verify', fetched, '--context', 'another'])).code).toBe(4);
        const octets = await fetch(address);
        expect(decodeURIComponent(octets.headers.get('x-proof-context')!)).toBe(context);
        await octets.arrayBuffer();
      }
    });

    if (process.env['PIN_ANSWER'] !== undefined) {
      test('records the statements that the unit tests buy', async () => {
        const recorded = [];
        for (const [name, path, request] of PINNED_STATEMENTS) {
          const { data: answer } = await clientOf(product().address).request('POST', path, { body: request });
          recorded.push({ name, path, request, answer });
        }
        await writeFile(PINNED_STATEMENTS_FILE, `${JSON.stringify(recorded, undefined, 1)}\n`);
      });

      test('records the answer that the unit tests verify', async () => {
        const { data } = await clientOf(product().address).prove({
          traceData: 'hello',
          degree: 64,
          friBlowup: 32,
        });
        await writeFile(PINNED_ANSWER, `${JSON.stringify(data, undefined, 2)}\n`);
      });
    }

    test('makes a proof as a job, shows its stages, and brings the whole answer', async () => {
      const answer = join(folder, 'job.json');
      const url = ['--url', product().address];
      const proved = await svc(['prove', 'job', '--async', ...url, '--degree', '64', '--save', answer]);
      expect(proved.code).toBe(0);
      expect(proved.stderr).toMatch(/^job job_[A-Za-z0-9_-]{22}: http/);
      const saved = JSON.parse(await readFile(answer, 'utf8'));
      expect(saved).toMatchObject({
        status: 'VERIFIED_VALID',
        checked: { valid: true, boundToTraceData: true },
      });
      expect((await svc(['verify', answer, '--trace-data', 'job'])).code).toBe(0);
    });

    test.each(['goldilocks', 'm31'])('proves a statement over %s that holds on this machine', async field => {
      const answer = join(folder, `${field}.json`);
      const statement = JSON.stringify({
        publicInputs: ['42'],
        privateWitness: ['7'],
        contextDomain: 'e2e',
      });
      const proved = await svc(
        ['prove', '-', '--statement', field, '--url', product().address, '--save', answer],
        { input: statement },
      );
      expect(proved).toMatchObject({ code: 0, stderr: '' });
      expect(proved.stdout).toContain('keep: salt');
      expect(JSON.parse(await readFile(answer, 'utf8'))).toMatchObject({
        verified: true,
        checked: { valid: true },
      });
      if (field === 'm31') return;
      expect((await svc(['verify', answer, '--context', 'elsewhere'])).code).toBe(4);
      expect((await svc(['verify', answer, '--remote', '--url', product().address])).code).toBe(0);
    });

    test('refuses bad input before it asks for money, and names the field', async () => {
      const { code, stdout } = await svc([
        'prove',
        'x',
        '--degree',
        '7',
        '--url',
        product().address,
        '--json',
      ]);
      expect(code).toBe(2);
      const { error } = JSON.parse(stdout);
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED', problem: { errors: [{ path: 'degree' }] } });
      expect(error.payment).toBeUndefined();
    });
  });

  describe('a payment to the product', () => {
    test('buys one answer however often the answer is lost on its way', async () => {
      proxy = await LossyProxy.start(product().address);
      proxy.losePaidAnswers(2);
      const payments: Payment[] = [];
      const { data, payment } = await clientOf(proxy.url).prove(
        { traceData: 'lost and found', ...small },
        { onPayment: made => void payments.push(made) },
      );
      expect(proxy.lost).toBe(2);
      expect(payments).toEqual([payment]);
      expect(verifyLocally({ ...data, traceData: 'lost and found' }).valid).toBe(true);
      const again = await clientOf(product().address).prove(
        { traceData: 'lost and found', ...small },
        { payment },
      );
      expect(again.data).toEqual(data);
    });

    test('buys nothing else', async () => {
      const client = clientOf(product().address);
      const { payment } = await client.prove({ traceData: 'first', ...small });
      const error = await client
        .prove({ traceData: 'second', ...small }, { payment })
        .catch((e: unknown) => e);
      expect(error).toBeInstanceOf(ProblemError);
      expect(error).toMatchObject({ code: 'PAYMENT_BOUND_ELSEWHERE', status: 402 });
    });

    test('is demanded from whoever has no wallet, at the listed price', async () => {
      const client = createClient({ baseUrl: product().address });
      const error = (await client
        .prove({ traceData: 'x', ...small })
        .catch((e: unknown) => e)) as ProblemError;
      expect(error).toMatchObject({ code: 'PAYMENT_REQUIRED', problem: { priceSats: 2 } });
      const { stdout } = await svc([
        'pay',
        String(error.problem['invoice']),
        '--url',
        product().address,
        '--json',
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ amountSats: 2, network: 'regtest' });
    });
  });
}

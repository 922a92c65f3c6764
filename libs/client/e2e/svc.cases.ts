import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PaywallServer, paywalled } from '../testing/paywall-server.js';
import type { ProveResult } from '../src/api-types.js';
import type { Svc } from './command-line.js';

const ANSWER_FILE = fileURLToPath(new URL('../testing/fixtures/answer.json', import.meta.url));
const answer = JSON.parse(readFileSync(ANSWER_FILE, 'utf8')) as ProveResult;
/** What the answer was asked for with. */
const CHAIN_OPTIONS = ['--degree', '64', '--blowup', '32'];
function statementOf(name: string): { request: object; answer: object } {
  const file = new URL('../testing/fixtures/statements.json', import.meta.url);
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as {
    name: string;
    request: object;
    answer: object;
  }[];
  return recorded.find(statement => statement.name === name)!;
}

/** The commands that buy, verify and pay, against a gateway that answers as it is told. */
export function describeSvc(svc: Svc): void {
  let folder: string;
  const servers: PaywallServer[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await Promise.all(servers.map(server => server.close()));
  });

  async function gateway(...args: Parameters<typeof PaywallServer.start>): Promise<PaywallServer> {
    const server = await PaywallServer.start(...args);
    servers.push(server);
    return server;
  }

  describe('svc prove', () => {
    test('pays, proves, checks the proof here and saves what svc verify takes', async () => {
      const batchProof = Buffer.from('the proof of a batch');
      const sell = paywalled(answer);
      const { proofId } = answer.auditProof as { proofId: string };
      const server = await gateway((request, response, self) => {
        if (request.path !== `/v1/stark/proofs/${proofId}`) return sell(request, response, self);
        response.setHeader('content-type', 'application/octet-stream');
        response.end(batchProof);
      });
      const [saved, bytes] = [join(folder, 'answer.json'), join(folder, 'proof.bin')];
      const proved = await svc(['prove', 'hello', ...CHAIN_OPTIONS, '--save', saved, '--out', bytes], {
        environment: { SVC_URL: server.url },
      });
      expect(proved).toMatchObject({ code: 0, stderr: '' });
      expect(proved.stdout).toMatch(/checked +valid, checked here/);
      expect(proved.stdout).toMatch(/paid +2 sats over l402/);
      expect(JSON.parse(server.calls[0].body)).toEqual({ traceData: 'hello', degree: 64, friBlowup: 32 });
      expect(server.paymentCount).toBe(1);
      expect(readFileSync(bytes).toString('base64')).toBe(answer.proof);
      expect(readFileSync(saved, 'utf8')).not.toContain('authorization');
      expect(JSON.parse(readFileSync(saved, 'utf8')).batchProof).toBe(batchProof.toString('base64'));

      const verified = await svc(['verify', bytes, '--result', saved, '--trace-data', '-'], {
        input: 'hello',
      });
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^VALID/) });
    });

    test.each([
      ['another input', 'hellp', CHAIN_OPTIONS, /^publicInputs.inputDigest: /],
      ['fewer rows', 'hello', ['--blowup', '32'], /^traceLength: 65536 was asked for, the answer has 64$/],
      ['another rate', 'hello', ['--degree', '64'], /^friBlowup: 8 was asked for, the answer has 32$/],
    ])('exits with 4 when the server sells a proof about %s', async (_, input, options, detail) => {
      const server = await gateway(paywalled(answer));
      const proved = await svc(['prove', '-', '--url', server.url, '--json', ...options], { input });
      expect(proved.code).toBe(4);
      expect(JSON.parse(proved.stdout).checked).toMatchObject({
        valid: false,
        reason: 'statement-mismatch',
        detail: expect.stringMatching(detail),
      });
    });

    test('takes the set that was asked for by name, also below the default, and no other in its place', async () => {
      const { request, answer: sold } = statementOf('counter-m31-fast');
      const server = await gateway(paywalled(sold as never));
      const buy = (parameterSet?: string) =>
        svc(['prove', '-', '--statement', 'm31', '--url', server.url], {
          input: JSON.stringify({ ...request, parameterSet }),
        });
      expect(await buy('m31-fast')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/valid, checked here.*only 60 bits proven.*--security-bits 60/),
      });
      for (const [asked, set] of [
        ['m31', 'm31'],
        [undefined, 'm31'],
      ]) {
        const detail = `NOT VALID: statement-mismatch (parameterSet: "${set}" was asked for, the answer has "m31-fast")`;
        expect(await buy(asked)).toMatchObject({ code: 4, stdout: expect.stringContaining(detail) });
      }
      const file = join(folder, 'fast.json');
      writeFileSync(file, JSON.stringify(sold));
      expect(await svc(['verify', file])).toMatchObject({
        code: 4,
        stdout: expect.stringMatching(/insufficient-security.*--security-bits/),
      });
      expect(await svc(['verify', file, '--security-bits', '60'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/not compared: give --request$/m),
      });
    });

    test('exits with 3, having paid nothing, above --max-sats and without a wallet', async () => {
      const server = await gateway(paywalled(answer));
      const base = ['prove', 'hello', '--url', server.url];
      const dear = await svc([...base, '--max-sats', '1']);
      expect(dear).toMatchObject({
        code: 3,
        stderr: 'svc: the price of 2 sats is above the limit of 1 sats a call\n',
      });
      const bare = await svc([...base, '--json'], { environment: { SVC_WALLET: 'none' } });
      expect(bare.code).toBe(3);
      expect(JSON.parse(bare.stdout).error).toMatchObject({ code: 'PAYMENT_REQUIRED' });
      expect(server.paymentCount).toBe(0);
    });

    test('prints the payment of a failed call, and takes it back with --payment', async () => {
      let healthy = false;
      const server = await gateway((request, response, self) => {
        if (self.paymentHashOf(request) === undefined) return self.demandPayment(response);
        return healthy ? self.json(response, answer) : self.problem(response, 500, 'INTERNAL');
      });
      const failed = await svc(['prove', 'hello', ...CHAIN_OPTIONS, '--url', server.url]);
      expect(failed.code).toBe(1);
      expect(failed.stderr).not.toMatch(/\n +at /);
      const payment = /payment kept: (.*)/.exec(failed.stderr)?.[1] ?? '';
      healthy = true;
      expect(
        (await svc(['prove', 'hello', ...CHAIN_OPTIONS, '--url', server.url, '--payment', payment])).code,
      ).toBe(0);
      expect(server.paymentCount).toBe(1);
    });

    test('keeps the payment when Ctrl-C comes after it, and exits with 130', async () => {
      let arrived = () => {};
      const interrupt = new Promise<void>(resolve => (arrived = resolve));
      const server = await gateway((request, response, self) =>
        self.paymentHashOf(request) === undefined ? self.demandPayment(response) : arrived(),
      );
      const ended = await svc(['prove', 'hello', '--url', server.url], { interrupt });
      expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('payment kept: {') });
    });
  });

  describe('svc verify', () => {
    const { proof, ...named } = answer;
    const { airId, publicInputs, proofId } = answer;
    test.each([
      ['that names its proof', { ...named, starkProof: { proofId, airId, publicInputs, proof } }],
      ['that has its proof', answer],
    ])('of an answer %s compares the request, with the trace data and without', async (_, saved) => {
      const [file, request] = [join(folder, 'saved.json'), join(folder, 'request.json')];
      writeFileSync(file, JSON.stringify(saved));
      const verify = (asked: object, ...more: string[]) => {
        writeFileSync(request, JSON.stringify(asked));
        return svc(['verify', file, '--request', request, ...more]);
      };
      const asked = { traceData: 'hello', degree: 64, friBlowup: 32 };
      const both = await verify(asked, '--trace-data', 'hello');
      expect(both).toMatchObject({ code: 0, stdout: expect.stringMatching(/^VALID/) });
      expect(both.stdout).toMatch(
        /^input +the proof is about this trace data; of the request: what was asked for$/m,
      );
      for (const more of [[], ['--trace-data', 'hello']]) {
        expect((await verify({ ...asked, degree: 128 }, ...more)).code).toBe(4);
        expect((await verify({ ...asked, traceData: 'other' }, ...more)).code).toBe(4);
      }
      expect((await verify(asked, '--trace-data', 'other')).code).toBe(4);
      expect(await verify(asked, '--remote')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--request is compared on this machine'),
      });
      const alone = await svc(['verify', file, '--trace-data', 'hello']);
      expect(alone.stdout).toMatch(/^input +the proof is about this trace data$/m);
    });

    test('exits with 4 and the reason for a proof that was changed', async () => {
      const file = join(folder, 'changed.bin');
      const changed = Buffer.from(answer.proof, 'base64');
      changed[changed.length - 1] ^= 1;
      writeFileSync(file, changed);
      const verified = await svc(['verify', file, '--result', ANSWER_FILE, '--json']);
      expect(verified.code).toBe(4);
      expect(JSON.parse(verified.stdout)).toMatchObject({ valid: false, reason: expect.any(String) });
    });

    test('asks the gateway with --remote, and says whose word it is', async () => {
      const server = await gateway((_, response, self) =>
        self.json(response, {
          valid: false,
          reason: 'trace-opening',
          airId: answer.airId,
          securityBits: 0,
          conjecturedSecurityBits: 0,
          verificationLatencyMs: 1,
        }),
      );
      const verified = await svc(['verify', ANSWER_FILE, '--remote', '--url', server.url]);
      expect(verified).toMatchObject({
        code: 4,
        stdout: `INVALID  trace-opening, by the word of ${server.url}/\n`,
      });
      expect(JSON.parse(server.calls[0].body)).toEqual({
        proof: answer.proof,
        publicInputs: answer.publicInputs,
        airId: answer.airId,
        traceLength: answer.traceLength,
      });
    });
  });

  describe('svc pay', () => {
    test('prints the preimage of an invoice, and refuses one above the limit', async () => {
      const server = await gateway(() => undefined);
      const { invoice, paymentHash } = server.makeInvoice(600);
      const refused = await svc(['pay', invoice, '--url', server.url]);
      expect(refused).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('600 sats, above the limit of 500'),
      });
      const paid = await svc(['pay', invoice, '--url', server.url, '--max-sats', '600', '--json']);
      expect(JSON.parse(paid.stdout)).toMatchObject({
        paymentHash,
        amountSats: 600,
        preimage: expect.any(String),
      });
    });
  });

  describe('svc health', () => {
    test('exits with 5 and one line when nobody answers', async () => {
      const server = await PaywallServer.start(() => undefined);
      const { url } = server;
      await server.close();
      const ended = await svc(['health', '--url', url]);
      expect(ended).toMatchObject({
        code: 5,
        stdout: '',
        stderr: expect.stringMatching(/^svc: .* cannot be reached.*\n$/),
      });
    });
  });
}

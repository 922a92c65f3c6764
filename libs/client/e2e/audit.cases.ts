import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, verifyAuditedAnswer } from '../src/index.js';
import type { Svc } from './command-line.js';
import type { RunningProduct } from './running-product.js';

/** The evidence of answers that are bought here, checked in each way there is. */
export function describeAudit(product: () => RunningProduct, svc: Svc): void {
  let folder: string;
  let answerFile: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-audit-'));
    answerFile = join(folder, 'answer.json');
    const bought = await svc(
      ['prove', '-', '--url', product().address, '--degree', '64', '--save', answerFile],
      { input: 'audited' },
    );
    expect(bought).toMatchObject({ code: 0, stderr: '' });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const url = () => ['--url', product().address];
  async function boughtAnswer() {
    const saved = JSON.parse(await readFile(answerFile, 'utf8'));
    const { payment: _payment, checked: _checked, batchProof: _batchProof, ...answer } = saved;
    return answer as Record<string, unknown> & { auditProof: Record<string, unknown> };
  }

  describe('the evidence of an answer that was bought', () => {
    test('holds by the library, with the proof of its batch and the published keys', async () => {
      const answer = await boughtAnswer();
      const client = createClient({ baseUrl: product().address });
      const { data: proof } = await client.fetchProof(String(answer.auditProof['proofId']));
      const { data: published } = await client.request('get', '/.well-known/svc-proof-keys.json');
      const audited = { answer, proof, keys: published.keys };
      const request = { traceData: 'audited', degree: 64, friBlowup: 8 };
      expect(verifyAuditedAnswer({ ...audited, request })).toMatchObject({ valid: true });
      expect(
        verifyAuditedAnswer({ ...audited, request: { ...request, traceData: 'Audited' } }),
      ).toMatchObject({
        reason: 'request-mismatch',
      });
      const changed = {
        ...answer,
        proofId: String(answer['proofId']).replace(/.$/, c => (c === 'A' ? 'B' : 'A')),
      };
      expect(verifyAuditedAnswer({ ...audited, answer: changed })).toMatchObject({
        reason: 'result-mismatch',
      });
    });

    test('holds by HTTP, and not with one character of the result changed', async () => {
      const { auditProof, ...result } = await boughtAnswer();
      const ask = async (body: object) => {
        const response = await fetch(`${product().address}/v1/stark/verify-proof`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return { status: response.status, ...((await response.json()) as object) };
      };
      expect(await ask({ auditProof, result })).toMatchObject({
        status: 200,
        valid: true,
        airId: 'rules/v1',
      });
      expect(await ask({ auditProof })).toMatchObject({ status: 200, valid: true });
      const changed = { ...result, status: 'VERIFIED_VALIE' };
      expect(await ask({ auditProof, result: changed })).toMatchObject({
        status: 200,
        valid: false,
        reason: 'result-mismatch',
        securityBits: 0,
      });
      expect(await ask({ auditProof: { ...auditProof, root: 'x' } })).toMatchObject({
        status: 400,
        errors: [{ path: 'auditProof.root' }],
      });
      expect(await ask({ auditProof, proof: 'AAAA' })).toMatchObject({
        status: 400,
        errors: [{ path: 'proof' }],
      });
    });

    test('holds by the command line, here and remotely, and not when a character is changed', async () => {
      const here = await svc(['verify', answerFile, '--audit', ...url()]);
      expect(here).toMatchObject({ code: 0, stdout: expect.stringMatching(/^VALID +computation/) });
      expect((await svc(['verify', answerFile, '--audit', '--remote', ...url()])).code).toBe(0);
      const saved = await readFile(answerFile, 'utf8');
      const changedFile = join(folder, 'changed.json');
      await writeFile(changedFile, saved.replace('VERIFIED_VALID', 'VERIFIED_VALIE'));
      const changed = await svc(['verify', changedFile, '--audit', ...url()]);
      expect(changed).toMatchObject({ code: 4, stdout: expect.stringContaining('INVALID  result-mismatch') });
      expect((await svc(['verify', changedFile, '--audit', '--remote', ...url()])).code).toBe(4);
      const requestFile = join(folder, 'request.json');
      // As it was sent: the service filled in the rest.
      for (const remote of [[], ['--remote']]) {
        await writeFile(requestFile, JSON.stringify({ degree: 64, traceData: 'audited' }));
        const verify = ['verify', answerFile, '--audit', '--request', requestFile, ...remote, ...url()];
        expect((await svc(verify)).code).toBe(0);
        await writeFile(requestFile, JSON.stringify({ degree: 64, traceData: 'Audited' }));
        expect(await svc(verify)).toMatchObject({
          code: 4,
          stdout: expect.stringContaining('request-mismatch'),
        });
        // Another degree was asked for: the published default, which the answer cannot say otherwise.
        await writeFile(requestFile, JSON.stringify({ traceData: 'audited' }));
        expect(await svc(verify)).toMatchObject({
          code: 4,
          stdout: expect.stringContaining('request-mismatch'),
        });
      }
    });

    test('holds on a machine without a network, from the saved answer and a copy of the keys', async () => {
      const keysFile = join(folder, 'keys.json');
      const published = await fetch(`${product().address}/.well-known/svc-proof-keys.json`);
      await writeFile(keysFile, await published.text());
      const nowhere = ['--url', 'http://127.0.0.1:1'];
      const verified = await svc(['verify', answerFile, '--audit', '--keys', keysFile, ...nowhere]);
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^VALID/) });
    });

    test('of a commitment holds without what opens it, which a job tells its buyer once', async () => {
      const body = JSON.stringify({ publicInputs: ['42'], privateWitness: ['7'] });
      const [file, requestFile] = [join(folder, 'binding.json'), join(folder, 'binding-request.json')];
      await writeFile(requestFile, body);
      for (const wait of [[], ['--async']]) {
        const bought = await svc(
          ['prove', '-', '--statement', 'goldilocks', ...wait, '--save', file, ...url()],
          { input: body },
        );
        expect(bought.code).toBe(0);
        const job = /^job \S+: (http\S+)$/m.exec(bought.stderr)?.[1];
        expect(job === undefined).toBe(wait.length === 0);
        if (job !== undefined) {
          const asked = (await (await fetch(job)).json()) as Record<string, object>;
          expect(asked).toMatchObject({ state: 'succeeded', result: { airId: 'binding/v2' } });
          expect('opening' in asked || 'opening' in asked['result']).toBe(false);
        }
        const { opening, ...shown } = JSON.parse(await readFile(file, 'utf8'));
        expect(opening).toEqual({ salt: expect.stringMatching(/^0x[0-9a-f]{48}$/) });
        const verify = ['verify', file, '--audit', '--request', requestFile, ...url()];
        expect(await svc(verify)).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('private and not compared: privateWitness'),
        });
        expect((await svc([...verify, '--remote'])).code).toBe(0);
        expect((await svc(verify)).stdout).toMatch(/^opening +opens the commitment of the proof/m);
        const other = { salt: `0x${'11'.repeat(24)}` };
        await writeFile(file, JSON.stringify({ ...shown, opening: other }));
        expect(await svc(verify)).toMatchObject({
          code: 4,
          stdout: expect.stringMatching(
            /^INVALID {2}opening-mismatch: opening and request make another commitment/,
          ),
        });
        await writeFile(file, JSON.stringify(shown));
        expect((await svc(verify)).code).toBe(0);
      }
    });

    test('names each rule that does not hold, and the evidence holds all the same', async () => {
      const file = join(folder, 'broken-rules.json');
      const args = ['--mass', '30.5', '--peaks', '4406,8652,10661,18532', '--save', file, ...url()];
      expect((await svc(['bullion', 'krugerrand', ...args])).code).toBe(0);
      const { auditProof } = JSON.parse(await readFile(file, 'utf8'));
      const broken = auditProof.rules.filter(({ holds }: { holds: boolean }) => !holds);
      expect(broken.length).toBeGreaterThan(0);
      const { code, stdout } = await svc(['verify', file, '--audit', ...url()]);
      expect(code).toBe(0);
      for (const { id, value, threshold } of broken)
        expect(stdout).toMatch(
          new RegExp(`does not hold +${id}: .*\\(${value}, at least ${threshold} is asked\\)`),
        );
      expect(stdout.match(/^does not hold/gm)).toHaveLength(broken.length);
      const told = JSON.parse((await svc(['verify', file, '--audit', '--json', ...url()])).stdout);
      expect(told).toMatchObject({ valid: true, rulesNotHeld: broken.map(({ id }: { id: string }) => id) });
    });

    test('is signed by a published key: pq-verify accepts its batch, and not another signature', async () => {
      const { auditProof } = await boughtAnswer();
      const { proofId, keyId, signature, expiresAt } = auditProof as Record<string, string>;
      const stored = (await (
        await fetch(`${product().address}/v1/stark/proofs/${proofId}`, {
          headers: { accept: 'application/json' },
        })
      ).json()) as Record<string, unknown>;
      const { proof, publicInputs, airId } = stored;
      const body = { proof, publicInputs, airId, contextDomain: 'svc/audit/v1', keyId, signature, expiresAt };
      const ask = async (more: object) =>
        (
          await fetch(`${product().address}/v1/stark/pq-verify`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ...body, ...more }),
          })
        ).json();
      expect(await ask({})).toMatchObject({
        valid: true,
        proof: { valid: true },
        signature: { valid: true },
      });
      const { keys } = (await (
        await fetch(`${product().address}/.well-known/svc-proof-keys.json`)
      ).json()) as {
        keys: [{ publicKey: string }];
      };
      // The key as it is published, base64url, and in the base64 of the other members.
      const published = keys[0].publicKey;
      for (const publicKey of [published, Buffer.from(published, 'base64url').toString('base64')]) {
        expect(await ask({ keyId: undefined, publicKey })).toMatchObject({ valid: true });
      }
      const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
      expect(await ask({ signature: other })).toMatchObject({
        valid: false,
        proof: { valid: true },
        signature: { valid: false, reason: 'bad-signature' },
      });
    });
  });

  describe('the STARK that a tool names', () => describeNamedProofs(svc, url, () => folder));
}

/** Of a tool: what it is asked, another request in what is private and in what is open, and how its statement is shown. */
const PROVING_TOOLS = [
  {
    tool: 'zk_prove_spatial',
    request: {
      coordinates: [52.5, 13.4],
      bounds: [
        [52, 53],
        [13, 14],
      ],
    },
    hidden: { coordinates: [52.6, 13.4] },
    open: {
      bounds: [
        [52, 54],
        [13, 14],
      ],
    },
    line: /^box +latitude 52 to 53 degrees$/m,
  },
  {
    tool: 'generate_goldilocks_stark_proof',
    request: { publicInputs: ['42'], privateWitness: ['7'], contextDomain: 'demo' },
    hidden: { privateWitness: ['8'] },
    open: { publicInputs: ['43'] },
    line: /^public inputs +0x2a$/m,
  },
] as const;

function describeNamedProofs(svc: Svc, url: () => string[], folder: () => string): void {
  const write = async (name: string, value: object) => {
    const file = join(folder(), name);
    await writeFile(file, JSON.stringify(value));
    return file;
  };

  describe.each(PROVING_TOOLS)('of $tool', ({ tool, request, hidden, open, line }) => {
    let called: Record<string, unknown>;

    test('is fetched, checked and kept with the answer', async () => {
      const file = join(folder(), `${tool}.json`);
      const bought = await svc(['tool', tool, '--input', JSON.stringify(request), '--save', file, ...url()]);
      expect(bought).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(line) });
      expect(bought.stdout).toMatch(
        /^STARK +valid, checked here: 101 bits proven; what was asked for, opened/m,
      );
      const saved = JSON.parse(await readFile(file, 'utf8'));
      const { starkProof, checkedStark, askedRequest, payment, checked, batchProof, ...answer } = saved;
      expect([checkedStark, checked]).toMatchObject([{ valid: true }, { valid: true }]);
      expect([payment.rail, typeof batchProof]).toEqual(['l402', 'string']);
      expect(Object.keys(askedRequest)).not.toContain(Object.keys(hidden)[0]);
      expect(answer).toMatchObject({ publicInputs: starkProof.publicInputs });
      called = answer;
      // On a machine without a network.
      const verified = await svc(['verify', file, '--url', 'http://127.0.0.1:1']);
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(line) });
    });

    test('is verified from an answer as it was given, and as it was before it stated what is public', async () => {
      const { publicInputs: _inputs, contextDomain: _context, ...brief } = called;
      for (const plain of [called, brief]) {
        const file = await write('plain.json', plain);
        expect((await svc(['verify', file, '--url', 'http://127.0.0.1:1'])).code).toBe(5);
        for (const more of [[], ['--remote']])
          expect(await svc(['verify', file, ...more, ...url()])).toMatchObject({
            code: 0,
            stdout: expect.stringMatching(/^VALID/),
          });
        const codes: (number | null)[] = [];
        for (const changes of [{}, hidden, open]) {
          const asked = await write('asked.json', { ...request, ...changes });
          codes.push((await svc(['verify', file, '--request', asked, ...url()])).code);
        }
        expect(codes).toEqual([0, 4, 4]);
      }
      const lying = await write('lying.json', { ...called, starkRootCommitment: `0x${'0'.repeat(64)}` });
      expect(await svc(['verify', lying, ...url()])).toMatchObject({
        code: 4,
        stdout: expect.stringContaining('INVALID  proof-mismatch: starkRootCommitment'),
      });
    });

    test('is opened by the opening of the answer, of which the evidence says nothing', async () => {
      const asked = await write('asked.json', request);
      const audit = async (answer: object, ...more: string[]) =>
        svc([
          'verify',
          await write('audited.json', answer),
          '--audit',
          '--request',
          asked,
          ...more,
          ...url(),
        ]);
      for (const remote of [[], ['--remote']]) {
        expect(await audit(called, ...remote)).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^opening +opens the commitment/m),
        });
        const forged = { ...called, opening: { salt: `0x${'11'.repeat(24)}` } };
        expect(await audit(forged, ...remote)).toMatchObject({
          code: 4,
          stdout: expect.stringContaining('opening-mismatch'),
        });
      }
    });
  });

  test('svc tool holds the evidence against the request with its published defaults', async () => {
    const file = join(folder(), 'attractor.json');
    const { code, stdout } = await svc(['tool', 'webgpu_snn_attractor', '--save', file, ...url()]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^evidence +valid, checked here/m)]);
    const verified = await svc(['verify', file, '--audit', ...url()]);
    expect(verified.stdout).toMatch(/^request +the answer is to this request$/m);
  });
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type Answer,
  type Client,
  createClient,
  discloseFields,
  sandboxWallet,
  verifyAuditedAnswer,
  verifyDisclosedFields,
} from '../src/index.js';
import type { Svc } from './command-line.js';
import type { RunningProduct } from './running-product.js';

const DAY_MS = 86_400_000;

interface Bought {
  readonly operationId: string;
  readonly request: Record<string, unknown>;
  readonly answer: Record<string, unknown> & { auditProof: { proofId: string }; charged: boolean };
  readonly proof: Uint8Array;
}

/** A WAV of decaying tones: what a coin with these modes sounds like. */
function ringOf(modesHz: readonly number[], seconds = 1): Buffer {
  const sampleRateHz = 48_000;
  const count = seconds * sampleRateHz;
  const wav = Buffer.alloc(44 + 2 * count);
  wav.write('RIFF', 0).toString();
  wav.writeUInt32LE(36 + 2 * count, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRateHz, 24);
  wav.writeUInt32LE(2 * sampleRateHz, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(2 * count, 40);
  const struckAt = sampleRateHz / 10;
  for (let i = struckAt; i < count; i++) {
    const t = (i - struckAt) / sampleRateHz;
    const sum = modesHz.reduce((all, hz) => all + Math.sin(2 * Math.PI * hz * t) * Math.exp(-6 * t), 0);
    wav.writeInt16LE(Math.round((25_000 * sum) / modesHz.length), 44 + 2 * i);
  }
  return wav;
}

const CARD = { year: 2001, set: 'Evidence', number: '7', player: 'Ada Example' };

async function importSales(baseUrl: string, adminKey: string): Promise<void> {
  const admin = createClient({ baseUrl, key: adminKey });
  const sales = [100, 104, 96, 101, 99, 103, 98, 102].map((price, i) => ({
    ...{ itemId: `evidence-${i}`, venue: 'e2e', card: CARD, company: 'PSA', grade: 9, currency: 'USD' },
    price: `${price}.00`,
    soldAt: new Date(Date.now() - (3 * i + 1) * DAY_MS).toISOString(),
    saleType: 'auction',
  }));
  const { data } = await admin.request('POST', '/v1/admin/card-sales', { body: { sales } });
  expect(data).toMatchObject({ accepted: 8 });
}

/** Bits in a seeded order that is the same at every run. */
function* seededBits(bitCount: number): Generator<number> {
  let state = 2026;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield Math.floor((state / 2 ** 32) * bitCount);
  }
}

/** Answers that differ from this one in a single bit of their JSON. */
function* flippedAnswers(answer: object, count: number): Generator<Record<string, unknown>> {
  const bytes = Buffer.from(JSON.stringify(answer));
  const bits = seededBits(8 * bytes.length);
  while (count > 0) {
    const bit = bits.next().value as number;
    const copy = Buffer.from(bytes);
    copy[bit >> 3] ^= 1 << (bit & 7);
    try {
      const changed = JSON.parse(copy.toString()) as Record<string, unknown>;
      if (isDeepStrictEqual(changed, JSON.parse(bytes.toString()))) continue;
      yield changed;
      count--;
    } catch {
      // A text that is no JSON is no answer.
    }
  }
}

const pick = (answer: Record<string, unknown>, name: string) => ({ [name]: answer[name] });

/**
 * The answers of the paid agent endpoints, and their evidence.
 * @param flips answers with one bit flipped that are tried, of each answer
 */
export function describeAgents(product: () => RunningProduct, svc: Svc, flips: number): void {
  let folder: string;
  let client: Client;
  let keysFile: string;
  let keys: never[];
  const bought: Bought[] = [];

  async function buy(
    operationId: string,
    request: Record<string, unknown>,
    call: (request: never) => Promise<Answer<object>>,
  ): Promise<Bought> {
    const { data } = await call(request as never);
    const answer = data as Bought['answer'];
    const { data: proof } = await client.fetchProof(answer.auditProof.proofId);
    return { operationId, request, answer, proof };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-agents-'));
    const baseUrl = product().address;
    client = createClient({ baseUrl, wallet: sandboxWallet({ baseUrl }) });
    const { adminKey } = JSON.parse(await readFile(join(product().dataDir, 'secrets.json'), 'utf8'));
    await importSales(baseUrl, adminKey);
    const { data: published } = await client.request('get', '/.well-known/svc-proof-keys.json');
    keys = published.keys as never[];
    keysFile = join(folder, 'keys.json');
    await writeFile(keysFile, JSON.stringify(published));

    const recordingBase64 = ringOf([4_376, 4_436, 8_652, 10_661, 18_532]).toString('base64');
    const bullion = { productId: 'krugerrand', massG: 33.93, recordingBase64, spectrumSvg: true };
    bought.push(await buy('agent.verify-bullion', bullion, request => client.verifyBullion(request)));
    const card = { card: CARD, company: 'PSA', grade: 9 };
    bought.push(await buy('agent.card-valuation', card, request => client.valueCard(request)));
    const fields = { NamedInsured_FullName_A: 'Example Electric LLC', Insurer_NAICCode_A: '12345' };
    const certificate = { fields, requirementSetId: 'electrical', asOf: '2026-11-22' };
    bought.push(await buy('agent.coi-verify', certificate, request => client.verifyCertificate(request)));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const verified = ({ proof }: Bought, answer: Record<string, unknown>, request?: Record<string, unknown>) =>
    verifyAuditedAnswer({ answer, proof, keys, request });

  describe('the answers of the paid agent endpoints', () => {
    test('are charged, and their evidence is of the request as it was sent', () => {
      expect(bought.map(({ answer }) => answer.charged)).toEqual([true, true, true]);
      expect(bought[0].answer).toMatchObject({ verdict: 'PASS', evidenceLevel: 'RECORDING' });
      expect(bought[1].answer).toMatchObject({ confidence: 'normal', n: 8, market: 'imported' });
      expect(bought[2].answer['compliant']).not.toBe('COMPLIANT');
      for (const one of bought) {
        const { operationId, request, answer } = one;
        expect(answer).toMatchObject({ disclosure: { operationId }, auditProof: { proves: 'rules' } });
        expect(verified(one, answer, request)).toMatchObject({ valid: true });
        expect(answer['starkRoot']).toBe((answer.auditProof as unknown as { root: string }).root);
      }
      const ring = bought[0];
      const recordingBase64 = ringOf([4_376, 8_652, 10_661, 18_532]).toString('base64');
      for (const other of [{ recordingBase64 }, { massG: 33.94 }, { spectrumSvg: false }])
        expect(verified(ring, ring.answer, { ...ring.request, ...other })).toMatchObject({
          reason: 'request-mismatch',
        });
    });

    test('do not hold with one bit flipped in any part of them, nor their proof', async () => {
      for (const one of bought) {
        for (const changed of flippedAnswers(one.answer, flips)) {
          expect(verified(one, changed, one.request)).toMatchObject({ valid: false });
          // A connection that the product closes meanwhile is seen to be closed.
          await turn();
        }
        const bits = seededBits(8 * one.proof.length);
        for (let i = 0; i < flips / 6; i++) {
          const proof = Uint8Array.from(one.proof);
          const bit = bits.next().value as number;
          proof[bit >> 3] ^= 1 << (bit & 7);
          expect(verified({ ...one, proof }, one.answer, one.request)).toMatchObject({ valid: false });
          await turn();
        }
        expect(verified(one, one.answer, one.request)).toMatchObject({ valid: true });
      }
    });

    test('are verified by the server, with their disclosure', async () => {
      for (const { answer } of bought) {
        const { auditProof, ...result } = answer;
        const ask = async (body: object) => (await client.verifyProof(body as never)).data;
        expect(await ask({ auditProof, result })).toMatchObject({ valid: true });
        const { disclosureProof } = result as { disclosureProof?: object };
        const changed = { ...result, disclosureProof: { ...disclosureProof, doesNotProve: 'Nothing.' } };
        expect(await ask({ auditProof, result: changed })).toMatchObject({
          valid: false,
          reason: expect.stringContaining('disclosure-mismatch'),
        });
      }
    });

    test('have fields that are shown alone, and checked without the others', () => {
      for (const { answer, proof } of bought) {
        const { fields } = answer['disclosure'] as { fields: { path: string; salt: string }[] };
        for (const { path } of fields.slice(0, 5)) {
          const document = discloseFields(answer, [path]);
          const text = JSON.stringify(document);
          expect(fields.filter(({ salt }) => text.includes(salt))).toHaveLength(1);
          expect(verifyDisclosedFields({ document: JSON.parse(text), proof, keys })).toMatchObject({
            valid: true,
          });
          const [field] = document.fields;
          const changed = { ...document, fields: [{ ...field, value: 'another' }] };
          expect(verifyDisclosedFields({ document: changed, proof, keys })).toMatchObject({
            reason: 'field-not-under-root',
          });
        }
      }
      // Not even under the proof of the same batch, of which each answer has its own root.
      const [{ answer, proof }, other] = bought;
      const document = { ...discloseFields(answer, ['/verdict']), ...pick(other.answer, 'disclosureProof') };
      expect(verifyDisclosedFields({ document, proof, keys })).toMatchObject({ reason: 'not-a-disclosure' });
    });

    test('have fields that svc shows, and checks without a gateway', async () => {
      const [{ answer, proof }] = bought;
      const [answerFile, shown, batch] = ['answer', 'shown', 'batch'].map(name => join(folder, name));
      await writeFile(answerFile, JSON.stringify(answer));
      await writeFile(batch, proof);
      const disclosed = await svc(['proof', 'disclose', answerFile, 'verdict', '/massCheck', '--out', shown]);
      expect(disclosed).toMatchObject({ code: 0, stderr: '' });
      const offline = ['--batch-proof', batch, '--keys', keysFile, '--url', 'http://127.0.0.1:9', '--json'];
      const checked = await svc(['proof', 'check', shown, ...offline]);
      expect(checked).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(checked.stdout).fields).toMatchObject({
        '/verdict': 'PASS',
        '/massCheck/expectedG': 33.93,
      });
      await writeFile(shown, (await readFile(shown, 'utf8')).replace('"PASS"', '"FAIL"'));
      expect(await svc(['proof', 'check', shown, ...offline])).toMatchObject({ code: 4 });
    });
  });

  test('an answer that says nothing is not charged, and carries evidence all the same', async () => {
    const { data, headers } = await client.valueCard({ card: CARD, company: 'BGS', grade: 3 } as never);
    expect(data).toMatchObject({ charged: false, medianUsd: null, confidence: 'insufficient_comps' });
    // Signed, and under no proof: none is stored for a free answer.
    expect(data.auditProof.version).toBe(2);
    expect(verifyAuditedAnswer({ answer: { ...data }, keys })).toEqual({ valid: true });
    const paid = { ...data, charged: true };
    expect(verifyAuditedAnswer({ answer: paid, keys })).toMatchObject({ reason: 'result-mismatch' });
    const credit = createClient({ baseUrl: product().address, key: String(headers.get('x-svc-key')) });
    expect((await credit.request('get', '/v1/account')).data).toMatchObject({ balanceMicroUsd: 30_000 });
  });

  test('svc buys an answer, checks it, saves it with its request, and says what it costs', async () => {
    const file = join(folder, 'saved.json');
    const url = ['--url', product().address];
    const args = ['--mass', '33.93', '--peaks', '4406,8652,10661,18532'];
    const sold = await svc(['bullion', 'krugerrand', ...args, '--save', file, ...url]);
    expect(sold).toMatchObject({ code: 0, stderr: '' });
    expect(sold.stdout).toMatch(/^verdict +PASS, evidence level SELF_REPORTED$/m);
    expect(sold.stdout).toMatch(/^evidence +valid, checked here/m);
    expect(sold.stdout).toMatch(/^paid +100 sats over l402$/m);
    const checked = await svc(['verify', file, '--audit', ...url]);
    expect(checked.stdout).toMatch(/^request +the answer is to this request$/m);
    expect(await svc(['proof', 'disclose', file, 'verdicts'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/verdict'),
    });
    const { stdout } = await svc(['coi', '--price', '--json', ...url]);
    expect(JSON.parse(stdout)).toMatchObject({ priceSats: 500, rail: 'PROCESSOR_MPP_OR_L402' });
    expect((await client.agentPrice('bullion')).data).toMatchObject({ priceUsd: 0.05, priceSats: 100 });
    expect((await client.agentPrice('card')).data).toMatchObject({ priceUsd: 0.03, priceSats: 60 });
  });
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOOL_NAMES, UPLOAD_BYTES_MAX } from '@svc/contracts';
import { canonicalJson, priceOf } from '@svc/protocols';
import { createHash } from 'node:crypto';
import type { AllRails } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import { post } from './paid-call.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any tool

const RESULT_CHARS_MAX = 2_000;
const DESK_TOOLS = [
  ...['verify_bullion', 'value_card', 'verify_certificate'],
  ...['search_cards', 'list_bullion_products', 'list_requirement_sets', 'prove_own_statement'],
];
const KRUGERRAND = { productId: 'krugerrand', massG: 33.93 };
const PEAKS = [4_406, 8_652, 10_661, 18_532];
const COVERAGE = {
  requirements: { generalLiability: { eachOccurrenceUsd: 1_000_000 } },
  fields: { GeneralLiability_EachOccurrence_LimitAmount: '500,000', NamedInsured_FullName: 'Ada LLC' },
};
/** x becomes 3·x + 1; from 2 it is 202 in the fifth row. */
const STEP = {
  ...{ format: 'air/1', field: 'goldilocks', columns: ['x'], public: ['start', 'end'], periodic: [] },
  nodes: [
    ...[
      ['next', 'x'],
      ['cur', 'x'],
      ['const', '3'],
      ['mul', 1, 2],
      ['const', '1'],
      ['add', 3, 4],
    ],
    ['sub', 0, 5],
  ],
  constraints: [{ name: 'step', node: 6 }],
  boundary: [
    { column: 'x', row: 0, value: ['public', 'start'] },
    { column: 'x', row: 'last', value: ['public', 'end'] },
  ],
};
const STEPS = { air: STEP, rows: 5, start: { x: '2' } };
/** Verifies receipts without any of our code. */
const VERIFIER = new URL('../../../tools/clients/verify-receipt.mjs', import.meta.url);
/** Of a sandbox that nothing says otherwise of. */
const ORIGIN = 'http://localhost:3000';
const sha256 = (bytes: Uint8Array) => `0x${createHash('sha256').update(bytes).digest('hex')}`;

/** Two seconds of a coin's lines that die away, as a WAV of 48 kHz and 16 bits. */
function ringOf(linesHz: readonly number[]): Buffer {
  const [rate, length] = [48_000, 96_000];
  const wav = Buffer.alloc(44 + 2 * length);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + 2 * length, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(2 * rate, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(2 * length, 40);
  for (let n = 0; n < length; n++) {
    const seconds = n / rate - 0.1;
    const tone = linesHz.reduce(
      (sum, hz) => sum + Math.exp((-Math.PI * hz * seconds) / 1_000) * Math.sin(2 * Math.PI * hz * seconds),
      0,
    );
    // A hiss of the room, the same each time.
    const hiss = Math.sin(n * 12.9898) * 43_758.5453;
    const sample = (seconds < 0 ? 0 : 5_000 * tone) + 20 * (hiss - Math.floor(hiss) - 0.5);
    wav.writeInt16LE(Math.round(sample), 44 + 2 * n);
  }
  return wav;
}

/** @param shared what all suites of the file share */
export function describeDeskTools(shared: () => AllRails): void {
  describe('coins, cards and certificates over MCP', () => {
    let rails: AllRails;
    let key: string;
    let client: Client;
    const at = (path: string) => rails.route.address + path;
    const get = async (path: string, headers: Record<string, string> = {}): Promise<Json> =>
      (await fetch(at(path), { headers })).json() as Promise<Json>;
    const balance = async () => (await get('/v1/account', { 'x-svc-key': key })).balanceMicroUsd as number;
    const call = async (name: string, args: Json, _meta?: Json): Promise<Json> =>
      (await client.callTool({ name, arguments: args, ...(_meta && { _meta }) })) as Json;
    const upload = async (body: Uint8Array, headers: Record<string, string> = {}) => {
      const response = await fetch(at('/v1/uploads'), {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...headers },
        body: body as Uint8Array<ArrayBuffer>,
      });
      return { status: response.status, json: (await response.json()) as Json };
    };

    beforeAll(async () => {
      rails = shared();
      const admin = { 'x-svc-key': ADMIN_KEY };
      const { json: account } = await post(at('/v1/admin/accounts'), {}, admin);
      const accounts = at(`/v1/admin/accounts/${String(account.accountId)}`);
      await post(`${accounts}/credit`, { amountMicroUsd: 10_000_000, reason: 'test' }, admin);
      key = (await post(`${accounts}/keys`, {}, admin)).json.key as string;
      client = new Client({ name: 'a client', version: '1' });
      const requestInit = { headers: { 'x-svc-key': key } };
      await client.connect(new StreamableHTTPClientTransport(new URL(at('/mcp')), { requestInit }));
      await client.listTools();
    });
    afterAll(() => client?.close());

    it('are listed beside the ten tools of the catalogue, which stays as it is', async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES, ...DESK_TOOLS]);
      expect((await get('/mcp.json')).tools.map(({ name }: Json) => name)).toEqual(TOOL_NAMES);
      for (const { inputSchema } of tools) expect(inputSchema).not.toHaveProperty('anyOf');
      const [bullion, , , search] = tools.slice(TOOL_NAMES.length);
      expect(bullion.inputSchema.required).toEqual(['massG']);
      expect(Object.keys(bullion.inputSchema.properties!)).toEqual(
        expect.arrayContaining(['productId', 'metal', 'recordingBase64', 'uploadId', 'peaksHz']),
      );
      expect(bullion._meta!['svc/price']).toMatchObject({ costUsd: '0.05', available: true });
      expect(search._meta!['svc/price']).toMatchObject({ costUsd: '0', amountMicroUsd: '0' });
    });

    it.each<[string, string, Json, Json]>([
      ['verify_bullion', 'agent.verify-bullion', { ...KRUGERRAND, peaksHz: PEAKS }, { verdict: 'PASS' }],
      ['verify_certificate', 'agent.coi-verify', COVERAGE, { compliant: 'DEFICIENT' }],
    ])(
      '%s is paid for by a key, fits, and is whole at its resource',
      async (name, operationId, args, says) => {
        const before = await balance();
        const { structuredContent, isError, content } = await call(name, args);
        expect([isError ?? false, structuredContent]).toEqual([false, expect.objectContaining(says)]);
        expect(before - (await balance())).toBe(priceOf(operationId).amountMicroUsd);
        const [{ text }, link] = content;
        expect(text.length + JSON.stringify(link).length).toBeLessThanOrEqual(RESULT_CHARS_MAX);
        expect(link.uri).toBe(structuredContent.evidence.uri);
        const { contents } = await client.readResource({ uri: structuredContent.whole });
        const { auditProof, ...result } = JSON.parse((contents[0] as Json).text);
        const checked = await post(at('/v1/stark/verify-proof'), {
          auditProof,
          result: { ...result, auditProof },
        });
        expect([checked.status, checked.json.valid]).toEqual([200, true]);
      },
    );

    it.each<[string, string, Json]>([
      ['get_product_catalog', '/v1/tools/get_product_catalog', {}],
      [
        'verify_bullion',
        '/api/agent/verify-bullion',
        { productId: 'krugerrand', peaksHz: PEAKS, massG: 33.9 },
      ],
      ['verify_certificate', '/partnerCoiVerify', COVERAGE],
      ['prove_own_statement', '/v1/stark/prove-m31', { ...STEPS, rows: 6, air: { ...STEP, field: 'm31' } }],
    ])('%s has a receipt, of %s, of its arguments and the whole answer', async (name, target, args) => {
      const { content, _meta } = await call(name, args, { 'svc/evidence': 'inline' });
      const { verifyReceipt } = (await import(VERIFIER.href)) as {
        verifyReceipt: (...of: unknown[]) => Json;
      };
      const asked = { origin: ORIGIN, method: 'POST', target };
      const bytes = { body: Buffer.from(canonicalJson(args)), answer: Buffer.from(content[0].text) };
      const document = await get('/.well-known/did.json');
      expect(verifyReceipt(_meta['svc/receipt'], document, { ...asked, ...bytes })).toMatchObject({
        ...{ rail: 'svc-key', resourceUrl: ORIGIN + target },
      });
    });

    it('prove_own_statement proves a statement of the caller’s over either field, in an answer that fits', async () => {
      const before = await balance();
      for (const field of ['goldilocks', 'm31']) {
        const air = { ...STEP, field };
        const { structuredContent, content } = await call('prove_own_statement', { ...STEPS, air });
        expect(content[0].text.length).toBeLessThanOrEqual(RESULT_CHARS_MAX);
        const { definition, public: shown, traceLength, evidence } = structuredContent;
        expect(shown).toMatchObject({ rows: 5, end: expect.stringMatching(/^0x0+ca$/) });
        const { contents } = await client.readResource({ uri: evidence.uri });
        const { proof, airId, publicInputs } = JSON.parse((contents[0] as Json).text);
        expect([airId, publicInputs]).toEqual([definition, shown]);
        const claim = { proof, airId, publicInputs, traceLength, policy: { airIds: [definition] } };
        const { json } = await post(at('/v1/stark/verify-proof'), { ...claim, air: JSON.stringify(air) });
        expect(json).toMatchObject({ valid: true, definitionExpected: true, formatVersion: 3 });
      }
      const price = priceOf('stark.prove-goldilocks').amountMicroUsd;
      expect(before - (await balance())).toBe(2 * price);
      const { problem } = (await call('prove_own_statement', { ...STEPS, public: { end: '7' } }))
        .structuredContent;
      expect(problem).toMatchObject({ reason: 'constraint-violated', row: 4, charged: 'no' });
      for (const wrong of [{ other: 1 }, { statement: 'raw' }, { air: [{ toString: 1, valueOf: 1 }] }])
        await expect(call('prove_own_statement', { ...STEPS, ...wrong })).rejects.toMatchObject({
          code: -32_602,
        });
      expect(before - (await balance())).toBe(2 * price);
    });

    it('keeps the rules of an audit before all that explains them', async () => {
      const { structuredContent } = await call('verify_certificate', {
        ...COVERAGE,
        attachments: ['COMMERCIAL GENERAL LIABILITY '.repeat(200)],
      });
      // Those that fail come first.
      expect(structuredContent.rules.length).toBeGreaterThan(3);
      expect(structuredContent.rules.map(({ outcome }: Json) => outcome)).not.toContain('pass');
      expect(structuredContent.shortened.map(({ path }: Json) => path)).toContain('deficiencyLetter');
    });

    it('asks for the price of the route, and names that, where nothing pays', async () => {
      const unpaid = new Client({ name: 'a client', version: '1' });
      await unpaid.connect(new StreamableHTTPClientTransport(new URL(at('/mcp'))));
      const asked = (await unpaid.callTool({
        name: 'verify_bullion',
        arguments: { ...KRUGERRAND, peaksHz: PEAKS },
      })) as Json;
      expect(asked.isError).toBe(true);
      const { problem, resource } = asked.structuredContent;
      expect(problem?.instance ?? resource.url).toContain('/api/agent/verify-bullion');
      await unpaid.close();
    });

    it('takes a long file by its upload, and the same file in another upload is the same call', async () => {
      const wav = ringOf(PEAKS);
      const { status, json } = await upload(wav);
      expect([status, json.bytes, json.sha256]).toEqual([201, wav.length, sha256(wav)]);
      const before = await balance();
      const idem = { 'svc/idempotency-key': 'a ring' };
      const asked = { ...KRUGERRAND, uploadId: json.uploadId };
      const first = await call('verify_bullion', asked, { ...idem, 'svc/evidence': 'inline' });
      expect(first.structuredContent).toMatchObject({
        ...{ evidenceLevel: 'RECORDING', recording: { sha256: sha256(wav) } },
      });
      const { json: again } = await upload(wav);
      expect(again.uploadId).not.toBe(json.uploadId);
      const same = await call('verify_bullion', { ...asked, uploadId: again.uploadId }, idem);
      expect(same.structuredContent.verdict).toBe(first.structuredContent.verdict);
      const price = first.structuredContent.charged ? priceOf('agent.verify-bullion').amountMicroUsd : 0;
      expect(before - (await balance())).toBe(price);
    });

    it('refuses what names no upload, both a file and an upload, and a file that is none, for nothing', async () => {
      const before = await balance();
      const { json } = await upload(Buffer.from('this is no recording'));
      const none = `upl_${'A'.repeat(22)}`;
      const refused: [Json, string, string][] = [
        [{ uploadId: none }, 'UNPROCESSABLE', 'uploadId'],
        [{ uploadId: json.uploadId }, 'UNPROCESSABLE', 'uploadId'],
      ];
      for (const [args, code, path] of refused) {
        const { problem } = (await call('verify_bullion', { ...KRUGERRAND, ...args })).structuredContent;
        expect([problem.code, problem.errors[0].path]).toEqual([code, path]);
      }
      for (const args of [
        { uploadId: 'upl_short' },
        { uploadId: json.uploadId, recordingBase64: 'UklGRg==' },
        { uploadId: json.uploadId, peaksHz: PEAKS },
        { uploadId: json.uploadId, fileSha256: sha256(Buffer.from('another')) },
      ])
        await expect(call('verify_bullion', { ...KRUGERRAND, ...args })).rejects.toMatchObject({
          code: -32_602,
        });
      await expect(call('value_card', { uploadId: json.uploadId })).rejects.toMatchObject({ code: -32_602 });
      expect(await balance()).toBe(before);
    });

    it('bounds uploads by length, by type and by caller', async () => {
      expect((await upload(Buffer.alloc(0))).json.code).toBe('VALIDATION_FAILED');
      expect((await upload(Buffer.alloc(UPLOAD_BYTES_MAX + 1))).json.code).toBe('BODY_TOO_LARGE');
      const typed = await upload(Buffer.from('{}'), { 'content-type': 'application/json' });
      expect([typed.status, typed.json.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      const mine = { 'x-svc-key': key };
      const many = await Promise.all(
        Array.from({ length: 6 }, () => upload(Buffer.alloc(UPLOAD_BYTES_MAX, 1), mine)),
      );
      const statuses = many.map(({ status }) => status);
      expect(statuses.filter(status => status === 201).length).toBeLessThanOrEqual(2);
      expect(new Set(statuses)).toEqual(new Set([201, 429]));
    });

    it('gives its lists for nothing, in short, and one of each whole', async () => {
      const before = await balance();
      const products = (await call('list_bullion_products', {})).structuredContent;
      expect(products).not.toHaveProperty('shortened');
      expect(products.productIds).toContain('krugerrand');
      const silver = (await call('list_bullion_products', { metal: 'silver' })).structuredContent.productIds;
      expect(products.productIds).toEqual(expect.arrayContaining(silver));
      expect(silver.length).toBeLessThan(products.productIds.length);
      expect(silver).not.toContain('krugerrand');
      const { product } = (await call('list_bullion_products', { productId: 'krugerrand' }))
        .structuredContent;
      expect(product).toMatchObject({ productId: 'krugerrand', passNeeds: expect.anything() });
      const sets = (await call('list_requirement_sets', {})).structuredContent;
      expect(sets.items).toContainEqual(
        expect.objectContaining({ requirementSetId: 'electrical', builtIn: true }),
      );
      const { requirementSet } = (await call('list_requirement_sets', { requirementSetId: 'electrical' }))
        .structuredContent;
      expect(requirementSet.requirements).toHaveProperty('generalLiability');
      const { items } = (await call('search_cards', { q: '19' })).structuredContent;
      expect(items[0]).toHaveProperty('cardKey');
      const valued = await call('value_card', { cardKey: items[0].cardKey, company: 'PSA', grade: 9 });
      expect(valued.structuredContent).toMatchObject({ card: { cardKey: items[0].cardKey } });
      const price = valued.structuredContent.charged ? priceOf('agent.card-valuation').amountMicroUsd : 0;
      expect(before - (await balance())).toBe(price);
      const unknown = (await call('list_bullion_products', { productId: 'tin-foil' })).structuredContent;
      expect(unknown.problem).toMatchObject({ code: 'UNPROCESSABLE', errors: [{ path: 'productId' }] });
    });
  });
}

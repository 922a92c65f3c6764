import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TOOL_NAMES } from '@svc/contracts';
import { MemoryBus } from '@svc/platform';
import { PRICE_LIST } from '@svc/protocols';
import { readFileSync } from 'node:fs';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn } from './gateway-under-test.js';
import { postMcp, rpc } from './mcp-post.js';
import { rawCall } from './raw-call.js';

const DOCS = new URL('../../../docs/', import.meta.url);

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGatewayOn(new MemoryBus());
});
afterAll(() => gateway.close());

const ask = async (method: string, params: object = {}) =>
  (await postMcp(`${gateway.address}/mcp`, rpc(method, params))).messages[0];
const get = async (path: string) => (await rawCall(gateway.address, path, { method: 'GET' })).json;

/** A JSON Schema, as much of it as is looked at here. */
interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}
interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema & { readonly anyOf?: readonly Schema[] };
  readonly _meta: Readonly<Record<string, Record<string, unknown>>>;
}

describe('the tools that are listed over MCP', () => {
  test('are those of the catalogue and of the OpenAPI document, word for word and at the same price', async () => {
    const all = (await ask('tools/list')).result.tools as ListedTool[];
    const listed = all.slice(0, TOOL_NAMES.length);
    const catalog = (await get('/mcp.json')) as unknown as { tools: (ListedTool & { costUsd: string })[] };
    const { paths } = (await get('/openapi.json')) as { paths: Record<string, { post: object }> };
    expect(listed.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
    for (const [index, tool] of listed.entries()) {
      const { description, costUsd, inputSchema, outputSchema } = catalog.tools[index];
      const price = tool._meta['svc/price'];
      expect([tool.description, tool.inputSchema]).toEqual([description, inputSchema]);
      // A grading has its evidence whole, or which it is; all other members are the catalogue's.
      const { grading: _view, ...outputs } = outputSchema.properties ?? {};
      expect(tool.outputSchema.properties).toMatchObject(outputs);
      expect(tool.outputSchema.anyOf).toContainEqual({ required: outputSchema.required });
      expect(price).toMatchObject({ costUsd, available: expect.any(Boolean) });
      expect(paths).toHaveProperty([price.httpPath as string, 'post']);
    }
  });
});

describe('resources', () => {
  interface Listed {
    readonly uri: string;
    readonly name: string;
    readonly mimeType: string;
  }
  const read = (uri: string) => ask('resources/read', { uri });

  test('are documents, formats and prices, and each that is listed can be read', async () => {
    const { resources } = (await ask('resources/list')).result as { resources: Listed[] };
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining([
        'svc://prices',
        'svc://docs/mcp',
        'svc://docs/tools',
        'svc://docs/departments',
      ]),
    );
    expect(uris).toEqual(expect.arrayContaining(['svc://formats/stark-format', 'svc://formats/wal-format']));
    for (const { uri, name, mimeType } of resources) {
      const { contents } = (await read(uri)).result;
      expect(contents).toEqual([{ uri, mimeType, text: expect.any(String) }]);
      if (mimeType !== 'text/markdown') continue;
      expect(contents[0].text).toBe(readFileSync(new URL(`${name}.md`, DOCS), 'utf8'));
    }
  });

  test('say every price of the price list', async () => {
    const { contents } = (await read('svc://prices')).result;
    const { operations, plans, creditPacks } = JSON.parse(contents[0].text);
    expect(operations).toEqual(JSON.parse(JSON.stringify(PRICE_LIST)));
    expect([plans.length, creditPacks.length]).toEqual([4, 3]);
  });

  test.each([
    'svc://docs/../README',
    'svc://docs/%2e%2e/README',
    'svc://docs/stark-format',
    'svc://formats/mcp',
    'svc://docs/constructor',
    'file:///etc/passwd',
    'svc://proofs/1',
    'svc://sagas/../1',
    '',
  ])('none is %j', async uri => {
    expect((await read(uri)).error).toMatchObject({ code: -32_002, data: { uri } });
  });
});

describe('prompts', () => {
  interface Listed {
    readonly name: string;
    readonly arguments: readonly { readonly name: string; readonly required?: boolean }[];
  }
  const listed = async () => (await ask('prompts/list')).result.prompts as Listed[];
  const valueOf = (name: string) => (name === 'tool' ? 'get_product_catalog' : `given-${name}`);

  test('ask for the common jobs, with what they were given', async () => {
    const prompts = await listed();
    expect(prompts.length).toBeGreaterThanOrEqual(5);
    for (const { name, arguments: args } of prompts) {
      const required = args.filter(each => each.required).map(each => each.name);
      expect(required).not.toEqual([]);
      const given = Object.fromEntries(required.map(each => [each, valueOf(each)]));
      const { result } = await ask('prompts/get', { name, arguments: given });
      expect(result.messages).toEqual([
        { role: 'user', content: { type: 'text', text: expect.any(String) } },
      ]);
      for (const value of Object.values(given)) expect(result.messages[0].content.text).toContain(value);
    }
  });

  test('name only what is there: routes that are published, and resources that can be read', async () => {
    const { paths } = (await get('/openapi.json')) as { paths: object };
    for (const { name, arguments: args } of await listed()) {
      const given = Object.fromEntries(args.filter(a => a.required).map(a => [a.name, valueOf(a.name)]));
      const { text } = (await ask('prompts/get', { name, arguments: given })).result.messages[0].content;
      for (const [path] of text.matchAll(/\/(?:v1|api)\/[a-z0-9/-]*[a-z0-9]|\/partnerCoiVerify/g))
        expect(Object.keys(paths)).toContain(path);
      for (const [uri] of text.matchAll(/svc:\/\/(?:docs|formats)\/[a-z0-9-]+|svc:\/\/prices/g))
        expect(await ask('resources/read', { uri })).toHaveProperty('result');
    }
  });

  test.each<[string, object]>([
    ['an unknown prompt', { name: 'nothing' }],
    ['a name that objects have', { name: 'constructor' }],
    ['a required argument that is missing', { name: 'licence_agent', arguments: {} }],
    ['an argument that is none', { name: 'pay_for_call', arguments: { tool: 'sync_mesh_crdt', x: '1' } }],
    ['a value that is none of its list', { name: 'pay_for_call', arguments: { tool: 'nothing' } }],
    ['a huge value', { name: 'audit_certificate', arguments: { file: 'x'.repeat(4_097) } }],
  ])('refuse %s', async (_, params) => {
    expect((await ask('prompts/get', params)).error.code).toBe(-32_602);
  });

  test('have their arguments completed', async () => {
    const complete = async (name: string, argument: object) =>
      (await ask('completion/complete', { ref: { type: 'ref/prompt', name }, argument })).result.completion;
    expect(await complete('pay_for_call', { name: 'tool', value: 'g' })).toEqual({
      ...{ values: ['generate_goldilocks_stark_proof', 'get_product_catalog'], total: 2, hasMore: false },
    });
    expect(await complete('audit_certificate', { name: 'file', value: 'a' })).toMatchObject({ values: [] });
  });
});

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TOOL_NAMES } from '@svc/contracts';
import type { MemoryBus } from '@svc/platform';
import { startGatewayOn } from './gateway-under-test.js';
import { envelope, postMcp, rpc, spokenIn } from './mcp-post.js';
import type { ToolScript } from './tools-under-test.js';

const VERSION = '2026-07-28';
const KEY = { 'x-svc-key': 'svc_test_key' };
const CALL = { name: 'get_product_catalog', arguments: {} };
type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any message

interface Shared {
  readonly address: string;
  readonly bus: MemoryBus;
  readonly tools: ToolScript;
}

/** The protocol since 2026-07-28, at the same address as the one before. */
export function describeModernMcp(sharedNow: () => Shared): void {
  test.each(['2025-11-25', VERSION] as const)(
    'a call over the protocol of %s costs no more than it says, in _meta or in the header of its message',
    async version => {
      const { address, tools } = sharedNow();
      const priced = async (maxPrice: unknown, header: Record<string, string> = {}) => {
        const _meta = maxPrice === undefined ? {} : { 'svc/max-price': maxPrice };
        const call = spokenIn(version, rpc('tools/call', { ...CALL, _meta }), { ...KEY, ...header });
        const [answer] = (await postMcp(`${address}/mcp`, call.message, call)).messages;
        return answer.error?.code ?? answer.result.structuredContent.problem ?? 'answered';
      };
      const dear = { code: 'PRECONDITION_FAILED', priceMicroUsd: 1_000, maxMicroUsd: 900 };
      expect(await priced('0.0009')).toMatchObject(dear);
      expect(await priced(undefined, { 'x-svc-max-price': '0.0009' })).toMatchObject(dear);
      for (const none of [0.001, '1e-3', '-1', {}, null]) expect(await priced(none)).toBe(-32_602);
      // The two differ: neither is taken for the one that is meant.
      expect(await priced('0.001', { 'x-svc-max-price': '0.002' })).toBe(-32_602);
      expect(tools.calls).toEqual([]);
      expect(await priced('0.001')).toBe('answered');
    },
  );

  test.each(['2025-11-25', VERSION] as const)(
    'what is wrong with a message over the protocol of %s is said once, and nothing after it',
    async version => {
      const { bus } = sharedNow();
      const gateway = await startGatewayOn(bus, { pace: 3_000 });
      const setting = jest.spyOn(globalThis, 'setInterval');
      const ending = jest.spyOn(globalThis, 'clearInterval');
      try {
        const wrong = rpc('tools/call', { name: 7, arguments: [] });
        const { message, headers } = spokenIn(version, wrong, KEY);
        const { messages } = await postMcp(`${gateway.address}/mcp`, message, { headers });
        expect(messages).toMatchObject([{ error: { code: expect.any(Number) } }]);
        const begun = setting.mock.results
          .filter((_, place) => setting.mock.calls[place][1] === 5)
          .map(({ value }) => value);
        const ended = ending.mock.calls.map(([timer]) => timer);
        expect(begun.filter(timer => !ended.includes(timer as never))).toEqual([]);
      } finally {
        setting.mockRestore();
        ending.mockRestore();
        await gateway.close();
      }
    },
  );

  test.each(['2025-11-25', VERSION] as const)(
    'a long call over the protocol of %s says that it goes on, and is answered in the same stream',
    async version => {
      const { bus, tools } = sharedNow();
      const gateway = await startGatewayOn(bus, { pace: 3_000 });
      try {
        let release: () => void = () => undefined;
        const waits = new Promise<void>(settle => (release = settle));
        tools.faults.push(() => waits);
        const { message, headers } = spokenIn(version, rpc('tools/call', CALL), KEY);
        const onText = (text: string) => void (text.split(': still at it').length > 3 && release());
        const { status, messages, text } = await postMcp(`${gateway.address}/mcp`, message, {
          headers,
          onText,
        });
        expect([status, text.startsWith(': still at it\n\n'), messages.length]).toEqual([200, true, 1]);
        expect(messages[0]).toMatchObject({ id: 1, result: { structuredContent: { catalog: [] } } });
      } finally {
        await gateway.close();
      }
    },
  );

  describe('a client of 2026-07-28', () => {
    let shared: Shared;
    beforeEach(() => void (shared = sharedNow()));
    const ask = (method: string, params: Json = {}, headers: Record<string, string> = {}) =>
      postMcp(
        `${shared.address}/mcp`,
        rpc(method, { ...params, _meta: { ...envelope(), ...params._meta } }),
        {
          headers: {
            'mcp-protocol-version': VERSION,
            'mcp-method': method,
            ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
            ...headers,
          },
        },
      );

    describe('of the SDK, unmodified', () => {
      let client: Client;
      const connect = async (headers: Record<string, string> = KEY) => {
        client = new Client({ name: 'a client', version: '1' }, { versionNegotiation: { mode: 'auto' } });
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`${shared.address}/mcp`), { requestInit: { headers } }),
        );
      };
      afterEach(() => client.close());

      test('finds the tools without a handshake, and calls one', async () => {
        await connect();
        expect(client.getNegotiatedProtocolVersion()).toBe(VERSION);
        const { tools } = await client.listTools();
        expect(tools.slice(0, TOOL_NAMES.length).map(({ name }) => name)).toEqual([...TOOL_NAMES]);
        shared.tools.reply = () => ({ output: { catalog: [] } });
        const { structuredContent, isError } = await client.callTool(CALL);
        expect([isError ?? false, structuredContent]).toEqual([
          false,
          expect.objectContaining({ catalog: [] }),
        ]);
      });

      test('reads resources and prompts, and is told what is wrong with a call', async () => {
        await connect();
        const { resources } = await client.listResources();
        const { contents } = await client.readResource({ uri: resources[0].uri });
        expect(contents[0]).toMatchObject({ uri: resources[0].uri });
        const { prompts } = await client.listPrompts();
        expect(prompts.map(({ name }) => name)).toContain('prove_and_verify');
        await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32_602 });
        await expect(client.readResource({ uri: 'svc://docs/none' })).rejects.toMatchObject({
          code: expect.any(Number),
        });
      });

      test('hears of progress before its answer', async () => {
        await connect();
        shared.tools.progress = [
          { seq: 1, progress: 0.5, stage: 'half', ended: false },
          { seq: 2, progress: 1, ended: true },
        ];
        const heard: unknown[] = [];
        await client.callTool(CALL, { onprogress: progress => void heard.push(progress) });
        expect(heard[0]).toMatchObject({ progress: expect.any(Number) });
      });
    });

    test('is told what there is', async () => {
      const { status, messages } = await ask('server/discover');
      expect([status, messages[0].result]).toMatchObject([
        200,
        { supportedVersions: [VERSION], capabilities: { tools: {}, resources: {}, prompts: {} } },
      ]);
    });

    test('subscribes to what never changes, and is told so', async () => {
      const { status, messages } = await ask('subscriptions/listen', {
        notifications: { promptsListChanged: true },
      });
      expect([status, messages[0].method, messages[0].params.notifications]).toEqual([
        200,
        'notifications/subscriptions/acknowledged',
        {},
      ]);
      expect(messages.at(-1)!.result).toMatchObject({ resultType: 'complete' });
    });

    test('is answered in JSON alone where it reads no streams, and not at all where it reads neither', async () => {
      shared.tools.progress = [{ seq: 1, progress: 0.25, ended: true }] as never;
      const asked = { ...CALL, _meta: { progressToken: 'p' } };
      const { headers } = await ask('tools/call', asked, { ...KEY, accept: 'application/json' });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect((await ask('tools/list', {}, { accept: 'image/png' })).status).toBe(400);
    });

    test('gives back the place of a message that is none', async () => {
      for (const method of [{ toString: 1 }, 7, 'm'.repeat(200)]) {
        const headers = { 'mcp-protocol-version': VERSION };
        const message = { jsonrpc: '2.0', id: 1, method };
        // An address has an eighth of 2,048 places.
        for (let turn = 0; turn < 300; turn++)
          expect((await postMcp(`${shared.address}/mcp`, message, { headers })).status).toBe(400);
      }
      expect((await ask('tools/list')).status).toBe(200);
    });

    test.each<[string, Json, Record<string, string>, number]>([
      [
        'a version that is not spoken',
        { ...envelope(), 'io.modelcontextprotocol/protocolVersion': '2031-01-01' },
        { 'mcp-protocol-version': '2031-01-01' },
        400,
      ],
      ['a header that says another method', envelope(), { 'mcp-method': 'prompts/list' }, 400],
      ['a header without the envelope', {}, {}, 400],
    ])('is refused for %s', async (_name, _meta, headers, status) => {
      const answer = await postMcp(`${shared.address}/mcp`, rpc('tools/list', { _meta }), {
        headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list', ...headers },
      });
      expect([answer.status, answer.messages[0].error.code]).toEqual([status, expect.any(Number)]);
    });

    test('is answered -32601 for a method of the earlier protocol', async () => {
      const { messages } = await ask('initialize', { protocolVersion: VERSION });
      expect(messages[0].error.code).toBe(-32_601);
    });
  });
}

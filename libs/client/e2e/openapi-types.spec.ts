import { readFile } from 'node:fs/promises';
import type { ProveResult, RouteBody, RouteParameters, RouteReply } from '../src/api-types.js';
import { createClient } from '../src/client.js';
import { PaywallServer } from '../testing/paywall-server.js';
import { mustBeBuilt } from './command-line.js';

interface Generator {
  generatedFile: string;
  generateTypes(program: 'dist'): Promise<string>;
}
const { generatedFile, generateTypes } = (await import(
  new URL('../tools/generate-types.mjs', import.meta.url).href
)) as Generator;

/** Fails to compile where the two types differ. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(proof: Same<A, B>) => proof;

beforeAll(() => mustBeBuilt());

describe('the types of the API', () => {
  test('are those of the document that the gateway publishes now', async () => {
    expect(await readFile(generatedFile, 'utf8')).toBe(await generateTypes('dist'));
  });

  test('reach a route by its method and path', () => {
    expect(same<RouteReply<'/v1/zk/prove', 'post'>, ProveResult>(true)).toBe(true);
    expect(same<RouteParameters<'/v1/stark/proofs/{proofId}', 'get'>, { proofId: string }>(true)).toBe(true);
    const body: RouteBody<'/v1/zk/prove', 'post'> = { traceData: 'hello' };
    // @ts-expect-error 7 is no power of two
    expect({ ...body, degree: 7 } satisfies RouteBody<'/v1/zk/prove', 'post'>).toBeDefined();
  });

  test('send a typed request as the document says', async () => {
    const server = await PaywallServer.start((_, response, self) => self.json(response, { id: 'a' }));
    const client = createClient({ baseUrl: server.url });
    await client.request('post', '/v1/stark/verify-proof', {
      body: { proof: 'AA==', publicInputs: {}, airId: 'hash-chain/v1' },
    });
    await client.request('get', '/v1/mesh/sessions/{sessionId}', { parameters: { sessionId: 'a/../b?c' } });
    await server.close();
    expect(server.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/stark/verify-proof',
      'GET /v1/mesh/sessions/a%2F..%2Fb%3Fc',
    ]);
  });

  test.each([undefined, '', '.', '..'])('send nothing where a path parameter is %j', async sessionId => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
    const parameters = { sessionId } as { sessionId: string };
    await expect(client.request('get', '/v1/mesh/sessions/{sessionId}', { parameters })).rejects.toThrow(
      'needs the parameter sessionId',
    );
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BODY_BYTES_MAX_DEFAULT, type ProblemDetails, ROUTES } from '@svc/contracts';
import { createLogger, MemoryBus, type RunningService } from '@svc/platform';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import {
  ProverUnderTest,
  REVOKED_PROOF_ID,
  STORED_PROOF,
  STORED_PROOF_ID,
  tracesSeen,
} from './prover-under-test.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const logLines: Record<string, unknown>[] = [];
let gateway: RunningGateway;
let prover: RunningService;

beforeAll(async () => {
  const bus = new MemoryBus();
  prover = await startServiceOn(bus, 'prover', { controllers: [ProverUnderTest] });
  const logger = createLogger('gateway', {
    level: 'info',
    destination: { write: line => void logLines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  gateway = await startGatewayOn(bus, { logger });
});
afterAll(async () => {
  await gateway.close();
  await prover.close();
});

const call = (path: string, init?: RequestInit) => fetch(`${gateway.address}${path}`, init);
const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  call(path, { method: 'POST', body, headers });
async function problemOf(response: Response): Promise<ProblemDetails> {
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const details = (await response.json()) as ProblemDetails;
  expect(details.status).toBe(response.status);
  expect(response.headers.get('traceparent')).toContain(details.traceId);
  return details;
}

describe('problems of the edge', () => {
  test('an unknown path is 404', async () => {
    const details = await problemOf(await call('/nope?secret=1'));
    expect(details).toMatchObject({ status: 404, code: 'NOT_FOUND', instance: '/nope' });
  });

  test('security.txt of an installation that names nobody is 404', async () => {
    expect((await problemOf(await call('/.well-known/security.txt'))).code).toBe('NOT_FOUND');
  });

  test('an unknown path is 404 before its body is looked at', async () => {
    expect((await problemOf(await post('/nope', '<x/>', { 'content-type': 'text/xml' }))).code).toBe(
      'NOT_FOUND',
    );
  });

  test.each([
    ['POST', '/health', 'GET, HEAD'],
    ['DELETE', '/v1/zk/prove', 'POST'],
    ['PUT', '/departments/proofs', 'GET, HEAD, POST'],
  ])('%s %s is 405 and says what is allowed', async (method, path, allow) => {
    const response = await call(path, { method });
    expect(response.headers.get('allow')).toBe(allow);
    expect((await problemOf(response)).code).toBe('METHOD_NOT_ALLOWED');
  });

  test.each([
    ['cut off', '{"a":'],
    ['with a __proto__ key', '{"__proto__":{"a":1}}'],
    ['with a constructor.prototype', '{"constructor":{"prototype":{"a":1}}}'],
    ['nested 65 deep', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['nested 30,000 deep', '['.repeat(30_000)],
    ['with bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('JSON %s is 400 MALFORMED_JSON', async (_, body) => {
    const response = await call('/v1/stark/verify-proof', { method: 'POST', body, headers: JSON_TYPE });
    expect(response.status).toBe(400);
    expect((await problemOf(response)).code).toBe('MALFORMED_JSON');
  });

  test.each([
    ['host', 'GET /health HTTP/1.1\r\nhost: one\r\nHost: one\r\nconnection: close\r\n\r\n'],
    [
      'content-type',
      'POST /v1/zk/prove HTTP/1.1\r\nhost: one\r\ncontent-type: application/json\r\nContent-Type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}',
    ],
  ])('two lines of %s are 400, also where they are equal', async (name, text) => {
    const answer = await raw(text);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain(`"path":"${name}"`);
  });

  test.each([
    ['no', '', 'is missing'],
    ['one that is none', 'host: a/b@c', 'is no host with a port'],
  ])('%s host is 400 with a problem', async (_, line, message) => {
    const answer = await raw(`GET /health HTTP/1.1\r\n${line && `${line}\r\n`}connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
    expect(answer).toContain(`"path":"host","message":"${message}"`);
  });

  test.each([
    ['an unknown expectation', 'GET /health HTTP/1.1\r\nhost: one\r\nexpect: a-miracle'],
    ['the host that HTTP/1.0 may leave out', 'GET /health HTTP/1.0'],
    ['an address of IPv6', 'GET /health HTTP/1.1\r\nhost: [::1]:3000'],
    ['an empty host', 'GET /health HTTP/1.1\r\nhost:'],
  ])('%s does not stand in the way', async (_, head) => {
    expect(await raw(`${head}\r\nconnection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  });

  test.each([
    ['/nope', 'GET http://other.example/nope?secret=1'],
    ['/', 'POST http://other.example?x=1'],
    ['/sam/verify-key/:licenseKey', 'POST HTTP://other.example/sam/verify-key/SVC-SECRET'],
  ])('a target in absolute form is shown as its path alone: %s', async (instance, line) => {
    const answer = await raw(
      `${line} HTTP/1.1\r\nhost: one\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 40[45] /);
    expect(answer).toContain(`"instance":"${instance}"`);
    // What is believed of its host in development says where the problem is explained, and nothing else.
    expect(answer.replace(/"type":"[^"]*"/, '')).not.toMatch(/other\.example|SECRET/);
  });

  test('a target in absolute form is routed as its path is, by any host in development', async () => {
    for (const target of [
      'http://one/health',
      'https://other.example/health?x=1',
      'http://[::1]:3000/health',
    ])
      expect(await raw(`GET ${target} HTTP/1.1\r\nhost: one\r\nconnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 200 /,
      );
  });

  test('a target of another scheme is 421, whatever it names', async () => {
    for (const target of ['ftp://one/health', 'ws://one/livez']) {
      const answer = await raw(`GET ${target} HTTP/1.1\r\nhost: one\r\nconnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 421 /);
      expect(answer).toContain('"path":"scheme"');
      expect(answer).not.toContain(target);
    }
  });

  test('a body in a transfer coding beside chunks is 415 before it is read', async () => {
    const answer = await raw(
      'POST /v1/zk/prove HTTP/1.1\r\nhost: one\r\ncontent-type: application/json\r\ntransfer-encoding: gzip, chunked\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 415 /);
    expect(answer).toMatch(/^connection: close/im);
    expect(answer).toContain('"path":"transfer-encoding"');
    expect(answer).toContain('"got":"gzip, chunked"');
  });

  test('a client that hangs up in the midst of a body is no error of ours', async () => {
    const since = logLines.length;
    const outgoing = request(`${gateway.address}/v1/stark/verify-proof`, {
      method: 'POST',
      headers: { ...JSON_TYPE, expect: '100-continue', 'content-length': '100' },
    });
    outgoing.on('error', () => undefined);
    // It has been routed, and its body is waited for.
    outgoing.on('continue', () => outgoing.write('{', () => outgoing.destroy()));
    outgoing.flushHeaders();
    const seen = () => logLines.slice(since);
    while (seen().length === 0) await new Promise(setImmediate);
    await call('/livez');
    expect(seen()).toMatchObject([
      { msg: 'the client hung up', level: 'info', route: '/v1/stark/verify-proof' },
      { msg: 'request', route: '/livez' },
    ]);
  });

  test('a body of another type is 415', async () => {
    const response = await post('/v1/stark/verify-proof', '<x/>', { 'content-type': 'text/xml' });
    expect(response.status).toBe(415);
    expect(await problemOf(response)).toMatchObject({ errors: [{ got: 'text/xml' }] });
  });

  test.each([
    [
      'JSON where text is read',
      'PATCH',
      '/v1/mesh/sessions/x',
      'application/json',
      'application/trickle-ice-sdpfrag',
    ],
    [
      'plain text where other text is read',
      'PATCH',
      '/v1/mesh/sessions/x',
      'text/plain',
      'application/trickle-ice-sdpfrag',
    ],
    [
      'text where JSON is read',
      'POST',
      '/v1/stark/verify-proof',
      'application/trickle-ice-sdpfrag',
      'application/json',
    ],
  ])('%s is 415, and says what is read', async (_what, method, path, type, bound) => {
    const response = await call(path, { method, body: '"a"', headers: { 'content-type': type } });
    expect(await problemOf(response)).toMatchObject({ status: 415, errors: [{ bound, got: type }] });
  });

  test.each([
    ['a compressed body', { 'content-encoding': 'gzip' }, 'content-encoding', 'gzip'],
    [
      'a body in another charset',
      { 'content-type': 'application/json; charset=latin1' },
      'content-type',
      'latin1',
    ],
  ])('%s is 415 and names the header', async (_, headers, path, got) => {
    const response = await post('/v1/stark/verify-proof', '{}', { ...JSON_TYPE, ...headers });
    expect(response.status).toBe(415);
    expect(await problemOf(response)).toMatchObject({ errors: [{ path, got }] });
  });

  test('JSON that breaks off says where', async () => {
    const response = await post('/v1/stark/verify-proof', '{"proof":}', JSON_TYPE);
    expect(await problemOf(response)).toMatchObject({
      code: 'MALFORMED_JSON',
      errors: [{ path: '', message: expect.stringMatching(/position|Unexpected/) }],
    });
  });

  test('a body above the limit of its route is 413 and names the limit', async () => {
    const response = await post('/v1/snn/solve', 'x'.repeat(BODY_BYTES_MAX_DEFAULT + 1));
    expect(response.status).toBe(413);
    expect(await problemOf(response)).toMatchObject({ errors: [{ bound: BODY_BYTES_MAX_DEFAULT }] });
  });

  test('a route with a larger limit reads what the default refuses', async () => {
    const traceData = 'x'.repeat(BODY_BYTES_MAX_DEFAULT);
    const response = await post('/v1/zk/prove', JSON.stringify({ traceData, degree: 7 }));
    expect(await problemOf(response)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'degree', got: 7 }],
    });
  });

  test.each(['/%', '/%zz', '/v1/stark/proofs/%e0%a4%a'])(
    'a malformed percent-encoding in %s is 400',
    async path => {
      expect((await problemOf(await call(path))).code).toBe('VALIDATION_FAILED');
    },
  );

  test('an address above 8,192 characters is 414', async () => {
    expect((await problemOf(await call(`/health?${'x'.repeat(8_192)}`))).code).toBe('URI_TOO_LONG');
    expect((await problemOf(await call(`/sam/verify-key/${'x'.repeat(4_097)}`))).code).toBe('URI_TOO_LONG');
  });

  test('header fields above 32 KiB are 431', async () => {
    const answer = await raw(`GET /health HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(33_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"HEADERS_TOO_LARGE"');
  });

  test('bytes that are no HTTP are 400, with a request id', async () => {
    const answer = await raw('NOT HTTP\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('application/problem+json');
    expect(answer).toMatch(/x-request-id: \S{36}/);
  });

  test('a fault names field, bound and value, and an unknown field is one', async () => {
    const response = await post('/v1/zk/prove', '{"traceData":"0x1","friBlowup":3,"extra":true}');
    const { errors } = await problemOf(response);
    expect(errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: 'traceData', got: '0x1' }),
        expect.objectContaining({ path: 'friBlowup', bound: [2, 4, 8, 16, 32], got: 3 }),
        expect.objectContaining({ path: 'extra', got: true }),
      ]),
    );
  });

  test('of an unknown error nothing leaks but the trace id that finds it in the log', async () => {
    const body = JSON.stringify({ proof: 'AAAA', publicInputs: {}, airId: 'broken/v1' });
    const details = await problemOf(await post('/v1/stark/verify-proof', body));
    expect(details).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(JSON.stringify(details)).not.toContain('hunter2');
  });
});

describe('proofs', () => {
  test('a proof reaches the verifier byte by byte, and a false one is 200', async () => {
    const proof = Buffer.from([1, 2, 250]).toString('base64');
    const body = JSON.stringify({
      proof,
      publicInputs: { output: ['18446744069414584320'] },
      airId: 'hash-chain/v1',
    });
    const response = await post('/v1/stark/verify-proof', body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      valid: false,
      reason: '3 bytes, sum 253, {"output":["18446744069414584320"]}',
    });
  });

  test('a problem of the service keeps its code', async () => {
    const body = JSON.stringify({ proof: 'AAAA', publicInputs: {}, airId: 'unknown/v1' });
    expect(await problemOf(await post('/v1/stark/verify-proof', body))).toMatchObject({
      status: 422,
      detail: 'airId unknown/v1 is not known',
    });
  });

  test('a stored proof comes as octets with its metadata in headers', async () => {
    const response = await call(`/v1/stark/proofs/${STORED_PROOF_ID}`);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('x-proof-air')).toBe('hash-chain/v1');
    expect(response.headers.get('x-proof-created-at')).toBe('2026-04-02T00:00:00.000Z');
    expect(response.headers.get('x-proof-context')).toBe('d%C3%A9%20mo%2F1%25%0A');
    expect(response.headers.get('x-proof-revoked-at')).toBeNull();
    // It may be revoked yet.
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(STORED_PROOF);
  });

  test('a stored proof comes as JSON to whom accepts that', async () => {
    const response = await call(`/v1/stark/proofs/${STORED_PROOF_ID}`, {
      headers: { accept: 'application/json' },
    });
    expect(await response.json()).toEqual({
      proofId: STORED_PROOF_ID,
      airId: 'hash-chain/v1',
      publicInputs: { length: 5 },
      contextDomain: 'dé mo/1%\n',
      createdAt: '2026-04-02T00:00:00.000Z',
      proofBytes: 300,
      proof: Buffer.from(STORED_PROOF).toString('base64'),
    });
  });

  test('a proof whose purpose was taken back says so, as octets and as JSON, and for good', async () => {
    const path = `/v1/stark/proofs/${REVOKED_PROOF_ID}`;
    const response = await call(path);
    expect(response.headers.get('x-proof-revoked-at')).toBe('2026-04-03T00:00:00.000Z');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Proof-Revoked-At');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(STORED_PROOF);
    const asJson = await call(path, { headers: { accept: 'application/json' } });
    expect(await asJson.json()).toMatchObject({ revokedAt: '2026-04-03T00:00:00.000Z', proofBytes: 300 });
  });

  test('a proof that is not stored is 404, and an id that none can have is 400', async () => {
    expect((await call('/v1/stark/proofs/prf_BBBBBBBBBBBBBBBBBBBBBB')).status).toBe(404);
    expect(await problemOf(await call('/v1/stark/proofs/x'))).toMatchObject({
      status: 400,
      errors: [{ path: 'proofId' }],
    });
  });

  test('a proof is not sold while the payments service is away', async () => {
    const response = await post('/v1/zk/prove', '{"traceData":"hello"}');
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await problemOf(response)).code).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('traces and request ids', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

  test("the caller's trace is carried to the service, the answer and the log line", async () => {
    const response = await post(
      '/v1/stark/verify-proof',
      JSON.stringify({ proof: 'AAAA', publicInputs: {}, airId: 'hash-chain/v1' }),
      { ...JSON_TYPE, traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': 'mine-1' },
    );
    expect(response.headers.get('traceparent')).toMatch(
      new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    );
    expect(response.headers.get('x-request-id')).toBe('mine-1');
    expect(tracesSeen).toContain(traceId);
    expect(logLines).toContainEqual(
      expect.objectContaining({ traceId, requestId: 'mine-1', route: '/v1/stark/verify-proof', status: 200 }),
    );
  });

  test('a body that arrives after its head is handled in the trace of its head', async () => {
    const own = 'aaaabbbbccccddddaaaabbbbccccdddd';
    const body = JSON.stringify({ proof: 'AAAA', publicInputs: {}, airId: 'hash-chain/v1' });
    const outgoing = request(`${gateway.address}/v1/stark/verify-proof`, {
      method: 'POST',
      headers: { ...JSON_TYPE, expect: '100-continue', traceparent: `00-${own}-00f067aa0ba902b7-01` },
    });
    // The server says so after it has routed the head, so the body comes in an event of its own.
    outgoing.on('continue', () => outgoing.end(body));
    await new Promise((resolve, reject) => {
      outgoing.on('response', response => response.resume().on('end', resolve)).on('error', reject);
      outgoing.flushHeaders();
    });
    expect(tracesSeen).toContain(own);
  });

  test.each([
    ['a body that cannot be parsed', '/v1/stark/verify-proof', 'POST', '{'],
    ['an unknown path', '/nope', 'GET', undefined],
    ['a malformed path', '/%zz', 'GET', undefined],
    ['a wrong method', '/health', 'POST', undefined],
  ])('%s keeps the trace', async (_, path, method, body) => {
    const response = await call(path, {
      method,
      body,
      headers: { ...JSON_TYPE, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect((await problemOf(response)).traceId).toBe(traceId);
  });

  test.each(['', 'x'.repeat(129), 'with space'])('a request id like %j is replaced', async id => {
    const echoed = (await call('/livez', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(echoed).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('an id in a path is not logged', async () => {
    await call('/sam/verify-key/sam1.topsecret');
    expect(JSON.stringify(logLines)).not.toContain('topsecret');
    expect(logLines).toContainEqual(expect.objectContaining({ route: '/sam/verify-key/:licenseKey' }));
  });
});

test('a flood of refusals writes so many lines of each kind, and one that counts the others', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  const flooded = await startGatewayOn(new MemoryBus(), {
    logger: createLogger('gateway', { level: 'info', destination }),
  });
  for (let turn = 0; turn < 25; turn++)
    expect((await fetch(`${flooded.address}/v1/account`)).status).toBe(401);
  await flooded.close();
  const refused = lines.filter(({ status }) => status === 401).map(({ msg }) => msg);
  expect(refused.filter(msg => msg === 'request')).toHaveLength(20);
  expect(refused.filter(msg => msg === 'a key or a right was refused')).toHaveLength(20);
  for (const what of ['answers', 'keys and rights'])
    expect(lines).toContainEqual(expect.objectContaining({ what, unwritten: 5, security: 'refused' }));
});

describe('headers', () => {
  test('a page of any origin may call and read the payment headers', async () => {
    const preflight = await call('/v1/zk/prove', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://agent.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,payment-credential,x-svc-key',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    for (const name of ['authorization', 'payment-credential', 'x-svc-key'])
      expect(preflight.headers.get('access-control-allow-headers')).toContain(name);
    const exposed = (await call('/livez')).headers.get('access-control-expose-headers');
    for (const name of ['WWW-Authenticate', 'X-402-Challenge', 'Payment-Receipt', 'Retry-After']) {
      expect(exposed).toContain(name);
    }
  });

  test('a plain OPTIONS is no fault', async () => {
    expect((await call('/v1/zk/prove', { method: 'OPTIONS' })).status).toBe(204);
  });

  test('OPTIONS of the whole server is answered as that of a path', async () => {
    const answer = await raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer).toMatch(/^x-content-type-options: nosniff/im);
    expect(answer).toMatch(/^x-request-id: \S{36}/im);
  });

  test('answers carry security headers and a date, and name no server', async () => {
    const { headers } = await call('/livez');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d+/);
    expect(headers.get('date')).toMatch(/GMT$/);
    expect(headers.has('server') || headers.has('x-powered-by')).toBe(false);
  });

  test('HEAD answers like GET without a body', async () => {
    const response = await call('/livez', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});

describe('the reference page', () => {
  test('loads its own files and nothing else, as its policy demands', async () => {
    const response = await call('/docs');
    const page = await response.text();
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self';");
    expect(response.headers.get('permissions-policy')).toMatch(/camera=\(\).*microphone=\(\).*usb=\(\)/);
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1]);
    expect(files).toHaveLength(4);
    for (const file of files) {
      expect(file).toMatch(/^\/docs\//);
      expect((await call(file)).status).toBe(200);
    }
  });

  test('keeps its policy where the browser has it already', async () => {
    const etag = (await call('/docs')).headers.get('etag')!;
    const again = await call('/docs', { headers: { 'if-none-match': etag } });
    expect([again.status, again.headers.get('content-security-policy')]).toEqual([304, null]);
  });

  test('serves no other file of the package', async () => {
    for (const file of ['package.json', '..%2fpackage.json', 'index.html', '__proto__', 'constructor']) {
      expect((await call(`/docs/${file}`)).status).toBe(404);
    }
  });

  test('the document it shows is sent once and revalidated after', async () => {
    const etag = (await call('/openapi.json')).headers.get('etag')!;
    const again = await call('/openapi.json', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });
});

describe('the gateway index', () => {
  test('lists every endpoint and plan with prices to machines', async () => {
    const index = (await (await call('/')).json()) as Record<string, unknown[]> & { version: string };
    expect(index.version).toBe('3.2.0');
    expect(index.endpoints).toHaveLength(ROUTES.length);
    for (const endpoint of index.endpoints) expect(endpoint).toMatchObject({ available: true });
    expect(index.endpoints).toContainEqual(
      expect.objectContaining({
        method: 'POST',
        path: '/partnerCoiVerify',
        priceUsd: '0.25',
        priceSats: 500,
        available: true,
      }),
    );
    expect(index.plans).toMatchObject([
      { priceUsdPerMonth: '0', requestsPerMonth: 1_000 },
      { priceUsdPerMonth: '49', requestsPerMonth: 50_000 },
      { priceUsdPerMonth: '299', requestsPerMonth: 500_000 },
      { priceUsdPerMonth: '1200', requestsPerMonth: null },
    ]);
    expect(index.creditPacks).toMatchObject([{ audits: 40 }, { audits: 200 }, { audits: 1_000 }]);
  });

  test('is a page to a browser', async () => {
    const response = await call('/', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain('<a href="/docs">');
  });

  test('llms.txt tells what is in service', async () => {
    const response = await call('/llms.txt');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await response.text();
    for (const { method, path } of ROUTES) expect(text).toContain(`- ${method} ${path}: `);
  });
});

/** Sends bytes as they are and reads until the server closes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', chunk => (answer += chunk.toString()));
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutgoingFault, OutgoingPost, type ResolveName } from '../src/outgoing/outgoing-post.js';

/** Self-signed for hooks.example.com, localhost and 127.0.0.1; its key is one of the tests and of nothing else. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIByTCCAXCgAwIBAgIUGgNuaFtp4ewbIrzbN9gfyFj3NgYwCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWY2FsbGJhY2tzIG9mIHRoZSB0ZXN0czAgFw0yNjExMjIxMjE2
MTJaGA8yMTI2MTAyOTEyMTYxMlowITEfMB0GA1UEAwwWY2FsbGJhY2tzIG9mIHRo
ZSB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABF6Fb+lWqHjhksJMczxb
E5bojAZ6Tu95p8Jagvwa57p8gBVGecjxRaRlhBJMtDsFggOKAXOgKpfuExnfP5P3
8aijgYMwgYAwHQYDVR0OBBYEFOD1euNgBd4/qIKiarBuE+qyLlE3MB8GA1UdIwQY
MBaAFOD1euNgBd4/qIKiarBuE+qyLlE3MA8GA1UdEwEB/wQFMAMBAf8wLQYDVR0R
BCYwJIIRaG9va3MuZXhhbXBsZS5jb22CCWxvY2FsaG9zdIcEfwAAATAKBggqhkjO
PQQDAgNHADBEAiB3jFxGm5tqhylwpbCt9d+D3rztwQLZuyqRJISOC6wINAIgPZKT
g8cMJIqo3EYm6AoZD1mEpxjiOphTC3uoAtmlalM=
-----END CERTIFICATE-----
`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrAAPj2BB3oafgx1n
lMkMquUZB4wLOEvmU/LUgzqTzvWhRANCAARehW/pVqh44ZLCTHM8WxOW6IwGek7v
eafCWoL8Gue6fIAVRnnI8UWkZYQSTLQ7BYIDigFzoCqX7hMZ3z+T9/Go
-----END PRIVATE KEY-----
`;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listen(answer: RequestListener, host = '127.0.0.1', port = 0): Promise<number> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, answer);
  servers.push(server);
  await new Promise<void>(resolve => server.listen(port, host, resolve));
  return (server.address() as AddressInfo).port;
}

/** Answers each question with the next list of addresses, the last one from then on. */
function scripted(...answers: string[][]): ResolveName & { asked: number } {
  const resolve = Object.assign(
    async () => {
      const addresses = answers[Math.min(resolve.asked++, answers.length - 1)];
      return addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    { asked: 0 },
  );
  return resolve;
}

const BODY = Buffer.from('{"a":1}');
const HEADERS = { 'content-type': 'application/json' };
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof OutgoingFault ? [error.code, error.message] : error),
  );

describe('a call to a URL that a stranger named', () => {
  test('reaches the address that was checked, with the name in TLS and in Host', async () => {
    const seen: unknown[] = [];
    const port = await listen(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url, headers } = request;
      seen.push([method, url, headers.host, headers['content-type'], Buffer.concat(chunks).toString()]);
      response.writeHead(204).end();
    });
    const resolve = scripted(['127.0.0.1']);
    const post = new OutgoingPost({ allowLoopback: true, ca: CERTIFICATE, resolve });
    const url = `https://hooks.example.com:${port}/done?x=1`;
    expect(await post.post(url, HEADERS, BODY)).toMatchObject({ status: 204 });
    expect(seen).toEqual([['POST', '/done?x=1', `hooks.example.com:${port}`, 'application/json', '{"a":1}']]);
  });

  test('asks for the name once: what it says a moment later moves no call', async () => {
    let reached = 0;
    const port = await listen((_request, response) => void (reached++, response.end()));
    const resolve = scripted(['127.0.0.1'], ['169.254.169.254']);
    const post = new OutgoingPost({ allowLoopback: true, ca: CERTIFICATE, resolve });
    await post.post(`https://hooks.example.com:${port}/`, HEADERS, BODY);
    expect([reached, resolve.asked]).toEqual([1, 1]);
  });

  test('is checked again at the next call: a name that was public and is private now is refused', async () => {
    let reached = 0;
    await listen((_request, response) => void (reached++, response.end()), '127.0.0.1', 0);
    const resolve = scripted(['192.0.78.9'], ['127.0.0.1']);
    const post = new OutgoingPost({ allowLoopback: false, ca: CERTIFICATE, resolve });
    await post.check('https://hooks.example.com/');
    const refusal = ['REFUSED', 'hooks.example.com has an address that is not public'];
    expect(await faultOf(post.post('https://hooks.example.com/', HEADERS, BODY))).toEqual(refusal);
    expect(await faultOf(post.check('https://hooks.example.com/'))).toEqual(refusal);
    expect([reached, resolve.asked]).toEqual([0, 3]);
  });

  test('is refused where one of several addresses is private', async () => {
    const resolve = scripted(['8.8.8.8', '::ffff:10.0.0.1']);
    const post = new OutgoingPost({ allowLoopback: false, resolve });
    expect(await faultOf(post.post('https://hooks.example.com/', HEADERS, BODY))).toEqual([
      'REFUSED',
      'hooks.example.com has an address that is not public',
    ]);
  });

  test('follows no redirect', async () => {
    let reached = 0;
    const target = await listen((_request, response) => void (reached++, response.end()));
    const location = `https://127.0.0.1:${target}/`;
    const port = await listen((_request, response) => void response.writeHead(307, { location }).end());
    const post = new OutgoingPost({ allowLoopback: true, ca: CERTIFICATE });
    expect(await post.post(`https://127.0.0.1:${port}/`, HEADERS, BODY)).toMatchObject({ status: 307 });
    expect(reached).toBe(0);
  });

  test('reads so many bytes of an answer that has no end, and takes its status', async () => {
    const port = await listen((_request, response) => {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    });
    const post = new OutgoingPost({ allowLoopback: true, ca: CERTIFICATE, answerBytesMax: 1_000 });
    const { status, body } = await post.post(`https://127.0.0.1:${port}/`, HEADERS, BODY);
    expect([status, body.length]).toEqual([200, 1_000]);
  });

  test.each([
    ['says nothing', () => undefined],
    [
      'drips its body',
      (_request: unknown, response: { write(text: string): void }) => {
        response.write('a');
        setInterval(() => response.write('a'), 20).unref();
      },
    ],
  ] as [string, RequestListener][])('is over in time where the other side %s', async (_name, answer) => {
    const port = await listen(answer);
    const post = new OutgoingPost({ allowLoopback: true, ca: CERTIFICATE, timeoutMs: 300 });
    expect(await faultOf(post.post(`https://127.0.0.1:${port}/`, HEADERS, BODY))).toEqual([
      'FAILED',
      'no answer in time',
    ]);
  });

  test('is over in time where the resolver hangs', async () => {
    const post = new OutgoingPost({
      allowLoopback: false,
      timeoutMs: 100,
      resolve: () => new Promise(() => {}),
    });
    expect(await faultOf(post.post('https://hooks.example.com/', HEADERS, BODY))).toEqual([
      'FAILED',
      'no answer in time',
    ]);
  });

  test('takes no certificate of another name, nor one that nobody vouches for', async () => {
    const port = await listen((_request, response) => void response.end());
    const resolve = scripted(['127.0.0.1']);
    const words = ['FAILED', 'the certificate, or the TLS of the connection, is not accepted'];
    const known = new OutgoingPost({ allowLoopback: true, ca: CERTIFICATE, resolve });
    expect(await faultOf(known.post(`https://other.example.com:${port}/`, HEADERS, BODY))).toEqual(words);
    const unknown = new OutgoingPost({ allowLoopback: true, resolve });
    expect(await faultOf(unknown.post(`https://hooks.example.com:${port}/`, HEADERS, BODY))).toEqual(words);
  });

  test('calls no other port of a public address in a sandbox either', async () => {
    const post = new OutgoingPost({ allowLoopback: true, resolve: scripted(['8.8.8.8']) });
    expect(await faultOf(post.post('https://hooks.example.com:25/', HEADERS, BODY))).toEqual([
      'REFUSED',
      'port 25 is not called: 443 and 8443 are',
    ]);
  });

  test('a name without an address is no reason to refuse its URL beforehand', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }));
    const post = new OutgoingPost({ allowLoopback: false, resolve });
    await post.check('https://hooks.example.com/');
    expect(await faultOf(post.post('https://hooks.example.com/', HEADERS, BODY))).toEqual([
      'FAILED',
      'hooks.example.com has no address',
    ]);
  });
});

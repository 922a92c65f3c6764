import { afterEach, describe, expect, test } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { RequestListener } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutgoingFault, OutgoingPost, type ResolveName } from '../src/outgoing/outgoing-post.js';
import { resolveName } from '../src/outgoing/resolve-name.js';

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
    await post.checkName('https://hooks.example.com/');
    const refusal = ['REFUSED', 'hooks.example.com has an address that is not public'];
    expect(await faultOf(post.post('https://hooks.example.com/', HEADERS, BODY))).toEqual(refusal);
    expect(await faultOf(post.checkName('https://hooks.example.com/'))).toEqual(refusal);
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
    await post.checkName('https://hooks.example.com/');
    expect(await faultOf(post.post('https://hooks.example.com/', HEADERS, BODY))).toEqual([
      'FAILED',
      'hooks.example.com has no address',
    ]);
  });
});

/** Name servers of the tests. */
const nameServers: Socket[] = [];
afterEach(() => {
  for (const server of nameServers.splice(0)) server.close();
});

/** A name server, which says nothing of a name without addresses. */
async function serveNames(
  names: Record<string, readonly string[]>,
): Promise<{ at: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createSocket('udp4', (query, from) => {
    const end = query.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += query[at] + 1)
      labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
    const name = labels.join('.');
    asked.push(name);
    const addresses = names[name];
    if (!addresses) return;
    // Four addresses fit what is asked for as type A; of any other type there is none.
    const isV4 = query.readUInt16BE(end + 1) === 1;
    const records = addresses.filter(address => isIPv4(address) && isV4).map(recordOf);
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.fill(0, 8);
    server.send(Buffer.concat([head, query.subarray(12, end + 5), ...records]), from.port, from.address);
  });
  nameServers.push(server);
  await new Promise<void>(resolve => server.bind(0, '127.0.0.1', resolve));
  return { at: `127.0.0.1:${server.address().port}`, asked };
}

/** An A record of the name that was asked for, which nobody keeps. */
const recordOf = (address: string) =>
  Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);

describe('names', () => {
  const noHosts = { hostsPath: join(tmpdir(), 'there-is-no-such-file') };

  test('are asked for at the name servers, and of very many addresses some are taken', async () => {
    const many = Array.from({ length: 25 }, (_, index) => `192.0.2.${index}`);
    const { at } = await serveNames({ 'hooks.example.com': ['192.0.2.7'], 'many.example.com': many });
    const from = { ...noHosts, servers: [at] };
    const signal = AbortSignal.timeout(10_000);
    const [one, some] = await Promise.all([
      resolveName('hooks.Example.com.', signal, from),
      resolveName('many.example.com', signal, from),
    ]);
    expect(one).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(some).toHaveLength(16);
  });

  test('of this machine stand in its own file, and are asked of nobody', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
    const hostsPath = join(folder, 'hosts');
    await writeFile(hostsPath, '# ours\n192.0.2.1 hooks.example.com  Other # and no more\n::1 other\n');
    const { at, asked } = await serveNames({});
    const of = (name: string) => resolveName(name, AbortSignal.timeout(10_000), { servers: [at], hostsPath });
    try {
      expect(await of('hooks.example.com')).toEqual([{ address: '192.0.2.1', family: 4 }]);
      expect(await of('OTHER')).toEqual([
        { address: '192.0.2.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
      expect((await of('localhost')).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
      expect(asked).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('whose name servers are silent hold up nothing else, and are let go when they are told to', async () => {
    const { at, asked } = await serveNames({});
    const from = { ...noHosts, servers: [at] };
    const ended = new AbortController();
    let over = 0;
    // More than twice as many as there are threads for files.
    const silent = Array.from({ length: 10 }, (_, index) =>
      resolveName(`slow-${index}.example.com`, ended.signal, from).catch((error: unknown) => {
        over++;
        return (error as { code?: string }).code;
      }),
    );
    while (new Set(asked).size < silent.length) await stat(tmpdir());
    await stat(tmpdir());
    expect(over).toBe(0);
    ended.abort();
    expect(await Promise.all(silent)).toEqual(silent.map(() => 'ECANCELLED'));
  });
});

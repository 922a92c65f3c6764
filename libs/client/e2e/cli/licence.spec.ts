import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { joinLicenceKey, type Licence, licenceSigningInput } from '@svc/protocols';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { checkLicence } from '../../src/licence/check-licence.js';
import { run } from '../../src/cli/run.js';

const pair = generateKeyPairSync('ed25519');
const published = {
  kid: 'kid-1',
  alg: 'Ed25519',
  publicKey: pair.publicKey.export({ format: 'jwk' }).x!,
  use: 'licence-key',
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: null,
  revokedAt: null,
};
const nowSeconds = Math.floor(Date.now() / 1_000);
const licence: Licence = {
  v: 1,
  id: 'lic_AAAAAAAAAAAAAAAAAAAAAA',
  tier: 'developer',
  acct: 'acct_0123456789abcdefghij',
  iat: nowSeconds - 100,
  exp: nowSeconds + 100,
  features: ['sdk'],
  seats: 3,
  kid: 'kid-1',
};
function keyOf(changes: Partial<Licence> = {}): string {
  const input = licenceSigningInput({ ...licence, ...changes });
  return joinLicenceKey(input, sign(null, Buffer.from(input), pair.privateKey));
}
const keys = { ...published, notBefore: new Date((nowSeconds - 1_000) * 1_000).toISOString() };

let folder: string;
let server: Server;
let url: string;
const asked: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-licence-'));
  server = createServer((request, response) => {
    asked.push(String(request.url));
    const verdict = {
      valid: false,
      code: 'REVOKED',
      tier: 'developer',
      licenseId: 'lic_1',
      expiresAt: 'then',
    };
    const body = request.url === '/.well-known/svc-license-keys.json' ? { keys: [keys] } : verdict;
    response
      .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify(body));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  asked.length = 0;
});
afterEach(async () => {
  await new Promise(done => server.close(done));
  await rm(folder, { recursive: true });
});

async function svc(args: string[], input = '') {
  const written = { stdout: '', stderr: '' };
  const code = await run({
    arguments: ['licence', ...args],
    environment: {},
    streams: {
      stdin: Readable.from([Buffer.from(input)]),
      stdout: { write: (text: string) => (written.stdout += text) },
      stderr: { write: (text: string) => (written.stderr += text) },
    },
    signal: new AbortController().signal,
  });
  return { code, ...written };
}

describe('svc licence check', () => {
  test('says of a good key what it grants, from keys in a file, and asks nobody', async () => {
    const file = join(folder, 'keys.json');
    await writeFile(file, JSON.stringify({ keys: [keys] }));
    const { code, stdout } = await svc(['check', '-', '--keys', file], `${keyOf()}\n`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^VALID /);
    expect(stdout).toContain('3 seats of the tier developer');
    expect(asked).toEqual([]);
  });

  test('fetches the keys where it has none', async () => {
    const { code, stdout } = await svc(['check', '-', '--url', url, '--json'], keyOf());
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ valid: true, code: 'VALID', licence });
    expect(asked).toEqual(['/.well-known/svc-license-keys.json']);
  });

  test.each([
    ['that is over', () => keyOf({ exp: nowSeconds - 1 }), 'EXPIRED'],
    ['of another kid', () => keyOf({ kid: 'kid-2' }), 'BAD_SIGNATURE'],
    ['with a changed payload', () => keyOf().replace(/^(sam1\..{20})./, '$1~'), 'MALFORMED'],
    [
      'with another signature',
      () => `${keyOf().slice(0, -86)}${keyOf({ seats: 4 }).slice(-86)}`,
      'BAD_SIGNATURE',
    ],
    ['that is none', () => 'hello', 'MALFORMED'],
  ])('exits with 4 for a key %s', async (_what, text, verdict) => {
    const { code, stdout } = await svc(['check', '-', '--url', url], text());
    expect(code).toBe(4);
    expect(stdout).toMatch(new RegExp(`^INVALID +${verdict}`));
  });

  test('asks the issuer what the signature cannot tell', async () => {
    const { code, stdout } = await svc(['check', '-', '--remote', '--url', url], keyOf());
    expect(code).toBe(4);
    expect(stdout).toContain('INVALID  REVOKED, by the word of');
    expect(asked).toEqual([`/sam/verify-key/${keyOf()}`]);
  });

  test('exits with 2 for what cannot be meant', async () => {
    expect((await svc(['frob', '-'])).stderr).toContain('svc licence knows check');
    expect((await svc(['check', '-', '--remote', '--keys', 'x'])).stderr).toContain('--keys is for a check');
    expect((await svc(['check'])).code).toBe(2);
  });
});

test('a licence is checked at any time by WebCrypto alone', async () => {
  const at = (seconds: number) =>
    checkLicence({ licenceKey: keyOf(), keys: [keys], at: new Date(seconds * 1_000) });
  expect((await at(licence.exp - 1)).code).toBe('VALID');
  expect((await at(licence.exp)).code).toBe('EXPIRED');
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;
  const forged = await checkLicence({ licenceKey: keyOf(), keys: [{ ...keys, publicKey: other }] });
  expect(forged).toEqual({ code: 'BAD_SIGNATURE' });
});

import { expect } from '@jest/globals';
import { ROUTES, TOOL_NAMES } from '@svc/contracts';
import { findNatsServer } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type DigestFound, DigestSearch } from './digest-search.js';
import type { AppProcess } from './processes.js';
import { sendPlantedRequests, type SentRequest, UNSENT } from './planted-requests.js';

const TRACE = new URL('./digest-trace.mjs', import.meta.url).href;
/** Texts of six digits: whoever has a plain digest of one finds it in a second. */
const CODES = Array.from({ length: 120 }, (_, index) => String(214_007 + 7_919 * index));

/**
 * Where a digest may stand of which what was sent is a part, of what, and why. What is found elsewhere, or is a digest of
 * something else, can be guessed.
 */
const ALLOWED: readonly { readonly where: RegExp; readonly of: RegExp; readonly why: string }[] = [
  {
    where: /^payments\.saga_wal\.|^nats\/jetstream\/.*\/EVENTS\/|^wal-checkpoints\.jsonl$/,
    of: /^svc-wal-(genesis|record)\/v1\n|^(?!\{")[^]{16}\{"capability":/,
    why: 'the log is public; the digest of the inputs, from which its chain begins, has 16 random bytes before them',
  },
  {
    where: /^department\.(card_sale\.content_digest|card_quarantine\.row_digest)$/,
    of: /^[[{]/,
    why: 'what it is of stands in the row',
  },
  {
    where: /^mesh_signalling\.mesh_session\.call_key$/,
    of: /^rendezvous\0/,
    why: 'of a name and a description that stands in the row, with a random password',
  },
  {
    where: /^payments\.execution_ticket\.ticket_hash$/,
    of: /: \.(executionTicket|ticket)$/,
    why: 'of 32 random bytes',
  },
  { where: /^sandbox\//, of: /^/, why: 'stands for the card processor, which has what it was sent' },
];
const isAllowed = ({ where, what }: DigestFound) =>
  ALLOWED.some(each => each.where.test(where) && each.of.test(what));
/** What leads to tables that may have them, as files. */
const isTraceOfAllowed = ({ what }: DigestFound) =>
  /svc-wal-|inputDigest|checkedSaleOf|rowDigest|"licenseeAgentId"|^rendezvous|executionTicket/.test(what);

interface Traced {
  readonly hex: string;
  readonly of: string;
  readonly by: string;
}

/** Adds what could be digested of a request, beside what the product did digest. */
function addFormsOf(search: DigestSearch, { name, operationId, bytes }: SentRequest): void {
  search.addAllOf(bytes, `${name}: the body`);
  let body: unknown;
  try {
    body = JSON.parse(bytes);
  } catch {
    return;
  }
  const schema = ROUTES.find(route => route.operationId === operationId)?.body?.schema;
  const parsed = schema?.safeParse(body);
  const bodies = parsed?.success ? [body, parsed.data] : [body];
  for (const each of bodies) {
    search.addAllOf(canonicalJson(each), `${name}: the canonical body`);
    search.addAllOf(JSON.stringify(each), `${name}: the body as JSON`);
    search.addAllOf(canonicalJson({ operationId, body: each }), `${name}: operation and body`);
  }
  for (const [field, value] of fieldsOf(body)) {
    search.addAllOf(value, `${name}: ${field}`);
    // A hidden trace rests nowhere in clear either: row 0, or the last of five, which was tripled four times.
    if (field !== '.start.x' || typeof value !== 'string') continue;
    for (const row of [BigInt(value), 81n * BigInt(value)])
      search.add(Buffer.from(String(row)), `${name}: ${field} in clear`);
  }
}

/** Each text and number of a body, and texts of base64 or hexadecimal digits as bytes too. */
function fieldsOf(value: unknown, path = ''): (readonly [string, string | Uint8Array])[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, `${path}.${name}`));
  const text = String(value);
  const bytes = text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text, 'base64');
  // What all the world could send stands for nobody.
  if (!CODES.some(code => text.includes(code)) && bytes.length < 32) return [];
  return [
    [path, text],
    [`${path} as bytes`, bytes],
  ];
}

/**
 * Adds what callers are told apart by: the digest of an address, or of an account. Twenty of its letters are looked for, as only part of it
 * is used.
 */
async function addCallersOf(database: string, search: DigestSearch): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ account_id: string }>('SELECT account_id FROM payments.account');
  await client.end();
  for (const name of ['127.0.0.1', '::1', ...rows.map(row => row.account_id)])
    search.add(createHash('sha256').update(name).digest().subarray(0, 15), `SHA-256 of the caller ${name}`);
}

/** What the product has to be started with, for its digests to be written to a file. */
export const tracedTo = (file: string): Record<string, string> => ({
  ...{ NODE_OPTIONS: `--import ${TRACE}`, DIGEST_TRACE: file, DIGEST_PLANTED: JSON.stringify(CODES) },
  ...{ LOG_LEVEL: 'debug', RATE_LIMIT_FACTOR: '100' },
});

/** That the search would have found what it found none of: in each form, and in every table and file where a digest may stand. */
function expectSearched(search: DigestSearch, found: readonly DigestFound[]): void {
  const control = Buffer.from(CODES.join('')).subarray(0, 32);
  search.add(control, 'the control');
  const texts = (['hex', 'base64', 'base64url'] as const).map(encoding => control.toString(encoding));
  for (const form of [control, ...texts, texts[0].toUpperCase()]) {
    const content = Buffer.concat([Buffer.from('a'), Buffer.from(form), Buffer.from('z')]);
    expect(search.in(content, 'here')).toContainEqual({ what: 'the control', where: 'here' });
  }
  const kept = ALLOWED.filter(({ where }) => !where.test('sandbox/'));
  const unseen = kept.filter(
    each => !found.some(one => each.where.test(one.where) && each.of.test(one.what)),
  );
  expect(unseen.map(({ where }) => String(where))).toEqual([]);
}

/**
 * Sends every route a request with short texts, ends the product, and finds no digest of them in what it leaves behind.
 * @param app a product that was started with {@link tracedTo}, on the folder
 */
export async function expectPrivateDigests(
  app: AppProcess,
  { address, dataDir, traced }: { address: string; dataDir: string; traced: string },
): Promise<void> {
  const { adminKey, postgresPassword } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  const sent = await sendPlantedRequests({ address, adminKey, codes: CODES });

  // Every route that takes a body, and every tool, was sent one.
  const routes = ROUTES.filter(({ body, operationId }) => body && !(operationId in UNSENT));
  expect(
    routes.map(route => route.operationId).filter(id => !sent.some(each => each.operationId === id)),
  ).toEqual([]);
  expect(TOOL_NAMES.filter(tool => !sent.some(({ name }) => name.endsWith(tool)))).toEqual([]);
  const refused = sent.filter(({ status, mayFail }) => status >= 400 && !mayFail);
  expect(refused.map(({ name, status, text }) => `${name} ${status} ${text}`)).toEqual([]);

  const search = new DigestSearch();
  for (const each of sent) addFormsOf(search, each);
  const digests = (await readFile(traced, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Traced);
  for (const { hex, of, by } of digests) search.add(Buffer.from(hex, 'hex'), `${of} ${by}`);
  // The trace saw what payments are bound to: without it this test would pass by finding nothing.
  expect(digests.filter(({ of }) => of.includes('"operationId":"zk.prove"')).length).toBeGreaterThan(0);

  const port = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[3];
  const database = `postgres://postgres:${postgresPassword}@127.0.0.1:${port}/svc`;
  await addCallersOf(database, search);
  const inTables = await search.inDatabase(database);
  app.signal('SIGINT');
  expect(await app.exit()).toBe(0);
  if (findNatsServer()) expect(app.output).toMatch(/^bus {9}.*nats-server/m);
  const inFiles = search.inFolder(dataDir).filter(found => !isTraceOfAllowed(found));
  const found = [...inTables, ...inFiles, ...search.in(Buffer.from(app.output), 'the log')];
  expectSearched(search, found);
  const guessable = found.filter(each => !isAllowed(each));
  expect([...new Set(guessable.map(({ where, what }) => `${where}: ${what.slice(0, 160)}`))]).toEqual([]);
}

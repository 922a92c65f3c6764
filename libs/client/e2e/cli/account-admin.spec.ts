import { mkdtempSync, rmSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { linesOf } from '../../src/cli/api-command.js';
import { ExitCode } from '../../src/cli/exit-code.js';
import { run } from '../../src/cli/run.js';

interface Asked {
  readonly line: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: unknown;
}

let server: Server;
let folder: string;
let asked: Asked[];
let answer: { status: number; body: object };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', part => (text += part));
    request.on('end', () => {
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
});
beforeEach(() => {
  asked = [];
  answer = { status: 200, body: { accountId: 'acct_x' } };
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function svc([verb, ...rest]: string[], environment: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  return svcWith([verb, '--url', `http://127.0.0.1:${port}`, ...rest], environment);
}

async function svcWith(args: string[], environment: Record<string, string>) {
  let [stdout, stderr] = ['', ''];
  const code = await run({
    arguments: args,
    environment,
    streams: {
      stdin: new PassThrough(),
      stdout: { write: text => (stdout += text) },
      stderr: { write: text => (stderr += text) },
    },
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}

const KEY = { SVC_KEY: 'svc_test_holder' };
const ADMIN = { SVC_ADMIN_KEY: 'the-admin-key' };
const ACCOUNT = `acct_${'a'.repeat(20)}`;

describe('svc account', () => {
  test.each([
    [[], 'GET /v1/account', undefined],
    [['usage', '--limit', '3'], 'GET /v1/account/usage?limit=3', undefined],
    [['ledger', '--cursor', 'abc'], 'GET /v1/account/ledger?cursor=abc', undefined],
    [['licences'], 'GET /v1/account/licences', undefined],
    [['new-key', '--label', 'agent 7'], 'POST /v1/account/keys', { label: 'agent 7' }],
    [['rotate', 'k1', '--grace', '0'], 'POST /v1/account/keys/k1/rotate', { graceSeconds: 0 }],
    [['rotate', 'k1'], 'POST /v1/account/keys/k1/rotate', {}],
    [['revoke', 'k1'], 'DELETE /v1/account/keys/k1', undefined],
    [['revoke', 'k1', '--force'], 'DELETE /v1/account/keys/k1?force=true', undefined],
  ])('%j asks for %s with the key of SVC_KEY', async (args, line, body) => {
    expect((await svc(['account', ...args], KEY)).code).toBe(ExitCode.ok);
    expect(asked).toMatchObject([{ line, headers: { 'x-svc-key': 'svc_test_holder' } }]);
    expect(asked[0].body).toEqual(body);
  });

  test('asks for nothing without a key, or for a command that there is not', async () => {
    expect((await svc(['account'])).code).toBe(ExitCode.usage);
    expect((await svc(['account', 'rotate'], KEY)).stderr).toContain('which key?');
    expect((await svc(['account', 'toString'], KEY)).code).toBe(ExitCode.usage);
    expect((await svc(['account', 'rotate', 'k1', '--grace', '-1'], KEY)).code).toBe(ExitCode.usage);
    expect(asked).toEqual([]);
  });
});

describe('svc escrow', () => {
  const ESCROW = `esc_${'A'.repeat(22)}`;
  const LINK = 'L'.repeat(43);
  /** What can be done twice to the same end. */
  const REPEATABLE = ['show', 'list', 'accept', 'claim'];

  test.each([
    [['create', '12.50'], 'POST /v1/escrow/create-intent', { amountUsd: '12.50' }],
    [
      [
        ...['create', '5', '--description', 'a job', '--payee', ACCOUNT, '--hours', '48'],
        ...['--metadata', 'order=7,note=a=b'],
      ],
      'POST /v1/escrow/create-intent',
      {
        ...{ amountUsd: '5', description: 'a job', payee: ACCOUNT, expiresInHours: 48 },
        metadata: { order: '7', note: 'a=b' },
      },
    ],
    [
      ['create', '5', '--metadata', '{"to":"Kiel, pier 3","note":"a=b"}'],
      'POST /v1/escrow/create-intent',
      { amountUsd: '5', metadata: { to: 'Kiel, pier 3', note: 'a=b' } },
    ],
    [['show', ESCROW], `GET /v1/escrow/intents/${ESCROW}`, undefined],
    [['release', ESCROW], `POST /v1/escrow/intents/${ESCROW}/release`, {}],
    [
      ['release', ESCROW, '--amount', '4.00'],
      `POST /v1/escrow/intents/${ESCROW}/release`,
      { amountUsd: '4.00' },
    ],
    [['cancel', ESCROW], `POST /v1/escrow/intents/${ESCROW}/cancel`, undefined],
    [['refund', ESCROW], `POST /v1/escrow/intents/${ESCROW}/cancel`, undefined],
    [['accept', ESCROW], `POST /v1/escrow/intents/${ESCROW}/accept`, undefined],
    [['claim', `https://svc.example/v1/escrow/claims/${LINK}`], `POST /v1/escrow/claims/${LINK}`, {}],
    [['list'], 'GET /v1/escrow/intents', undefined],
    [['list', '--role', 'payee', '--limit', '5'], 'GET /v1/escrow/intents?role=payee&limit=5', undefined],
  ])('%j asks for %s with the key of SVC_KEY', async (args, line, body) => {
    answer.body = { intentId: ESCROW, state: 'HELD', amountUsd: '12.50', clientSecret: 'pi_1_secret' };
    const { code, stdout } = await svc(['escrow', ...args], KEY);
    expect([code, stdout]).toEqual([ExitCode.ok, expect.stringMatching(/^state +HELD$/m)]);
    expect(stdout).toContain('pi_1_secret');
    expect(asked).toMatchObject([{ line, headers: { 'x-svc-key': 'svc_test_holder' } }]);
    expect(asked[0].body).toEqual(body);
    const once = asked[0].headers['idempotency-key'];
    const isRepeatable = REPEATABLE.includes(args[0]);
    expect(once === undefined).toBe(isRepeatable);
    const again = ['escrow', ...args, '--idempotency-key', 'mine'];
    if (!isRepeatable) await svc(again, KEY);
    expect(asked.slice(1).map(({ headers }) => headers['idempotency-key'])).toEqual(
      isRepeatable ? [] : ['mine'],
    );
  });

  test('claims an escrow for a wallet without a key', async () => {
    const address = `0x${'ab'.repeat(20)}`;
    expect((await svc(['escrow', 'claim', LINK, '--address', address])).code).toBe(ExitCode.ok);
    expect(asked).toMatchObject([{ line: `POST /v1/escrow/claims/${LINK}`, body: { address } }]);
    expect(asked[0].headers['x-svc-key']).toBeUndefined();
  });

  test('asks for nothing without a key, an operand, or for a command that there is not', async () => {
    for (const [args, message] of [
      [['create', '5'], 'set SVC_KEY'],
      [['toString', 'x'], 'there is no svc escrow toString; there are list, create USD'],
      [['show'], 'ESCROW is missing; usage: svc escrow show ESCROW'],
      [['create', '5', '--hours', '0'], '--hours must be a whole number from 1'],
      [['create', '5', '--metadata', 'order'], '--metadata is NAME=TEXT,… or a JSON object, got order'],
      [['create', '5', '--metadata', '{"a":"b"'], '--metadata is not a JSON object'],
      [['create', '5', '--metadata', '{"a":["b"]}'], '--metadata: the value of a must be a text, got ["b"]'],
    ] as const) {
      const environment = args[0] === 'create' && args.length === 2 ? {} : KEY;
      const { code, stderr } = await svc(['escrow', ...args], environment);
      expect([code, stderr]).toEqual([ExitCode.usage, expect.stringContaining(message)]);
    }
    expect(asked).toEqual([]);
  });

  test('exits with 1 and the reason where the escrow cannot be what is asked', async () => {
    const problem = {
      code: 'CONFLICT',
      detail: 'The escrow is REQUIRES_PAYMENT',
      title: '',
      type: 'about:blank',
    };
    answer = { status: 409, body: problem };
    expect(await svc(['escrow', 'release', ESCROW], KEY)).toMatchObject({
      code: ExitCode.failure,
      stderr: expect.stringContaining('The escrow is REQUIRES_PAYMENT'),
    });
  });
});

describe('svc buy', () => {
  test('opens a checkout under one Idempotency-Key and prints where to pay', async () => {
    answer.body = { checkoutUrl: 'https://pay.example/c', sessionId: 'cs_1', packId: 'pack_10', credits: 40 };
    const { code, stdout } = await svc(['buy', 'pack_10', '--email', 'a@example.com']);
    expect([code, stdout]).toEqual([ExitCode.ok, expect.stringContaining('https://pay.example/c')]);
    expect(asked[0].body).toEqual({ packId: 'pack_10', customerEmail: 'a@example.com' });
    expect(asked[0].headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await svc(['buy', 'pack_11'])).code).toBe(ExitCode.usage);
  });
});

describe('svc admin', () => {
  test.each([
    [['accounts', '--email', 'a@b.co'], 'GET /v1/admin/accounts?email=a%40b.co', undefined],
    [['set-plan', ACCOUNT, 'enterprise'], `PUT /v1/admin/accounts/${ACCOUNT}/plan`, { plan: 'enterprise' }],
    [['revoke-key', ACCOUNT, 'k1'], `DELETE /v1/admin/accounts/${ACCOUNT}/keys/k1`, undefined],
    [['licences', ACCOUNT, 'revoked'], `PUT /v1/admin/accounts/${ACCOUNT}/licences`, { state: 'revoked' }],
    [
      ['issue-key', ACCOUNT, '--scopes', 'leads:read,admin:spot'],
      `POST /v1/admin/accounts/${ACCOUNT}/keys`,
      { scopes: ['leads:read', 'admin:spot'] },
    ],
    [['leads', '--q', '50%', '--limit', '9'], 'GET /leads?q=50%25&limit=9', undefined],
    [['set-lead', 'lead_1', 'won'], 'PATCH /leads/lead_1', { status: 'won' }],
    [['reconcile'], 'POST /v1/admin/reconcile', undefined],
    [
      ['reset-mesh', 'keep', '--reason', 'client ids'],
      'POST /v1/admin/mesh/document/reset',
      { content: 'keep', reason: 'client ids' },
    ],
    [['audit', '--action', 'key.issue'], 'GET /v1/admin/audit?action=key.issue', undefined],
  ])('%j asks for %s', async (args, line, body) => {
    expect((await svc(['admin', ...args], { ...KEY, ...ADMIN })).code).toBe(ExitCode.ok);
    expect(asked).toMatchObject([{ line, headers: { 'x-svc-key': 'the-admin-key' } }]);
    expect(asked[0].body).toEqual(body);
  });

  test('asks the listener of operators that SVC_ADMIN_URL names, and --url before it', async () => {
    const { port } = server.address() as AddressInfo;
    const here = `http://127.0.0.1:${port}`;
    const urls = (admin: string | undefined, any: string) => ({
      ...(admin === undefined ? {} : { SVC_ADMIN_URL: admin }),
      ...{ SVC_URL: any, ...ADMIN },
    });
    const nowhere = 'http://127.0.0.1:1';
    const audit = (environment: Record<string, string>) => svcWith(['admin', 'audit'], environment);
    expect((await audit(urls(here, nowhere))).code).toBe(ExitCode.ok);
    expect((await audit(urls(undefined, here))).code).toBe(ExitCode.ok);
    expect((await audit(urls(nowhere, here))).code).toBe(ExitCode.serviceAway);
    expect((await svc(['admin', 'audit'], urls(nowhere, nowhere))).code).toBe(ExitCode.ok);
    expect(asked).toHaveLength(3);
    // Of others' commands it says nothing.
    expect((await svcWith(['health'], urls(here, nowhere))).code).toBe(ExitCode.serviceAway);
  });

  test('imports a file of sales in as many imports as it takes, and adds up what became of them', async () => {
    const taken = {
      importId: 'i7',
      rows: 20_000,
      accepted: 19_000,
      duplicates: 900,
      quarantined: 100,
      newCards: 3,
    };
    answer.body = { ...taken, faults: [{ row: 2, field: 'price', message: 'is none' }] };
    const path = join(folder, 'sales.csv');
    writeFileSync(path, `itemId,price\n${'a,1\n'.repeat(20_001)}`);
    const { code, stdout } = await svc(['admin', 'import-sales', path, '--json'], ADMIN);
    expect(code).toBe(ExitCode.ok);
    expect(asked.map(({ line }) => line)).toEqual(Array(2).fill('POST /v1/admin/card-sales'));
    expect(asked[1].body).toEqual({ csv: 'itemId,price\na,1\n' });
    const total = JSON.parse(stdout) as Record<string, unknown>;
    expect(total).toMatchObject({ rows: 40_000, accepted: 38_000, quarantined: 200, imports: ['i7', 'i7'] });
    expect((total.faults as { row: number }[]).map(({ row }) => row)).toEqual([2, 20_002]);
  });

  test('reads a venue’s file by its profile and dated rates, tries it, and writes down what is no sale yet', async () => {
    answer.body = {
      importId: null,
      rows: 1,
      accepted: 1,
      duplicates: 0,
      quarantined: 0,
      newCards: 1,
      faults: [],
    };
    const file = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const report = file(
      'orders.csv',
      'Item Number,Order Number,Item Title,Quantity,Sold For,Sale Date\n' +
        '22,11-1,1986 Fleer Michael Jordan #57 PSA 8,1,"EUR 4.000,00",Sep-18-26\n33,11-2,a hat,1,$5.00,Sep-18-26\n',
    );
    const rates = file('rates.json', '{"base":"EUR","rates":{"2026-09-17":{"USD":1.25}}}');
    const left = join(folder, 'left.json');
    const asking = [
      'admin',
      'import-sales',
      report,
      '--profile',
      'ebay-orders',
      '--sale-type',
      'fixed',
      '--dry-run',
      '--json',
    ];
    const { code, stdout } = await svc([...asking, '--rates', rates, '--left', left], ADMIN);
    expect(code).toBe(ExitCode.ok);
    expect(asked).toHaveLength(1);
    expect(asked[0].body).toMatchObject({
      dryRun: true,
      sales: [
        {
          itemId: '22 11-1',
          price: '4000.00',
          rate: { usd: '1.25', date: '2026-09-17', source: 'rates.json' },
        },
      ],
    });
    expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, accepted: 1, imports: [], left: 1 });
    expect(JSON.parse(readFileSync(left, 'utf8'))).toEqual([
      { line: 3, title: 'a hat', reason: 'names no year' },
    ]);
    expect((await svc(['admin', 'import-sales', report, '--profile', 'nosuch'], ADMIN)).code).toBe(
      ExitCode.usage,
    );
  });

  test('resolves a quarantined sale as it is, as a file has it corrected, or not at all', async () => {
    const path = join(folder, 'sale.json');
    writeFileSync(path, '{"price":"5.00"}');
    await svc(['admin', 'sales-quarantine', '--limit', '2'], ADMIN);
    await svc(['admin', 'resolve-sale', 'q7', 'accept', '--sale', path], ADMIN);
    await svc(['admin', 'resolve-sale', 'q8', 'discard'], ADMIN);
    expect(asked).toMatchObject([
      { line: 'GET /v1/admin/card-sales/quarantine?limit=2' },
      {
        line: 'POST /v1/admin/card-sales/quarantine/q7',
        body: { action: 'accept', sale: { price: '5.00' } },
      },
      { line: 'POST /v1/admin/card-sales/quarantine/q8', body: { action: 'discard' } },
    ]);
    expect((await svc(['admin', 'resolve-sale', 'q7', 'accept', '--sale', '/nowhere'], ADMIN)).code).toBe(
      ExitCode.usage,
    );
    expect(asked).toHaveLength(3);
  });

  test.each([
    ['10', 10_000_000],
    ['0.5', 500_000],
    ['0.000001', 1],
    ['999999.999999', 999_999_999_999],
  ])('grants %s USD as %d µUSD, under one Idempotency-Key', async (usd, amountMicroUsd) => {
    await svc(['admin', 'grant', ACCOUNT, usd, '--reason', 'why'], ADMIN);
    expect(asked[0].body).toEqual({ amountMicroUsd, reason: 'why' });
    expect(asked[0].headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('enrols the ring of a piece, its recording in base64, and refuses what is no number', async () => {
    const path = join(folder, 'ring.wav');
    writeFileSync(path, 'RIFF');
    const enrol = ['admin', 'enrol-bullion', 'krugerrand', path];
    await svc([...enrol, '--specimen', '1974, no. 1', '--mass-g', '33.95'], ADMIN);
    expect(asked).toMatchObject([
      {
        line: 'POST /api/agent/bullion/enrol',
        body: { productId: 'krugerrand', recordingBase64: 'UklGRg==', specimen: '1974, no. 1', massG: 33.95 },
      },
    ]);
    for (const args of [[], ['--specimen', 'x', '--mass-g', '1e3'], ['--specimen', 'x', '--fineness', '-1']])
      expect((await svc([...enrol, ...args], ADMIN)).code).toBe(ExitCode.usage);
    expect(asked).toHaveLength(1);
  });

  describe('a feed of spot prices', () => {
    const source = 'a-feed';
    const feed = (price: number | string, asOf = '2026-11-26T12:00:00Z') => {
      const path = join(folder, 'feed.json');
      writeFileSync(path, JSON.stringify({ source, asOf, currency: 'USD', prices: { XAU: price } }));
      return path;
    };
    const known = (price: string, asOf: string) => {
      const gold = { metal: 'XAU', currency: 'USD', price, asOf, source };
      answer = { status: 200, body: { items: [gold] } };
    };
    const posted = () => asked.filter(({ line }) => line.startsWith('POST')).map(({ body }) => body);

    test('sets what is newer, with its source and time, and nothing twice', async () => {
      known('4100.5', '2026-11-26T11:00:00.000Z');
      const done = await svc(['admin', 'spot-feed', feed('4123.45')], ADMIN);
      expect(done.code).toBe(ExitCode.ok);
      const set = {
        metal: 'XAU',
        currency: 'USD',
        price: '4123.45',
        asOf: '2026-11-26T12:00:00.000Z',
        source,
      };
      expect(posted()).toEqual([set]);
      known('4123.45', '2026-11-26T12:00:00.000Z');
      expect((await svc(['admin', 'spot-feed', feed('4123.45')], ADMIN)).stdout).toContain('XAU');
      expect(posted()).toHaveLength(1);
    });

    test('leaves a price that jumps to a person', async () => {
      known('4100.5', '2026-11-26T11:00:00.000Z');
      const done = await svc(['admin', 'spot-feed', feed(410.05)], ADMIN);
      expect(done).toMatchObject({
        code: ExitCode.failure,
        stdout: expect.stringContaining('more than 20 %'),
      });
      expect(posted()).toEqual([]);
    });

    test('is read over HTTP, and refused where it is too long, redirected or of another machine without TLS', async () => {
      const { port } = server.address() as AddressInfo;
      answer = { status: 200, body: { source, asOf: 'never', currency: 'USD', prices: { XAU: 1 } } };
      const local = `http://127.0.0.1:${port}/feed`;
      expect((await svc(['admin', 'spot-feed', local], ADMIN)).stderr).toContain('no time at /asOf');
      answer = { status: 200, body: { long: 'x'.repeat(70_000) } };
      expect((await svc(['admin', 'spot-feed', local], ADMIN)).stderr).toContain('longer than 65536 bytes');
      answer = { status: 503, body: {} };
      expect((await svc(['admin', 'spot-feed', local], ADMIN)).stderr).toContain('answers 503');
      const plain = await svc(['admin', 'spot-feed', 'http://feed.example.com/'], ADMIN);
      expect([plain.code, plain.stderr]).toEqual([ExitCode.usage, expect.stringContaining('https alone')]);
      for (const every of ['0', '9', '1e3', '-5'])
        expect((await svc(['admin', 'spot-feed', feed(1), '--every', every], ADMIN)).code).toBe(
          ExitCode.usage,
        );
    });
  });

  test('moves enrolments as a file', async () => {
    await svc(['admin', 'bullion-enrolments', 'krugerrand', '--json'], ADMIN);
    const path = join(folder, 'enrolments.json');
    writeFileSync(path, '{"format":"svc-bullion-enrolments/v1"}');
    await svc(['admin', 'import-enrolments', path], ADMIN);
    expect(asked).toMatchObject([
      { line: 'GET /api/agent/bullion/enrolments?productId=krugerrand' },
      { line: 'POST /api/agent/bullion/enrolments', body: { format: 'svc-bullion-enrolments/v1' } },
    ]);
  });

  test.each(['1e3', '-1', '0.0000001', '', '1,5', '0x10'])('grants no %j', async usd => {
    expect((await svc(['admin', 'grant', ACCOUNT, '--reason', 'why', '--', usd], ADMIN)).code).toBe(
      ExitCode.usage,
    );
    expect(asked).toEqual([]);
  });

  test('takes the key from a file, alone or among the secrets of npm start, and never prints it', async () => {
    const files = { alone: 'key-in-a-file\n', secrets: '{"adminKey":"key-in-a-file","other":1}' };
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      writeFileSync(path, text);
      const { code, stdout, stderr } = await svc(['admin', 'audit', '--key-file', path], ADMIN);
      expect(code).toBe(ExitCode.ok);
      expect(asked.at(-1)?.headers['x-svc-key']).toBe('key-in-a-file');
      expect(stdout + stderr).not.toContain('key-in-a-file');
    }
    writeFileSync(join(folder, 'broken'), '{"adminKey":1}');
    expect((await svc(['admin', 'audit', '--key-file', join(folder, 'broken')])).code).toBe(ExitCode.usage);
    expect((await svc(['admin', 'audit'], KEY)).code).toBe(ExitCode.usage);
  });
});

test('an answer is printed without what could command a terminal', () => {
  const lines = linesOf({ label: 'a\u001b[2Jb\nc', items: [{ email: '\u009b31m' }], nextCursor: 'n' });
  expect(lines).toEqual(['label  a\ufffd[2Jb\ufffdc', 'email \ufffd31m', 'more: --cursor n']);
});

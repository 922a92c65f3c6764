import { Readable } from 'node:stream';
import { PaywallServer } from '../../testing/paywall-server.js';
import { run } from '../../src/cli/run.js';
import { VERBS } from '../../src/cli/verbs.js';

async function svc(args: string[], environment: Record<string, string> = {}, input: string | Buffer = '') {
  const written = { stdout: '', stderr: '' };
  const code = await run({
    arguments: args,
    environment,
    streams: {
      stdin: Readable.from([Buffer.from(input)]),
      stdout: { write: (text: string) => (written.stdout += text) },
      stderr: { write: (text: string) => (written.stderr += text) },
    },
    signal: new AbortController().signal,
  });
  return { code, ...written };
}

describe('svc help', () => {
  test('lists every verb, with the exit codes', async () => {
    for (const args of [[], ['--help'], ['help']]) {
      const { code, stdout } = await svc(args);
      expect(code).toBe(0);
      for (const verb of VERBS) expect(stdout).toContain(`  ${verb.name} `);
      expect(stdout).toContain('4 proof invalid');
    }
  });

  test.each(VERBS.map(verb => [verb.name, verb] as const))(
    'of %s lists every option it takes',
    async (name, verb) => {
      const { stdout } = await svc([name, '--help']);
      for (const option of [...Object.keys(verb.options), 'json', 'help'])
        expect(stdout).toContain(`--${option}`);
      expect(await svc(['help', name])).toMatchObject({ stdout });
    },
  );

  test('fits 80 columns, but for examples that are there to be copied', async () => {
    for (const args of [['--help'], ...VERBS.map(({ name }) => [name, '--help'])]) {
      const { stdout } = await svc(args);
      const examples = /^Examples?:\n(?: {2}.*\n)+/m;
      const lines = stdout.replace(examples, '').split('\n');
      expect(lines.filter(line => line.length > 80)).toEqual([]);
    }
  });

  test('results are broken to fit a terminal, and stay a line each in a pipe', async () => {
    const service = (name: string) => ({ name, online: true });
    const services = Array.from({ length: 20 }, (_, i) => service(`service-${i}`));
    const server = await PaywallServer.start((_, response, self) =>
      self.json(response, { status: 'OPERATIONAL', version: '1', services, rails: [], timestamp: 'now' }),
    );
    const shown = async (stdout: object) => {
      let text = '';
      await run({
        arguments: ['health', '--url', server.url],
        environment: {},
        streams: {
          stdin: Readable.from([]),
          stdout: { write: (part: string) => (text += part), ...stdout },
          stderr: { write: () => true },
        },
        signal: new AbortController().signal,
      });
      return text.trimEnd().split('\n');
    };
    const [piped, fitted, narrow] = [
      await shown({}),
      await shown({ isTTY: true }),
      await shown({ isTTY: true, columns: 60 }),
    ];
    await server.close();
    expect(piped.filter(line => line.length > 80)).toHaveLength(1);
    for (const [lines, columns] of [
      [fitted, 80],
      [narrow, 60],
    ] as const) {
      expect(lines.filter(line => line.length > columns)).toEqual([]);
      expect(lines.join(' ').replace(/\s+/g, ' ')).toBe(piped.join(' ').replace(/\s+/g, ' '));
    }
  });
});

describe('svc usage', () => {
  test.each([
    ['an unknown verb', ['frob'], 'there is no verb frob'],
    ['an unknown option', ['health', '--frob'], "Unknown option '--frob'"],
    ['an option without its value', ['prove', 'x', '--degree'], '--degree'],
    [
      'a number that is none',
      ['prove', 'x', '--blowup', '8x'],
      '--blowup must be a whole number from 1, got 8x',
    ],
    ['an argument too many', ['prove', 'a', 'b'], 'one argument too many: b'],
    ['a missing argument', ['verify'], 'PROOF is missing'],
    ['empty data', ['prove', ''], 'DATA is empty'],
    ['odd hexadecimal', ['prove', 'abc', '--hex'], 'an even number of hexadecimal digits'],
    [
      'a wallet that does not exist',
      ['prove', 'x', '--wallet', 'cash'],
      '--wallet must be sandbox, lnd or none',
    ],
    ['an address that is none', ['health', '--url', 'gopher:x'], '--url must be an http or https address'],
    ['a payment that is none', ['prove', 'x', '--payment', '{}'], '--payment must be the JSON'],
    [
      'a file that is not there',
      ['verify', '/nonexistent'],
      '/nonexistent cannot be read: there is no such file',
    ],
    ['a proof without public inputs', ['verify', '-'], 'give --result or --public-inputs'],
    ['local and remote at once', ['verify', '-', '--local', '--remote'], 'exclude each other'],
  ])('exits with 2 for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await svc(args, {}, 'SVCSTARK');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^svc: [^\n]*\n$/);
    expect(stderr).toContain(message);
  });

  test.each([
    ['--degree', '3', 'degree'],
    ['--blowup', '5', 'friBlowup'],
  ])('exits with 2 for %s %s, which the server knows to be none of the list', async (option, value, path) => {
    const errors = [{ path, message: 'must be one of the list' }];
    const server = await PaywallServer.start((_, response, self) =>
      self.problem(response, 400, 'VALIDATION_FAILED', { errors }),
    );
    const ended = await svc(['prove', 'x', option, value, '--url', server.url, '--wallet', 'none']);
    const unasked = await svc(['prove', 'x', '--url', server.url, '--wallet', 'none']);
    await server.close();
    expect([ended.code, unasked.code]).toEqual([2, 1]);
    for (const { stderr } of [ended, unasked]) expect(stderr).toContain(`${path}: must be one of the list`);
  });

  test.each([
    ['data of a chain', ['prove', '0xzz'], 'traceData'],
    ['a statement', ['prove', '-', '--statement', 'm31'], 'publicInputs'],
  ])('exits with 2 for %s that the server refuses', async (_, args, path) => {
    const server = await PaywallServer.start((_request, response, self) =>
      self.problem(response, 400, 'VALIDATION_FAILED', { errors: [{ path, message: 'cannot be meant' }] }),
    );
    const ended = await svc([...args, '--url', server.url, '--wallet', 'none'], {}, '{}');
    await server.close();
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`${path}: cannot be meant`) });
  });

  test('exits with 2 for binary on stdin where text is due, and says how to send it', async () => {
    const ended = await svc(['prove'], {}, Buffer.from([0xff, 0xfe]));
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('xxd -p FILE | svc … - --hex') });
  });

  test('puts the error on stdout as JSON with --json', async () => {
    const { stdout, stderr } = await svc(['verify', '--json']);
    expect([JSON.parse(stdout).error.code, stderr]).toEqual(['USAGE', '']);
  });

  test.each([
    [{ SVC_LND_URL: 'https://x' }, 'needs SVC_LND_MACAROON_FILE'],
    [{ SVC_WALLET: 'lnd' }, 'needs SVC_LND_URL'],
    [
      { SVC_LND_URL: 'https://x', SVC_LND_MACAROON_FILE: '/dev/null', SVC_LND_NETWORK: 'moon' },
      'SVC_LND_NETWORK must be',
    ],
    [{ SVC_MAX_SATS: 'all' }, '--max-sats must be a whole number'],
    [{ SVC_KEY: 'two words' }, 'key must be'],
  ])('exits with 2 for the environment %j', async (environment, message) => {
    const ended = await svc(['prove', 'x'], environment as Record<string, string>);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('takes an empty variable for one that is not set, whichever it is', async () => {
    const server = await PaywallServer.start((request, response, self) =>
      request.path === '/health'
        ? self.json(response, {
            status: 'OPERATIONAL',
            version: '1',
            services: [],
            rails: [],
            timestamp: 'now',
          })
        : self.demandPayment(response),
    );
    const empty = Object.fromEntries(
      [
        ...['SVC_KEY', 'SVC_WALLET', 'SVC_MAX_SATS', 'SVC_TICKET', 'SVC_ADMIN_KEY', 'SVC_ADMIN_URL'],
        ...['SVC_LND_URL', 'SVC_LND_MACAROON_FILE', 'SVC_LND_CERT_FILE', 'SVC_LND_NETWORK'],
      ].map(name => [name, '']),
    );
    const healthy = await svc(['health', '--url', server.url], empty);
    // The sandbox pays on loopback, as where none of them is set.
    const paying = await svc(['prove', 'x', '--url', server.url], empty);
    await server.close();
    expect(healthy).toMatchObject({ code: 0, stderr: '' });
    expect(paying.stderr).toContain('payment kept');
    expect(server.requests.every(({ headers }) => headers['x-svc-key'] === undefined)).toBe(true);
    expect((await svc(['health'], { SVC_URL: '' })).stderr).toContain('127.0.0.1:3000');
    expect((await svc(['account'], empty)).stderr).toContain('set SVC_KEY');
  });

  test('chooses no wallet for an address that is not loopback, so that nothing there asks it to pay', async () => {
    const server = await PaywallServer.start((_, response, self) => self.demandPayment(response));
    const url = server.url.replace('127.0.0.1', '0.0.0.0');
    const ended = await svc(['prove', 'x', '--url', url]);
    const paying = await svc(['prove', 'x', '--url', url, '--wallet', 'sandbox']);
    await server.close();
    expect(ended).toMatchObject({ code: 3, stderr: expect.not.stringContaining('payment kept') });
    expect(paying).toMatchObject({ code: 3, stderr: expect.stringContaining('payment kept') });
    expect(server.paymentCount).toBe(1);
  });
});

describe('svc exit codes', () => {
  test.each([
    [400, 'VALIDATION_FAILED', 1],
    [401, 'UNKNOWN_CREDENTIAL', 1],
    [402, 'PAYMENT_INVALID', 3],
    [500, 'INTERNAL', 1],
    [501, 'NOT_YET_AVAILABLE', 1],
    [503, 'SERVICE_UNAVAILABLE', 5],
    [504, 'TIMEOUT', 5],
  ])('for status %i %s is %i, with the code and the trace id shown', async (status, problem, code) => {
    const errors = [{ path: 'friBlowup', message: 'must be one of 2, 4, 8, 16, 32' }];
    const server = await PaywallServer.start((_, response, self) =>
      self.problem(response, status, problem, { errors }),
    );
    const ended = await svc(['prove', 'x', '--url', server.url, '--wallet', 'none']);
    await server.close();
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(`${problem}, status ${status}, trace ${'a'.repeat(32)}`);
    expect(ended.stderr).toContain('friBlowup: must be one of');
  });

  test('for health are 0 when all is up and 5 when a service is away', async () => {
    let status = 'OPERATIONAL';
    const service = { name: 'prover', online: false };
    const server = await PaywallServer.start((_, response, self) =>
      self.json(response, { status, version: '1', services: [service], rails: [], timestamp: 'now' }),
    );
    expect((await svc(['health', '--url', server.url])).code).toBe(0);
    status = 'DEGRADED';
    expect(await svc(['health', '--url', server.url])).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('prover (away)'),
    });
    await server.close();
  });
});

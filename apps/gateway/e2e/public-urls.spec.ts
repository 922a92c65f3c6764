import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { X402Resources } from '@svc/contracts';
import { createLogger, MemoryBus, type RunningService } from '@svc/platform';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { gatewayEnvironmentOf, readGatewayConfig } from '../src/gateway-config.js';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { scriptedPayments, type PaymentsScript } from './payments-under-test.js';
import { rawCall } from './raw-call.js';

const run = promisify(execFile);
const workspace = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, workspace), 'utf8');

/** What an operator sets. */
const VARIABLES = {
  NATS_URL: 'nats://127.0.0.1:1',
  NODE_ENV: 'production',
  ...{ PORT: '0', OPERATOR_PORT: '0', RATE_LIMIT_FACTOR: '0', TRUSTED_PROXIES: 'none' },
  PUBLIC_URL: 'https://svc.example,https://desks.svc.example',
  SECURITY_CONTACT: 'mailto:security@svc.example',
};

let gateway: RunningGateway;
let payments: RunningService;
let script: PaymentsScript;
beforeAll(async () => {
  const bus = new MemoryBus();
  const scripted = scriptedPayments();
  ({ script } = scripted);
  payments = await startServiceOn(bus, 'payments', { controllers: scripted.controllers });
  const config = readGatewayConfig(VARIABLES);
  gateway = await startGatewayOn(bus, {
    ...gatewayEnvironmentOf(config, createLogger('gateway', { level: 'silent' })),
    bus: { kind: 'memory', bus },
  });
});
afterAll(async () => {
  await gateway.close();
  await payments.close();
});

/** Asks with that `Host` alone. */
const ask = (path: string, host: string, method = 'GET') => rawCall(gateway.address, path, { method, host });

describe('a gateway whose variables say where the public reaches it', () => {
  test('says whom to tell of a weakness, until when, and where that stands', async () => {
    const { status, headers, text } = await ask('/.well-known/security.txt', 'svc.example');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const fields = Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map(line => line.split(/: (.*)/)),
    );
    expect(fields).toMatchObject({
      Contact: 'mailto:security@svc.example',
      Canonical: 'https://svc.example/.well-known/security.txt',
    });
    const daysLeft = (Date.parse(fields.Expires) - Date.now()) / 86_400_000;
    expect(daysLeft).toBeGreaterThan(364);
    expect(daysLeft).toBeLessThanOrEqual(366);
  });

  test.each(['evil.example', '127.0.0.1', 'svc.example.evil.example', 'svc.example:81'])(
    'serves nothing for %s',
    async host => {
      for (const path of [
        '/health',
        '/.well-known/x402',
        '/v1/x402/challenge',
        '/openapi.json',
        '/nowhere',
      ]) {
        const { status, json, text } = await ask(path, host);
        expect([status, json.code]).toEqual([421, 'MISDIRECTED_REQUEST']);
        expect(json.errors).toMatchObject([{ path: 'host', got: host }]);
        expect(text).not.toContain(`//${host}`);
        // Who finds the address of the machine does not learn what it serves.
        expect(text.replaceAll(host, '')).not.toContain('svc.example');
      }
    },
  );

  describe('of a target in absolute form, looks at what it names and not at the Host beside it', () => {
    /** Asks for that target, which no client but a proxy's sends. */
    const askTarget = (target: string, host: string) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const { hostname, port } = new URL(gateway.address);
        request({ hostname, port, path: target, headers: { host } }, answer => {
          let text = '';
          answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
          answer.on('end', () => resolve({ status: answer.statusCode!, text }));
        })
          .on('error', reject)
          .end();
      });

    test.each([
      'http://evil.example',
      'https://evil.example',
      'http://svc.example@evil.example',
      'http://svc.example:81',
    ])('and serves nothing of %s', async origin => {
      for (const path of ['', '/', '/health', '/nope', '/v1/x402/challenge']) {
        const { status, text } = await askTarget(origin + path, 'svc.example');
        expect([status, JSON.parse(text)]).toMatchObject([
          421,
          {
            code: 'MISDIRECTED_REQUEST',
            instance: path || '/',
            errors: [{ path: 'host', got: origin.split('//')[1] }],
          },
        ]);
        expect(text).not.toContain(origin);
      }
    });

    test('and serves its own by whatever Host', async () => {
      for (const origin of ['http://svc.example', 'HTTPS://SVC.example:443'])
        expect((await askTarget(`${origin}/health`, 'evil.example')).status).not.toBe(421);
      expect((await askTarget('http://desks.svc.example/v1/x402/challenge', 'evil.example')).status).toBe(
        402,
      );
      expect(script.challenged.at(-1)).toMatchObject({
        resource: expect.stringMatching(/^https:\/\/desks\.svc\.example\/v1\/x402\/verify/),
      });
    });

    test('and answers orchestrators by any', async () => {
      expect((await askTarget('http://10.0.0.7:3000/livez', 'evil.example')).status).toBe(200);
    });
  });

  test('gives problems types at its own address, and by their path alone where none was called', async () => {
    for (const host of ['svc.example', 'desks.svc.example'])
      expect((await ask('/nope', host)).json.type).toBe(`https://${host}/problems/not-found`);
    expect((await ask('/nope', 'evil.example')).json.type).toBe('/problems/misdirected-request');
  });

  test('tells its own address, with the scheme of the public', async () => {
    expect((await ask('/v1/x402/challenge', 'desks.svc.example')).status).toBe(402);
    expect(script.challenged.at(-1)).toMatchObject({
      resource: expect.stringMatching(/^https:\/\/desks\.svc\.example\/v1\/x402\/verify/),
    });
    await ask('/v1/x402/challenge', 'SVC.example:443');
    expect(script.challenged.at(-1)).toMatchObject({
      resource: expect.stringMatching(/^https:\/\/svc\.example\//),
    });
  });

  test('names what x402 pays for at its own address', async () => {
    const header = { accepts: [{ scheme: 'exact', network: 'eip155:84532' }] };
    const inBase64 = Buffer.from(JSON.stringify(header)).toString('base64');
    script.moreOffers = [{ rail: 'x402', scheme: 'x402', headers: { 'PAYMENT-REQUIRED': inBase64 } }];
    script.challenged.length = 0;
    for (const host of ['svc.example', 'DESKS.svc.example:443']) {
      const { json } = await ask('/.well-known/x402', host);
      const { resources, items } = X402Resources.parse(json);
      const told = [...resources, ...items.map(({ resource }) => resource)];
      expect(told.length).toBeGreaterThan(2);
      expect(new Set(told.map(url => new URL(url).origin))).toEqual(
        new Set([`https://${host.toLowerCase().replace(':443', '')}`]),
      );
    }
    // Of x402 alone: an offer of Lightning would cost an invoice.
    expect(script.challenged.length).toBeGreaterThan(0);
    expect(script.challenged.every(({ families }) => families?.join() === 'x402')).toBe(true);
  });

  test('has nothing of operators there, whatever key is brought, but at their own listener', async () => {
    for (const path of ['/v1/admin/audit', '/v1/admin/accounts']) {
      const lines = [['x-svc-key', 'svc_test_operator']] as const;
      const { status, json } = await rawCall(gateway.address, path, {
        ...{ method: 'GET', host: 'svc.example', lines },
      });
      expect([status, json.code]).toEqual([404, 'NOT_FOUND']);
      expect((await rawCall(gateway.operatorAddress!, path, { method: 'GET' })).status).toBe(401);
    }
  });

  test('is healthy by the commands of compose and of its image', async () => {
    const { port } = new URL(gateway.address);
    const { services } = parse(read('docker-compose.yml'), { merge: true });
    const [, ...ofCompose] = services.gateway.healthcheck.test as string[];
    const [, written] = /HEALTHCHECK [^]*?CMD (\[.*\])/.exec(read('Dockerfile'))!;
    for (const [program, ...args] of [ofCompose, JSON.parse(written)]) {
      expect(program).toBe('node');
      const here = args.map((arg: string) => arg.replace('127.0.0.1:3000', `127.0.0.1:${port}`));
      // It fails by its exit status.
      await run(process.execPath, here, { env: { PORT: port } });
    }
  });

  test('answers orchestrators by whatever name they ask, as Kubernetes does', async () => {
    const deployment = parseAllDocuments(read('k8s/base/services.yaml'))
      .map(document => document.toJS())
      .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'gateway');
    const [container] = deployment.spec.template.spec.containers;
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].flatMap(
      name => container[name]?.httpGet?.path ?? [],
    );
    expect(probes.length).toBeGreaterThan(1);
    for (const path of probes) expect((await ask(path, '10.0.0.7:3000')).status).toBe(200);
  });
});

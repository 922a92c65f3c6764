import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PublicUrls, TrustedProxies } from '@svc/edge';
import { MemoryBus, type RunningService } from '@svc/platform';
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { scriptedPayments, type PaymentsScript } from './payments-under-test.js';
import { rawCall } from './raw-call.js';

const workspace = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, workspace), 'utf8');

let gateway: RunningGateway;
let payments: RunningService;
let script: PaymentsScript;
beforeAll(async () => {
  const bus = new MemoryBus();
  const scripted = scriptedPayments();
  ({ script } = scripted);
  payments = await startServiceOn(bus, 'payments', { controllers: scripted.controllers });
  gateway = await startGatewayOn(bus, {
    production: true,
    securityContact: 'mailto:security@svc.example',
    rateLimits: {
      factor: 0,
      trustedProxies: new TrustedProxies([]),
      publicUrls: new PublicUrls(['https://svc.example', 'https://desks.svc.example']),
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await payments.close();
});

/** Asks with that `Host` alone. */
const ask = (path: string, host: string, method = 'GET') => rawCall(gateway.address, path, { method, host });

describe('a gateway that knows where the public reaches it', () => {
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
      }
    },
  );

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

  test('answers orchestrators by whatever name they ask, as compose and Kubernetes do', async () => {
    const compose = parse(read('docker-compose.yml'), { merge: true });
    const [, , , command] = compose.services.gateway.healthcheck.test as string[];
    const [, asked] = /fetch\('(http:[^']+)'\)/.exec(command)!;
    const { host, pathname } = new URL(asked);
    const deployment = parseAllDocuments(read('k8s/base/services.yaml'))
      .map(document => document.toJS())
      .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'gateway');
    const [container] = deployment.spec.template.spec.containers;
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].flatMap(
      name => container[name]?.httpGet?.path ?? [],
    );
    expect(probes.length).toBeGreaterThan(1);
    for (const path of [pathname, ...probes]) expect((await ask(path, host)).status).toBe(200);
    for (const path of probes) expect((await ask(path, '10.0.0.7:3000')).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type NatsServer, startNatsServer } from '../src/embedded/nats-server.js';
import { freePort } from '../src/embedded/postgres-process.js';
import { isSameProcess, processIdentity } from '../src/embedded/process-identity.js';
import { createLogger } from '../src/observability/logger.js';
import { currentTrace } from '../src/observability/trace-context.js';
import { itKeepsTheBusContract } from '../src/messaging/bus.contract.js';
import { NatsLink } from '../src/messaging/nats-link.js';
import type { Logger } from 'pino';

const logger = createLogger('gateway', { level: 'silent' });
const binary = findNatsServer();
const options = () => ({ timeoutMs: 5_000, traceparent: currentTrace().traceparent });

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 20));
}

if (!binary) {
  describe('the bus over NATS', () => {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
  });
} else {
  describe('the bus over NATS', () => {
    let dataDir: string;
    let server: NatsServer;

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'svc-nats-'));
      server = await startNatsServer({ binary, dataDir, logger });
    });
    afterAll(async () => {
      await server?.stop();
      await rm(dataDir, { recursive: true, force: true });
    });

    const open = async () => ({
      link: async (service: string) => {
        const link = new NatsLink({ url: server.url, token: server.token }, service, logger);
        await link.connect();
        return link;
      },
    });
    itKeepsTheBusContract(open, async (link, subject, bytes) => {
      const { data } = await (link as NatsLink).nats.request(subject, bytes, { timeout: 5_000 });
      return data;
    });

    it('says why a reply cannot be read', async () => {
      const link = await (await open()).link('prover');
      try {
        link.nats.subscribe('prover.garbles', { callback: (_error, message) => void message.respond('{}') });
        const reply = await link.request('prover.garbles', {}, options());
        expect(reply).toEqual({ ok: false, reason: expect.stringContaining('header') });
      } finally {
        await link.close();
      }
    });

    it('gives its token to nobody else', async () => {
      const { mode } = await stat(join(dataDir, 'nats', 'server.conf'));
      expect(mode & 0o777).toBe(0o600);
      const commandLine = await readFile(`/proc/${server.pid}/cmdline`, 'utf8').catch(() => '');
      expect(commandLine).not.toContain(server.token);
      const told: string[] = [];
      const warned = { warn: ({ reason }: { reason: string }) => void told.push(reason) };
      const stranger = new NatsLink(
        { url: server.url, token: 'guessed' },
        'gateway',
        warned as unknown as Logger,
      );
      const connecting = stranger.connect();
      connecting.catch(() => undefined);
      await until(() => told.length > 0 || stranger.connected);
      expect(told).toEqual([expect.stringMatching(/authorization/i)]);
      expect(stranger.connected).toBe(false);
      await stranger.close();
      await expect(connecting).rejects.toThrow();
    });

    it('waits for a server that starts later, fails fast while it is away, and heals by itself', async () => {
      const port = await freePort();
      const home = await mkdtemp(join(tmpdir(), 'svc-nats-'));
      const token = 'a'.repeat(64);
      const start = () => startNatsServer({ binary, dataDir: home, token, port, logger });
      const link = new NatsLink({ url: `nats://127.0.0.1:${port}`, token }, 'prover', logger);
      const connecting = link.connect();
      expect(link.connected).toBe(false);
      let running = await start();
      try {
        await connecting;
        link.listen('prover.late', 'prover', ({ respond }) => respond({ value: 'hello' }));
        await link.flush();
        const hello = { ok: true, value: { value: 'hello' } };
        expect(await link.request('prover.late', {}, options())).toEqual(hello);

        await running.stop();
        await until(() => !link.connected);
        await expect(
          link.request('prover.late', {}, { ...options(), timeoutMs: 60_000 }),
        ).rejects.toMatchObject({
          payload: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 },
        });

        running = await start();
        await until(() => link.connected);
        expect(await link.request('prover.late', {}, options())).toEqual(hello);
      } finally {
        await link.close();
        await running.stop();
        await rm(home, { recursive: true, force: true });
      }
    });

    it.each(['before', 'while'] as const)(
      'closes also when the server went away %s the drain',
      async when => {
        const home = await mkdtemp(join(tmpdir(), 'svc-nats-'));
        const running = await startNatsServer({ binary, dataDir: home, logger });
        const link = new NatsLink({ url: running.url, token: running.token }, 'prover', logger);
        try {
          await link.connect();
          link.listen('prover.echo', 'prover', ({ respond }) => respond({ value: null }));
          await link.flush();
          if (when === 'before') {
            await running.stop();
            await until(() => !link.connected);
          } else {
            await Promise.all([running.stop(), link.stopListening()]);
          }
          await link.close();
          await link.stopListening();
          expect(link.connected).toBe(false);
        } finally {
          await running.stop();
          await rm(home, { recursive: true, force: true });
        }
      },
    );

    it('ends the server that a killed run left behind in the same folder', async () => {
      const home = await mkdtemp(join(tmpdir(), 'svc-nats-'));
      const { pid } = await startNatsServer({ binary, dataDir: home, logger, supervised: false });
      const left = await processIdentity(pid);
      expect(await isSameProcess(left)).toBe(true);
      const next = await startNatsServer({ binary, dataDir: home, logger });
      try {
        // By its identity: its number stays for a moment, as that of a process that has ended.
        expect(await isSameProcess(left)).toBe(false);
      } finally {
        await next.stop();
        await rm(home, { recursive: true, force: true });
      }
    });
  });
}

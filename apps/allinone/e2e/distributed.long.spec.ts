// commit: none, seven processes start and lose bus and database one by one; see ./seven-processes.spec.ts
// watches: libs/platform/src/messaging, libs/platform/src/runtime, libs/platform/src/persistence
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pingProcedure, proverContract, type ServiceName } from '@svc/contracts';
import {
  BusClient,
  type BusLink,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  type NatsServer,
  openBusLink,
  startEmbeddedPostgres,
  startNatsServer,
  SECRET_VARIABLES,
} from '@svc/platform';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess, statusOf, until, untilStatus } from './processes.js';

const SERVICES = ['prover', 'snn', 'acoustic', 'mesh-signalling', 'payments', 'department'] as const;
const logger = createLogger('gateway', { level: 'silent' });
const binary = findNatsServer();
const SECRET = '8b0ebeeb171a1445182d8c12294118ba347b5c7ce0d221817286e903d3b17ec9';

if (!binary) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('services as processes of their own', () => {
    let folder: string;
    let natsPort: number;
    let postgresPort: number;
    let nats: NatsServer;
    let postgres: EmbeddedPostgres;
    let link: BusLink;
    let client: BusClient;
    const processes: AppProcess[] = [];

    const startNats = () =>
      startNatsServer({ binary, dataDir: folder, token: SECRET, port: natsPort, logger });
    const startPostgres = () =>
      startEmbeddedPostgres({ dataDir: join(folder, 'data'), port: postgresPort, logger, fsync: false });

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-distributed-'));
      await chmod(folder, 0o755);
      [natsPort, postgresPort] = [await freePort(), await freePort()];
      [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
      link = openBusLink({ kind: 'nats', url: nats.url, token: SECRET }, 'gateway', logger);
      await link.connect();
      client = new BusClient(link);
    });
    afterEach(async () => {
      await Promise.all(processes.splice(0).map(each => each.end()));
    });
    afterAll(async () => {
      await link?.close();
      await Promise.all([nats?.stop(), postgres?.stop()]);
      await rm(folder, { recursive: true, force: true });
    });

    async function launch(service: ServiceName): Promise<{ app: AppProcess; health: string }> {
      const healthPort = await freePort();
      const app = new AppProcess(service, {
        NATS_URL: `nats://127.0.0.1:${natsPort}`,
        NATS_TOKEN: SECRET,
        DATABASE_URL: postgres.urlFor(service),
        DATABASE_MIGRATION_URL: postgres.migrationUrlFor(service),
        HEALTH_PORT: String(healthPort),
        ...Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET])),
      });
      processes.push(app);
      return { app, health: `http://127.0.0.1:${healthPort}` };
    }
    const ping = (service: ServiceName) => client.call(pingProcedure(service), {});

    it.each(SERVICES)(
      '%s starts alone, answers on the bus, and drains on SIGTERM with exit code 0',
      async service => {
        const { app, health } = await launch(service);
        await untilStatus(`${health}/readyz`, 200);
        expect(await ping(service)).toMatchObject({ service, version: '2026.4.2' });
        app.signal('SIGTERM');
        expect(await app.exit()).toBe(0);
        await expect(ping(service)).rejects.toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
        expect(app.output).not.toMatch(/"level":"(error|fatal)"/);
      },
    );

    it('is not ready while NATS or Postgres is away, stays alive, and heals by itself', async () => {
      const { app, health } = await launch('payments');
      await untilStatus(`${health}/readyz`, 200);

      await nats.stop();
      await untilStatus(`${health}/readyz`, 503);
      expect(await statusOf(`${health}/livez`)).toBe(200);
      nats = await startNats();
      await untilStatus(`${health}/readyz`, 200);
      await until(
        () => link.connected,
        () => 'the test to be back on the bus',
      );
      expect(await ping('payments')).toMatchObject({ service: 'payments' });

      await postgres.stop();
      await untilStatus(`${health}/readyz`, 503);
      expect(await statusOf(`${health}/livez`)).toBe(200);
      postgres = await startPostgres();
      await untilStatus(`${health}/readyz`, 200);
      expect(app.hasExited).toBe(false);
    });

    it('waits for NATS and Postgres that are away at its start', async () => {
      await Promise.all([nats.stop(), postgres.stop()]);
      const { app, health } = await launch('payments');
      await untilStatus(`${health}/livez`, 200);
      expect(await statusOf(`${health}/readyz`)).toBe(503);
      nats = await startNats();
      await app.says(/Postgres is away; waiting for it/);
      expect(await statusOf(`${health}/readyz`)).toBe(503);
      postgres = await startPostgres();
      await untilStatus(`${health}/readyz`, 200);
      expect(app.output).not.toMatch(/\n\s+at /);
    });

    it('finishes the proof that it has begun before it exits on SIGTERM', async () => {
      const { app, health } = await launch('prover');
      await untilStatus(`${health}/readyz`, 200);
      const proving = client.call(proverContract.prove, {
        request: { traceData: 'drain', degree: 16_384 },
      });
      // Replies come in the order of delivery at the least: once the ping is answered, the proof was taken.
      await ping('prover');
      app.signal('SIGTERM');
      expect(await proving).toMatchObject({ status: 'VERIFIED_VALID', degree: 16_384 });
      expect(await app.exit()).toBe(0);
    });

    it('refuses a configuration with every fault named at once, and exit code 1', async () => {
      const app = new AppProcess('payments', {
        NATS_URL: 'http://nats',
        HEALTH_PORT: '99999',
        PAYMENTS_SECRET: 'short',
      });
      processes.push(app);
      expect(await app.exit()).toBe(1);
      expect(app.output).toMatch(/NATS_URL: must be nats:\/\/host:port/);
      expect(app.output).toMatch(/HEALTH_PORT: .*65535/);
      expect(app.output).toMatch(/PAYMENTS_SECRET: /);
      expect(app.output).not.toMatch(/\n\s+at /);
    });
  });
}

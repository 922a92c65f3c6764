// commit: none, the command and the service that waits for it are processes, a second of CPU each; see ../../../libs/platform/e2e/schema-migration.spec.ts
// watches: libs/platform/src/persistence, tools/deploy
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  type NatsServer,
  startNatsServer,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess, statusOf, untilStatus } from './processes.js';

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('a service without the password of the role that owns its tables', () => {
    let dataDir: string;
    let nats: NatsServer;
    let postgres: EmbeddedPostgres;
    const processes: AppProcess[] = [];
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'svc-migrate-'));
      [nats, postgres] = await Promise.all([
        startNatsServer({ binary: findNatsServer()!, dataDir }),
        startTemporaryPostgres(),
      ]);
    });
    afterAll(async () => {
      await Promise.all(processes.map(process => process.end()));
      await Promise.all([nats?.stop(), postgres?.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    });
    const start = (variables: Record<string, string>, args: string[] = []) => {
      const process = new AppProcess('prover', variables, args);
      processes.push(process);
      return process;
    };
    const migrate = () => start({ DATABASE_MIGRATION_URL: postgres.migrationUrlFor('prover') }, ['migrate']);

    it('is not ready and says what is missing, until the command has migrated and ended', async () => {
      const port = await freePort();
      const service = start({
        NATS_URL: nats.url,
        NATS_TOKEN: nats.token,
        DATABASE_URL: postgres.urlFor('prover'),
        AUDIT_SIGNING_SEEDS: 'a-secret-of-the-tests-of-32-characters',
        HEALTH_PORT: String(port),
      });
      await service.says(/Waiting for the migrations/);
      const ready = `http://127.0.0.1:${port}/readyz`;
      expect(await statusOf(ready)).toBe(503);
      const { checks } = (await (await fetch(ready)).json()) as { checks: Record<string, string> };
      expect(checks.postgres).toMatch(/the schema prover is not up to date: it lacks Proof1763700000000/);
      expect(await statusOf(`http://127.0.0.1:${port}/livez`)).toBe(200);

      expect(await migrate().exit()).toBe(0);
      await untilStatus(ready, 200);
      expect(await migrate().exit()).toBe(0);
    });

    it('names what the command needs where that is missing', async () => {
      const command = start({}, ['migrate']);
      expect(await command.exit()).toBe(1);
      expect(command.output).toContain('DATABASE_MIGRATION_URL');
    });
  });
}

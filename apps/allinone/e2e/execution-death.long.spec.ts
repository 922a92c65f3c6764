// commit: none, only a kill of the process shows it; see ../../prover/e2e/execution.spec.ts
// watches: apps/prover/src/execution
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionProofContract, proverContract } from '@svc/contracts';
import {
  BusClient,
  type BusLink,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  type NatsServer,
  openBusLink,
  startNatsServer,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { AppProcess } from './processes.js';

const { proveExecution, executionOutcome, revokeExecution } = executionProofContract;
/** Proofs that are ahead of the one that is asked for: some seconds of work. */
const AHEAD = 12;

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('an execution proof whose prover is killed, with another prover on NATS', () => {
    let dataDir: string;
    let nats: NatsServer;
    let postgres: EmbeddedPostgres;
    let link: BusLink;
    let client: BusClient;
    const provers: AppProcess[] = [];
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'svc-execution-'));
      [nats, postgres] = await Promise.all([
        startNatsServer({ binary: findNatsServer()!, dataDir }),
        startTemporaryPostgres(),
      ]);
      const bus = { kind: 'nats', url: nats.url, token: nats.token } as const;
      link = openBusLink(bus, 'gateway', createLogger('gateway', { level: 'silent' }));
      await link.connect();
      client = new BusClient(link);
    });
    afterAll(async () => {
      await Promise.all(provers.map(prover => prover.end()));
      await link?.close();
      await Promise.all([nats?.stop(), postgres?.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    });

    const startProver = async () => {
      const prover = new AppProcess('prover', {
        NATS_URL: nats.url,
        NATS_TOKEN: nats.token,
        DATABASE_URL: postgres.urlFor('prover'),
        DATABASE_MIGRATION_URL: postgres.migrationUrlFor('prover'),
        AUDIT_SIGNING_SEEDS: 'a-secret-of-the-tests-of-32-characters',
      });
      provers.push(prover);
      await prover.says(/The service answers on the bus/);
      return prover;
    };
    /** Of a size that waits behind the proofs of hash chains. */
    const statement = new Uint8Array(16_384).fill(0x5a);
    const callOf = (name: string) => ({
      ...{ idemKey: createHash('sha256').update(name).digest('hex'), statement, contextDomain: 'svc/test' },
    });
    /** Sets the end of the leases of the calls that run. */
    const leaseEndsIn = async (seconds: number) => {
      const database = await new DataSource({
        type: 'postgres',
        url: postgres.migrationUrlFor('prover'),
        extra: { options: '-c search_path=prover' },
      }).initialize();
      await database.query(
        `UPDATE idempotent_call SET lease_until = now() + make_interval(secs => $1) WHERE state = 'running'`,
        [seconds],
      );
      await database.destroy();
    };
    const outcomeOf = (name: string) =>
      client.call(executionOutcome, { idemKey: callOf(name).idemKey }).then(({ state }) => state);

    it('is free when the lease of the dead has ended, is made once, and stays revoked where it was', async () => {
      const doomed = await startProver();
      const ahead = Array.from({ length: AHEAD }, () =>
        client.call(proverContract.prove, { request: { traceData: 'ahead' } }),
      );
      const asked = [...ahead, ...['lost', 'undone'].map(name => client.call(proveExecution, callOf(name)))];
      // Some of them are lost with the one that dies.
      void Promise.allSettled(asked);
      for (const name of ['lost', 'undone']) {
        while ((await outcomeOf(name)) !== 'running') await delay(20);
      }
      // However long the other takes to start, the doomed does not come to its end, and its lease not to its own.
      doomed.signal('SIGSTOP');
      await leaseEndsIn(600);
      await startProver();
      doomed.signal('SIGKILL');
      expect(await doomed.exit()).toBe('SIGKILL');
      await leaseEndsIn(5);

      await expect(client.call(proveExecution, callOf('lost'))).rejects.toMatchObject({
        payload: { code: 'CONFLICT', retryAfterSeconds: 1, extensions: { state: 'running' } },
      });
      expect(await client.call(revokeExecution, { idemKey: callOf('undone').idemKey })).toEqual({
        was: 'running',
      });
      while ((await outcomeOf('lost')) === 'running') await delay(50);
      const proof = await client.call(proveExecution, callOf('lost'));
      expect(await client.call(proveExecution, callOf('lost'))).toEqual(proof);
      await expect(client.call(proverContract.fetchProof, proof)).resolves.toMatchObject({
        contextDomain: 'svc/test',
      });
      await expect(client.call(proveExecution, callOf('undone'))).rejects.toMatchObject({
        payload: { code: 'CONFLICT', extensions: { state: 'revoked' } },
      });
      expect(await outcomeOf('undone')).toBe('revoked');
    });
  });
}

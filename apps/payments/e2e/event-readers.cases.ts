import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { consumeEvents } from '@svc/client/events';
import { paymentsContract } from '@svc/contracts';
import {
  API_VERSION,
  BusClient,
  type BusLink,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  openBusLink,
  type RunningService,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres, HANGS_MS } from '@svc/platform/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paymentsService } from '../src/payments.service-definition.js';
import { payChallenge, SECRETS } from './payments-fixture.js';

const binary = findNatsServer();
const logger = createLogger('payments', { level: 'silent' });
const PASSWORD = 'p0123456789abcdef';
const response = { status: 200, contentType: 'text/plain', body: Buffer.from('the answer') };

export function describeEventReaders(): void {
  if (!binary) {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
  } else {
    describe('a reader of another team, with the NATS permissions of a deployment', () => {
      let folder: string;
      let port: number;
      let nats: ChildProcess;
      let postgres: EmbeddedPostgres;
      let service: RunningService;
      let link: BusLink;
      let bus: BusClient;
      let connection: NatsConnection;

      const busOf = (user: string) =>
        ({ kind: 'nats', url: `nats://127.0.0.1:${port}`, user, password: PASSWORD }) as const;
      function startNats(config: string): ChildProcess {
        const users = [...config.matchAll(/\$(NATS_PASSWORD_[A-Z_]+)/g)].map(([, name]) => [name, PASSWORD]);
        const env = { NATS_SERVER_NAME: 'test', ...Object.fromEntries(users) };
        return spawn(binary!, ['--config', join(folder, 'nats.conf')], { env, stdio: 'ignore' });
      }
      async function kill(): Promise<void> {
        const ended = new Promise(resolve => nats.once('exit', resolve));
        nats.kill('SIGKILL');
        await ended;
      }
      let config: string;
      beforeAll(async () => {
        [folder, port] = [await mkdtemp(join(tmpdir(), 'svc-readers-')), await freePort()];
        const deployed = await readFile(new URL('../../../k8s/base/nats.conf', import.meta.url), 'utf8');
        config = deployed
          .replace('port: 4222', `listen: "127.0.0.1:${port}"`)
          .replace('http: 8222\n', '')
          .replace('"/data"', JSON.stringify(join(folder, 'jetstream')));
        await writeFile(join(folder, 'nats.conf'), config);
        nats = startNats(config);
        postgres = await startTemporaryPostgres();
        service = await startService(paymentsService, {
          service: 'payments',
          version: API_VERSION,
          bus: busOf('payments'),
          ...postgres.urlsFor('payments'),
          production: false,
          secrets: SECRETS,
          logger,
        });
        link = openBusLink(busOf('gateway'), 'gateway', logger);
        await link.connect();
        bus = new BusClient(link);
        connection = await connect({
          servers: `127.0.0.1:${port}`,
          user: 'consumer',
          pass: PASSWORD,
          inboxPrefix: '_INBOX.consumer',
          maxReconnectAttempts: -1,
          reconnectTimeWait: 100,
        });
        const streams = (await jetstreamManager(connection, { checkAPI: false })).streams;
        let refused: unknown;
        const isThere = () =>
          streams.info('EVENTS').then(
            () => true,
            error => ((refused = String(error)), false),
          );
        // The service makes the stream once it leads, which is after it has started.
        await until(isThere, () => refused);
      });
      afterAll(async () => {
        await connection?.close();
        await link?.close();
        await service?.close();
        await postgres?.stop();
        await kill();
        await rm(folder, { recursive: true, force: true });
      });

      const reader = async () => ({
        jetstream: jetstream(connection),
        manager: await jetstreamManager(connection, { checkAPI: false }),
        durable: 'consumer-payment',
        filter: 'events.payment.>' as const,
        retryMs: 20,
        // An acknowledgement is lost with the server that is killed.
        ackWaitMs: 1_500,
      });
      async function sold(): Promise<string> {
        const { l402: credential } = await payChallenge(bus);
        const requestDigest = createHash('sha256').update(randomUUID()).digest('hex');
        const reply = await bus.call(paymentsContract.claim, {
          operationId: 'zk.prove',
          requestDigest,
          credential,
        });
        if (reply.outcome !== 'claimed') throw new Error(reply.outcome);
        const { claimId, attempt } = reply;
        await bus.call(paymentsContract.deliver, { claimId, attempt, response });
        return claimId;
      }
      async function until(holds: () => boolean | Promise<boolean>, what: () => unknown): Promise<void> {
        const deadlineMs = Date.now() + HANGS_MS;
        while (!(await holds())) {
          if (Date.now() > deadlineMs) throw new Error(`it did not come: ${JSON.stringify(what())}`);
          await new Promise(resolve => setTimeout(resolve, 20));
        }
      }

      it('gets what became of each payment, and goes on where it stopped', async () => {
        const told: string[] = [];
        const handler = async ({ event }: { event: { type: string; subject: string } }) => {
          told.push(`${event.subject} ${event.type}`);
        };
        const first = await sold();
        let reading = await consumeEvents(await reader(), handler);
        await until(
          () => told.length === 2,
          () => told,
        );
        await reading.stop();
        const second = await sold();
        reading = await consumeEvents(await reader(), handler);
        await until(
          () => told.length === 4,
          () => told,
        );
        await reading.stop();
        const both = ['svc.payment.claimed.v1', 'svc.payment.delivered.v1'];
        expect(told).toEqual([first, second].flatMap(claimId => both.map(type => `${claimId} ${type}`)));
      });

      it('puts aside what it cannot handle, in a place of its own', async () => {
        const claimId = await sold();
        const aside: string[] = [];
        const faults: string[] = [];
        const reading = await consumeEvents(
          {
            ...(await reader()),
            deliveriesMax: 2,
            onPutAside: (subject, _id, why) => aside.push(`${subject} ${why}`),
            onLost: error => faults.push(String(error)),
          },
          async () => {
            throw new Error('the books are closed');
          },
        );
        await until(
          () => aside.length === 2,
          () => [aside, faults],
        );
        await reading.stop();
        expect(aside).toEqual(Array(2).fill(`events.payment.${claimId} not-handled`));
        await expect(
          jetstream(connection).publish('events.payment.x', '{}', { timeout: 500 }),
        ).rejects.toThrow();
      });

      it('loses nothing when the server is killed while events are published', async () => {
        const told: string[] = [];
        const reading = await consumeEvents(await reader(), async ({ event }) => {
          told.push(`${event.subject} ${event.type.split('.')[2]}`);
        });
        const claimIds = [await sold(), await sold()];
        await kill();
        nats = startNats(config);
        let refused: unknown;
        // Sales fail until the gateway and the service have the server again.
        const sellsAgain = () =>
          sold().then(
            claimId => claimIds.push(claimId) === 4,
            error => ((refused = String(error)), false),
          );
        await until(sellsAgain, () => refused);
        const wanted = claimIds.flatMap(claimId => [`${claimId} claimed`, `${claimId} delivered`]);
        await until(
          () => wanted.every(each => told.includes(each)),
          () => [wanted, told],
        );
        await reading.stop();
      });
    });
  }
}

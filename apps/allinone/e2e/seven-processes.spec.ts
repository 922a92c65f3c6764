import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES, type ServiceName } from '@svc/contracts';
import {
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  startEmbeddedPostgres,
  SECRET_VARIABLES,
} from '@svc/platform';
import { consumeEvents } from '@svc/client/events';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, paidL402, payInvoice, post } from './paid-call.js';
import { AppProcess, Program, until, untilStatus, workspace } from './processes.js';

const logger = createLogger('gateway', { level: 'silent' });
const binary = findNatsServer();
const BODY = { traceData: 'seven processes', degree: 64, friBlowup: 8 };

/** Services with a schema and secrets of their own. */
const KEEPS_DATA: readonly ServiceName[] = [
  'prover',
  'acoustic',
  'mesh-signalling',
  'payments',
  'department',
];

/** A letter first, as nats-server wants a password that it reads from its environment. */
const natsPasswords = Object.fromEntries(
  SERVICES.map(service => [service, `p${randomBytes(16).toString('hex')}`]),
) as Record<ServiceName, string>;
/** Of a service of another team, which reads events. */
const readerPassword = `p${randomBytes(16).toString('hex')}`;
const secrets = Object.fromEntries(SECRET_VARIABLES.map(name => [name, randomBytes(32).toString('hex')]));

/** A NATS server that runs the permissions which are deployed: a user a service. */
async function startNats(folder: string, port: number): Promise<Program> {
  const deployed = await readFile(join(workspace, 'k8s/base/nats.conf'), 'utf8');
  const config = deployed
    .replace('port: 4222', `listen: "127.0.0.1:${port}"`)
    .replace('http: 8222\n', '')
    .replace('"/data"', JSON.stringify(join(folder, 'jetstream')));
  const path = join(folder, 'nats.conf');
  await writeFile(path, config);
  const passwords = SERVICES.map(service => [
    `NATS_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}`,
    natsPasswords[service],
  ]);
  const environment = {
    NATS_SERVER_NAME: 'test',
    NATS_PASSWORD_CONSUMER: readerPassword,
    ...Object.fromEntries(passwords),
  };
  const nats = new Program(binary!, ['--config', path], environment);
  await nats.says(/Server is ready/);
  return nats;
}

/** Log lines of a program that belong to a trace, as far as they have come: a pipe may lag behind an answer. */
function linesOf(program: Program, traceId: string): Record<string, unknown>[] {
  const whole = program.output.split('\n').slice(0, -1);
  const lines = whole.filter(line => line.includes(traceId));
  return lines.map(line => JSON.parse(line) as Record<string, unknown>);
}

if (!binary) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('seven processes with the NATS permissions and the Postgres roles of a deployment', () => {
    let folder: string;
    let natsPort: number;
    let postgresPort: number;
    let departmentPort: number;
    let nats: Program;
    let postgres: EmbeddedPostgres;
    let address: string;
    const running = new Map<ServiceName, AppProcess>();

    const startPostgres = () =>
      startEmbeddedPostgres({ dataDir: join(folder, 'data'), port: postgresPort, logger, fsync: false });
    function launch(service: ServiceName): AppProcess {
      const app = new AppProcess(service, {
        NATS_URL: `nats://127.0.0.1:${natsPort}`,
        NATS_USER: service,
        NATS_PASSWORD: natsPasswords[service],
        LOG_LEVEL: 'debug',
        ...(service === 'gateway' ? { HOST: '127.0.0.1', PORT: '0' } : {}),
        ...(service === 'department' ? { DEPARTMENT_PORT: String(departmentPort) } : {}),
        ...(KEEPS_DATA.includes(service)
          ? {
              DATABASE_URL: postgres.urlFor(service),
              DATABASE_MIGRATION_URL: postgres.migrationUrlFor(service),
            }
          : {}),
        ...(KEEPS_DATA.includes(service) ? secrets : {}),
      });
      running.set(service, app);
      return app;
    }
    const prove = (authorization: string, traceparent?: string): Promise<Answer> =>
      post(`${address}/v1/zk/prove`, BODY, { authorization, ...(traceparent ? { traceparent } : {}) });
    /** Pays for a tool as a saga, and has it run. */
    async function executed(tool: string, inputs: object): Promise<Answer> {
      const challenge = await fetch(`${address}/v1/x402/challenge?tool=${tool}`);
      const { invoice } = (await challenge.json()) as { invoice: string };
      const macaroon = /macaroon="([^"]+)"/.exec(challenge.headers.get('www-authenticate')!)![1];
      const authorization = `L402 ${macaroon}:${await payInvoice(address, invoice)}`;
      return post(`${address}/v1/x402/execute?tool=${tool}`, inputs, { authorization });
    }
    async function keyWithCredit(): Promise<Record<string, string>> {
      const admin = { 'x-svc-key': secrets.ADMIN_KEY };
      const { json: account } = await post(`${address}/v1/admin/accounts`, {}, admin);
      const one = `${address}/v1/admin/accounts/${String(account.accountId)}`;
      await post(`${one}/credit`, { amountMicroUsd: 10_000, reason: 'test' }, admin);
      return { 'x-svc-key': String((await post(`${one}/keys`, {}, admin)).json.key) };
    }
    const proofUrl = (answer: Answer) => `${address}/v1/stark/proofs/${answer.json.proofId as string}`;
    function expectUnavailable(answer: Answer): void {
      expect([answer.status, answer.json.paymentRetained]).toEqual([503, true]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-seven-'));
      await chmod(folder, 0o755);
      [natsPort, postgresPort, departmentPort] = [await freePort(), await freePort(), await freePort()];
      [nats, postgres] = await Promise.all([startNats(folder, natsPort), startPostgres()]);
      const apps = SERVICES.map(launch);
      await Promise.all(
        SERVICES.map((service, i) =>
          apps[i].says(service === 'gateway' ? /The gateway listens/ : /The service answers on the bus/),
        ),
      );
      [, address] = await running.get('gateway')!.says(/"address":"(http:[^"]+)"/);
      await untilStatus(`${address}/readyz`, 200);
    });
    afterAll(async () => {
      await Promise.all([...running.values()].map(app => app.end()));
      await Promise.all([nats?.end(), postgres?.stop()]);
      await rm(folder, { recursive: true, force: true });
    });

    it('sell a proof that verifies, and write one trace id in gateway, payments and prover', async () => {
      const traceId = randomBytes(16).toString('hex');
      const proved = await prove(await paidL402(address), `00-${traceId}-00f067aa0ba902b7-01`);
      expect([proved.status, proved.json.status]).toEqual([200, 'VERIFIED_VALID']);
      const { proof, publicInputs, airId } = proved.json;
      const verified = await post(`${address}/v1/stark/verify-proof`, { proof, publicInputs, airId });
      expect([verified.status, verified.json.valid]).toEqual([200, true]);

      const subjects = (service: ServiceName) =>
        linesOf(running.get(service)!, traceId).map(line => line.subject);
      await until(
        () =>
          subjects('prover').includes('prover.prove') &&
          subjects('payments').includes('payments.deliver') &&
          subjects('gateway').length > 0,
        () => `trace ${traceId} in the lines of gateway, prover and payments`,
      );
      expect(linesOf(running.get('gateway')!, traceId)).toMatchObject([
        { service: 'gateway', route: '/v1/zk/prove', status: 200 },
      ]);
    });

    it('sell a ring test, for which the department may ask payments for prices and the prover for evidence', async () => {
      const path = '/api/agent/verify-bullion';
      const body = { productId: 'krugerrand', massG: 33.93, peaksHz: [4_406, 8_652, 10_661, 18_532] };
      const authorization = await paidL402(address, path);
      const sold = await post(address + path, body, { authorization });
      expect([sold.status, sold.json.verdict, sold.json.charged]).toEqual([200, 'PASS', true]);
      const { auditProof } = sold.json;
      const verified = await post(`${address}/v1/stark/verify-proof`, { auditProof, result: sold.json });
      expect([verified.status, verified.json.valid]).toEqual([200, true]);
    });

    it('sell a task at the department’s own address, which the gateway tells of too', async () => {
      const direct = `http://127.0.0.1:${departmentPort}`;
      const path = '/departments/proofs';
      const authorization = await paidL402(direct, path, address);
      const body = { capability: 'zk.prove', task: { traceData: 'a task', degree: 64 } };
      const sold = await post(direct + path, body, { authorization, prefer: 'wait=25' });
      expect([sold.status, sold.json.status, sold.json.payment]).toEqual([200, 'COMPLETED', 'delivered']);
      const told = await fetch(`${address}${path}/tasks/${String(sold.json.taskId)}`);
      expect(((await told.json()) as Record<string, unknown>).status).toBe('COMPLETED');
      const keys = await fetch(`${direct}/.well-known/svc-callback-keys.json`);
      expect(((await keys.json()) as { keys: unknown[] }).keys).toHaveLength(1);
    });

    it('simulate by the route, at the desk within the quota, and by a tool as a saga, each asked by whoever may', async () => {
      const solve = (headers?: Record<string, string>) =>
        post(`${address}/v1/snn/solve`, { neuronCount: 1_000, iterations: 100, seed: 7 }, headers);
      const direct = await solve();
      expect(direct.status).toBe(200);
      const { status, headers } = await solve({ prefer: 'respond-async' });
      expect(status).toBe(202);
      let task: Record<string, unknown> = {};
      await until(
        async () => {
          task = (await (await fetch(address + headers.get('location')!)).json()) as typeof task;
          return task.status !== 'QUEUED' && task.status !== 'RUNNING';
        },
        () => `the end of a task: ${JSON.stringify(task)}`,
      );
      expect(task).toMatchObject({
        ...{ status: 'COMPLETED', payment: 'delivered', result: { stateHash: direct.json.stateHash } },
      });
      const parcel = { parcelId: 'plot 7', elevationContour: [1, 2, 3, 5] };
      const evaluated = await executed('evaluate_spatial_parcel_fep', parcel);
      expect([evaluated.status, evaluated.json.status]).toEqual([200, 'COMPLETED']);
      expect(evaluated.json.variationalFreeEnergy).toEqual(expect.any(Number));
    });

    it('pair by a sound that an emitter waits for, at the route, the desk and by a tool, each asked by whoever may', async () => {
      const key = await keyWithCredit();
      const band = { deviceId: 'door-7', frequencyBand: 'audible_fsk' };
      const beacons = `${address}/v1/acoustic/beacons`;
      const { json: emitter } = await post(beacons, { name: 'lobby' }, key);
      // The notice that a sound is there crosses the bus.
      const waiting = fetch(`${beacons}/${String(emitter.beaconKey)}/sound?waitMs=20000`, {
        headers: { authorization: `Bearer ${String(emitter.emitterSecret)}` },
      });
      const asked = { ...band, beaconKey: emitter.beaconKey };
      const { json: issued } = await post(`${address}/v1/acoustic/challenge`, asked);
      const sound = await waiting;
      expect([issued.assurance, sound.status]).toEqual(['beacon', 200]);
      const recordingBase64 = Buffer.from(await sound.arrayBuffer()).toString('base64');
      const { challengeNonce } = issued;
      const paired = await post(`${address}/v1/acoustic/verify-pairing`, {
        ...{ deviceId: band.deviceId, challengeNonce, recordingBase64 },
      });
      expect([paired.status, paired.json.assurance]).toEqual([200, 'beacon']);
      const task = { payloadHex: '0x48656c6c6f', baud: 300 };
      const desk = await post(
        `${address}/departments/acoustics`,
        { capability: 'acoustic.modulate', task },
        { ...key, prefer: 'wait=20' },
      );
      expect([desk.status, (desk.json.result as Record<string, unknown>)?.baud]).toEqual([200, 300]);
      const told = await executed('verify_acoustic_proximity_token', { ...band, challengeNonce });
      expect([told.status, told.json.pairingToken]).toEqual([200, paired.json.pairingToken]);
    });

    it('tell a reader of another team what became of payments, proofs and tasks, with a reader’s rights alone', async () => {
      const { proofId } = (await prove(await paidL402(address))).json;
      const connection = await connect({
        servers: `127.0.0.1:${natsPort}`,
        user: 'consumer',
        pass: readerPassword,
        inboxPrefix: '_INBOX.consumer',
      });
      const reader = {
        jetstream: jetstream(connection),
        manager: await jetstreamManager(connection, { checkAPI: false }),
      };
      const payments = new Map<string, string[]>();
      const tasks: string[] = [];
      const proofs: unknown[] = [];
      const faults: unknown[] = [];
      const told = {
        onPutAside: (...fault: unknown[]) => faults.push(fault),
        onLost: (e: unknown) => faults.push(e),
      };
      const reading = await Promise.all([
        consumeEvents(
          { ...reader, ...told, filter: 'events.payment.>', durable: 'consumer-payment' },
          async ({ event: { type, data } }) => {
            if (!('claimId' in data)) return;
            const { claimId, operationId } = data;
            payments.set(claimId, [...(payments.get(claimId) ?? []), `${operationId} ${type}`]);
          },
        ),
        consumeEvents(
          { ...reader, ...told, filter: 'events.task.>', durable: 'consumer-task' },
          async ({ event }) => {
            tasks.push(`${event.data.deptId} ${event.data.status}`);
          },
        ),
        consumeEvents(
          { ...reader, ...told, filter: 'events.proof.made.>', durable: 'consumer-proof' },
          async ({ event }) => {
            proofs.push(event.data.proofId);
          },
        ),
      ]);
      try {
        const sold = ['zk.prove svc.payment.claimed.v1', 'zk.prove svc.payment.delivered.v1'];
        await until(
          () =>
            [...payments.values()].filter(names => names.join() === sold.join()).length >= 3 &&
            tasks.includes('proofs COMPLETED') &&
            proofs.includes(proofId),
          () => `events of what was sold: ${JSON.stringify([[...payments], tasks, proofs, faults])}`,
        );
        expect(faults).toEqual([]);
        // It may ask no service, and look at no consumer but its own.
        await expect(connection.request('payments.ping', '', { timeout: 300 })).rejects.toThrow();
        await expect(reader.manager.consumers.info('EVENTS', 'another')).rejects.toThrow();
      } finally {
        await Promise.all(reading.map(each => each.stop()));
        await connection.close();
      }
    });

    it('answer 503 while the prover is killed, keep the payment, and take it when the prover is back', async () => {
      const stored = proofUrl(await prove(await paidL402(address)));
      const authorization = await paidL402(address);
      running.get('prover')!.signal('SIGKILL');
      expect(await running.get('prover')!.exit()).toBe('SIGKILL');
      await untilStatus(stored, 503);
      const away = await prove(authorization);
      expectUnavailable(away);
      expect(away.json.detail).toMatch(/^No service answers prover\.prove/);

      await launch('prover').says(/The service answers on the bus/);
      await untilStatus(stored, 200);
      const proved = await prove(authorization);
      expect([proved.status, proved.json.status]).toEqual([200, 'VERIFIED_VALID']);
    });

    it('answer 503 to a paid call while Postgres is stopped, and take the payment when it is back', async () => {
      const authorization = await paidL402(address);
      await postgres.stop();
      expectUnavailable(await prove(authorization));
      postgres = await startPostgres();
      await until(
        async () => (await prove(authorization)).status === 200,
        () => '200 with the payment of before',
      );
      for (const app of running.values()) expect(app.hasExited).toBe(false);
    });
  });
}

import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  createLogger,
  ENVELOPE_BYTES_MAX,
  findNatsServer,
  openBusLink,
  openPresenceBoard,
  openWorkQueue,
} from '@svc/platform';
import { natsConfig } from './nats-config.mjs';
import { freshSecrets } from './secrets.mjs';
import { TOPOLOGY, variableName } from './topology.mjs';

const binary = findNatsServer();
const services = Object.keys(TOPOLOGY);

describe('NATS permissions', { skip: binary ? false : 'nats-server is not installed' }, () => {
  const secrets = freshSecrets();
  const connections = [];
  let folder, server, port;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-nats-'));
    port = await freePort();
    const config = natsConfig().replace('"/data"', JSON.stringify(join(folder, 'jetstream')));
    writeFileSync(
      join(folder, 'nats.conf'),
      config.replace('port: 4222', `port: ${port}`).replace('http: 8222\n', ''),
    );
    server = spawn(binary, ['--config', join(folder, 'nats.conf'), '--addr', '127.0.0.1'], {
      env: { ...secrets, NATS_SERVER_NAME: 'test' },
      stdio: 'ignore',
    });
    while (!(await as('gateway').catch(() => undefined))) {
      assert.ok(server.exitCode === null, 'nats-server did not start');
      await setTimeout(50);
    }
  });
  afterEach(() => Promise.all(connections.splice(0).map(connection => connection.close())));
  after(async () => {
    const ended = new Promise(resolve => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  async function as(service, password = secrets[`NATS_PASSWORD_${variableName(service)}`]) {
    const options = { user: service, pass: password, inboxPrefix: `_INBOX.${service}`, reconnect: false };
    const connection = await connect({ ...options, servers: `127.0.0.1:${port}`, timeout: 2_000 });
    connections.push(connection);
    return connection;
  }

  /** A service that answers every request to it, in its queue group, as the platform listens. */
  async function answering(service) {
    const connection = await as(service);
    connection.subscribe(`${service}.ping`, {
      queue: service,
      callback: (_error, message) => message.respond(`from ${service}`),
    });
    await connection.flush();
    return connection;
  }

  /** The server's refusal of a subscription, or `allowed`: it answers what comes behind that in order. */
  async function refusalOf(connection, subject, options = {}) {
    let refusal = 'allowed';
    connection.subscribe(subject, { ...options, callback: error => error && (refusal = error.message) });
    await connection.flush();
    return refusal;
  }

  /** Whether a message that one service publishes to a subject arrives at its owner. */
  async function arrives(from, subject, owner) {
    let count = 0;
    const listener = await as(owner);
    listener.subscribe(subject, { queue: owner, callback: () => (count += 1) });
    await listener.flush();
    const sender = await as(from);
    sender.publish(subject, 'x');
    await sender.flush();
    await listener.flush();
    // Left open, it would take its share of the next message of its queue.
    await listener.close();
    return count === 1;
  }

  /** The stream, made by its owner where no test before has made it. */
  async function streamOfEvents(connection) {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    await manager.streams.add({
      name: 'EVENTS',
      subjects: ['events.>'],
      storage: 'memory',
      max_bytes: 1_048_576,
    });
    return jetstream(connection);
  }

  it('let through exactly the largest envelope that the platform reads', async () => {
    const { info } = await as('gateway');
    assert.equal(info.max_payload, ENVELOPE_BYTES_MAX);
  });

  it('let the gateway ask every service, and the service answer', async () => {
    const gateway = await as('gateway');
    for (const service of services.filter(name => name !== 'gateway')) {
      await answering(service);
      const answer = await gateway.request(`${service}.ping`, '', { timeout: 2_000 });
      assert.equal(answer.string(), `from ${service}`);
    }
  });

  it('tell the gateway at once when nobody answers', async () => {
    const gateway = await as('gateway');
    await assert.rejects(gateway.request('snn.solve', '', { timeout: 2_000 }), /no responders/i);
  });

  it('keep everybody but the gateway, and who has paid jobs and tasks, from delivering a payment', async () => {
    const settling = ['gateway', 'prover', 'department'];
    for (const service of services.filter(name => name !== 'payments')) {
      const may = settling.includes(service);
      assert.equal(await arrives(service, 'payments.deliver', 'payments'), may, service);
    }
  });

  /** Those that answer at an address of their own. */
  const sells = new Set(['gateway', 'department']);

  it('keep everybody without an HTTP address from claiming a payment', async () => {
    for (const service of services.filter(name => name !== 'payments')) {
      assert.equal(await arrives(service, 'payments.claim', 'payments'), sells.has(service), service);
    }
  });

  it('keep the gateway from crediting an account', async () => {
    assert.equal(await arrives('gateway', 'payments.award-credit', 'payments'), false);
    assert.equal(await arrives('department', 'payments.award-credit', 'payments'), true);
  });

  it('keep a service from listening on another’s subjects', async () => {
    const prover = await as('prover');
    assert.match(await refusalOf(prover, 'payments.claim', { queue: 'payments' }), /permission/i);
    assert.match(await refusalOf(prover, 'payments.>'), /permission/i);
    assert.match(await refusalOf(prover, '>'), /permission/i);
  });

  it('keep a service from listening on its own subjects outside its queue group', async () => {
    const prover = await as('prover');
    assert.match(await refusalOf(prover, 'prover.prove'), /permission/i);
    assert.match(await refusalOf(prover, 'prover.prove', { queue: 'other' }), /permission/i);
  });

  it('let every replica of a service hear what one of them tells all, and nobody else', async () => {
    const told = services.filter(name => TOPOLOGY[name].notices);
    assert.deepEqual(told, ['snn', 'acoustic', 'mesh-signalling']);
    for (const own of told) {
      const subject = `notices.${own}.told`;
      const heard = [0, 0];
      const listeners = [];
      for (const replica of heard.keys()) {
        const listener = await as(own);
        listeners.push(listener);
        // A refusal is told to the callback too.
        listener.subscribe(subject, { callback: error => (heard[replica] += error ? 0 : 1) });
        await listener.flush();
      }
      const sender = await as(own);
      sender.publish(subject, 'x');
      await sender.flush();
      for (const listener of listeners) await listener.flush();
      assert.deepEqual(heard, [1, 1]);
      for (const service of services.filter(name => name !== own)) {
        const other = await as(service);
        other.publish(subject, 'x');
        await other.flush();
        assert.match(await refusalOf(other, subject), /permission/i, service);
      }
      for (const listener of listeners) await listener.flush();
      assert.deepEqual(heard, [1, 1]);
      assert.match(await refusalOf(sender, 'notices.prover.>'), /permission/i);
    }
  });

  it('keep a service from reading another’s answers', async () => {
    const snn = await as('snn');
    assert.match(await refusalOf(snn, '_INBOX.gateway.>'), /permission/i);
    assert.match(await refusalOf(snn, '_INBOX.>'), /permission/i);
  });

  it('let a service publish nothing but one answer to a request it received', async () => {
    assert.equal(await arrives('prover', 'gateway.ping', 'gateway'), false);
    const prover = await as('prover');
    prover.subscribe('prover.job', {
      queue: 'prover',
      callback: (_error, message) => {
        message.respond('first');
        message.respond('second');
      },
    });
    await prover.flush();
    const gateway = await as('gateway');
    const answers = [];
    gateway.subscribe('_INBOX.gateway.twice', {
      callback: (_error, message) => answers.push(message.string()),
    });
    gateway.publish('prover.job', '', { reply: '_INBOX.gateway.twice' });
    await gateway.flush();
    await prover.flush();
    await gateway.flush();
    assert.deepEqual(answers, ['first']);
  });

  it('let payments make the stream of events, and publish into it what the log says', async () => {
    const payments = await as('payments');
    const manager = await jetstreamManager(payments, { checkAPI: false });
    const config = { name: 'EVENTS', subjects: ['events.>'], storage: 'memory' };
    await manager.streams.add(config);
    await manager.streams.update('EVENTS', { max_bytes: 1_048_576 });
    const events = jetstream(payments);
    for (const subject of ['events.saga.1', 'events.wal.checkpoint', 'events.payment.1'])
      assert.equal((await events.publish(subject, 'x', { timeout: 1_000 })).stream, 'EVENTS');
    await assert.rejects(events.publish('events.other', 'x', { timeout: 500 }));
    assert.equal((await manager.streams.info('EVENTS')).state.messages, 3);
  });

  it('let a reader of events have durable consumers of its own families, and handle what is in them', async () => {
    const payments = await as('payments');
    const events = await streamOfEvents(payments);
    await events.publish('events.saga.7', 'a record');
    const reader = await as('consumer');
    const manager = await jetstreamManager(reader, { checkAPI: false });
    await manager.consumers.add('EVENTS', {
      durable_name: 'consumer-saga',
      filter_subject: 'events.saga.7',
      ack_policy: 'explicit',
    });
    const consumer = await jetstream(reader).consumers.get('EVENTS', 'consumer-saga');
    const message = await consumer.next({ expires: 2_000 });
    assert.equal(message.string(), 'a record');
    assert.equal(await message.ackAck(), true);
    assert.equal((await consumer.info()).num_pending, 0);
    const dead = await jetstream(reader).publish('events.dead.consumer-saga.saga.7', 'x', { timeout: 1_000 });
    assert.equal(dead.stream, 'EVENTS');
  });

  it('keep a reader of events from everything else', async () => {
    const payments = await as('payments');
    await streamOfEvents(payments);
    const reader = await as('consumer');
    const refused = [
      // Another's consumer, more than its family, all of the stream, and consumers of the old form without a filter.
      ...['CREATE.EVENTS.other.events.saga.>', 'CREATE.EVENTS.consumer-saga.events.dead.>'],
      ...['CREATE.EVENTS.consumer-saga', 'CREATE.EVENTS', 'DURABLE.CREATE.EVENTS.consumer-saga'],
      ...['DELETE.EVENTS.consumer-saga', 'MSG.NEXT.EVENTS.other', 'LIST.EVENTS'],
    ].map(request => `CONSUMER.${request}`);
    for (const request of [
      ...refused,
      'INFO',
      'STREAM.DELETE.EVENTS',
      'STREAM.PURGE.EVENTS',
      'STREAM.MSG.GET.EVENTS',
    ])
      await assert.rejects(reader.request(`$JS.API.${request}`, '', { timeout: 300 }), request);
    for (const subject of ['events.saga.1', 'events.task.a.b', 'events.dead.other.saga.1'])
      await assert.rejects(jetstream(reader).publish(subject, 'x', { timeout: 300 }), subject);
    for (const service of services) {
      const owner = await as(service);
      let heard = 0;
      owner.subscribe(`${service}.ping`, { queue: service, callback: () => (heard += 1) });
      await owner.flush();
      reader.publish(`${service}.ping`, 'x');
      await reader.flush();
      await owner.flush();
      assert.equal(heard, 0, service);
    }
    assert.match(await refusalOf(reader, 'events.>'), /permission/i);
    assert.match(await refusalOf(reader, '_INBOX.payments.>'), /permission/i);
  });

  it('let nobody else publish an event', async () => {
    const payments = await as('payments');
    await streamOfEvents(payments);
    const manager = await jetstreamManager(payments, { checkAPI: false });
    const { messages } = (await manager.streams.info('EVENTS')).state;
    for (const service of services.filter(name => name !== 'payments')) {
      const other = await as(service);
      for (const subject of ['events.saga.1', 'events.wal.checkpoint', 'events.dead.a'])
        other.publish(subject, 'x');
      await other.flush();
    }
    assert.equal((await manager.streams.info('EVENTS')).state.messages, messages);
  });

  it('give no other service the JetStream API, and payments no more of it than that', async () => {
    for (const service of services.filter(name => name !== 'payments')) {
      const other = await as(service);
      for (const request of ['INFO', 'STREAM.LIST', 'STREAM.INFO.EVENTS', 'STREAM.CREATE.EVENTS'])
        await assert.rejects(other.request(`$JS.API.${request}`, '', { timeout: 300 }), service);
    }
    const payments = await as('payments');
    const refused = [
      'INFO',
      'STREAM.LIST',
      'STREAM.DELETE.EVENTS',
      'STREAM.PURGE.EVENTS',
      'STREAM.CREATE.OTHER',
    ];
    for (const request of [...refused, 'STREAM.MSG.DELETE.EVENTS', 'CONSUMER.DURABLE.CREATE.EVENTS.d'])
      await assert.rejects(payments.request(`$JS.API.${request}`, '', { timeout: 300 }), request);
  });

  /** The platform's own link, with a service's permissions. */
  async function linkOf(service) {
    const logger = createLogger(service, { level: 'silent' });
    const password = secrets[`NATS_PASSWORD_${variableName(service)}`];
    const url = `nats://127.0.0.1:${port}`;
    const opened = openBusLink({ kind: 'nats', url, user: service, password }, service, logger);
    await opened.connect();
    connections.push(opened);
    return { opened, logger };
  }

  /** The platform's own work queues, over a connection with a service's permissions. */
  async function workQueueOf(service, link = { close: async () => undefined }) {
    const { opened, logger } = await linkOf(service);
    link.close = () => opened.close();
    return openWorkQueue(opened, { owner: service, bytesMax: 8 * 1024 * 1024 }, logger);
  }

  for (const service of services.filter(name => TOPOLOGY[name].workQueues)) {
    it(`let ${service} have work queues of its own: added to, worked on, given back, put aside`, async () => {
      const link = {};
      const queue = await workQueueOf(service, link);
      const options = { queue: 'jobs', concurrency: 2, deliveriesMax: 2, retryMs: 1, ackWaitMs: 5_000 };
      const data = new Uint8Array(1);
      for (const id of ['good', 'poison']) await queue.add({ queue: 'jobs', id, data });
      let begun = 0;
      const held = await queue.consume(options, ({ signal, working }) => {
        begun += 1;
        working();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      });
      while (begun < 2) await setTimeout(5);
      await held.stop();
      const seen = [];
      const worker = await queue.consume({ ...options, ackWaitMs: 4_000 }, async ({ id }) => {
        seen.push(id);
        if (id === 'poison') throw new Error('cannot be done');
      });
      const dead = [];
      const grave = await queue.consumeDead('jobs', async ({ id }) => void dead.push(id));
      while ((await queue.depth('jobs')) > 0 || dead.length === 0) await setTimeout(20);
      await Promise.all([worker.stop(), grave.stop()]);
      await link.close();
      assert.deepEqual([seen.sort(), dead], [['good', 'poison', 'poison'], ['poison']]);
    });
  }

  it('keep work queues from every other service', async () => {
    const subjects = { department: 'dept.jobs.tasks.normal', prover: 'work.prover.jobs.tasks.normal' };
    const link = {};
    const owners = services.filter(name => TOPOLOGY[name].workQueues);
    assert.deepEqual(owners.sort(), Object.keys(subjects));
    for (const owner of owners) {
      const queue = await workQueueOf(owner, link);
      const before = await queue.depth('jobs');
      for (const service of services.filter(name => name !== owner)) {
        const other = await as(service);
        other.publish(subjects[owner], 'x');
        await other.flush();
        const stream = `WORK_${variableName(owner)}`;
        const requests = [`STREAM.INFO.${stream}`, `CONSUMER.MSG.NEXT.${stream}.jobs-normal`];
        for (const request of requests)
          await assert.rejects(other.request(`$JS.API.${request}`, '', { timeout: 300 }), service);
      }
      assert.equal(await queue.depth('jobs'), before, owner);
      await link.close();
    }
  });

  it('let the replicas of mesh signalling know who is there, by a board of their own that holds much', async () => {
    assert.deepEqual(
      services.filter(name => TOPOLOGY[name].presence),
      ['mesh-signalling'],
    );
    const boards = [];
    for (let i = 0; i < 2; i++) {
      const { opened, logger } = await linkOf('mesh-signalling');
      const settings = { owner: 'mesh-signalling', ttlMs: 60_000, bytesMax: 8 * 1024 * 1024 };
      // The second finds it otherwise than it wants it.
      boards.push(openPresenceBoard(opened, { ...settings, ttlMs: settings.ttlMs - i * 1_000 }, logger));
    }
    const [one, two] = boards;
    const there = new Map();
    const held = new Map();
    // More than the server sends before it hears that somebody keeps up.
    for (let i = 0; i < 500; i++) held.set(`peers.${i}`, await one.claim(`peers.${i}`, 'x'.repeat(8_000)));
    const watch = await two.watch('peers', ({ kind, key, value }) =>
      kind === 'put' ? there.set(key, value) : there.delete(key),
    );
    assert.equal(there.size, 500);
    assert.equal(await two.claim('peers.1', 'another'), undefined);
    const renewed = await one.renew('peers.1', 'renewed', held.get('peers.1').revision);
    assert.deepEqual(await two.get('peers.1'), { key: 'peers.1', value: 'renewed' });
    await one.release('peers.1', renewed.revision);
    assert.deepEqual([await one.count('peers'), await two.count('peers')], [499, 499]);
    assert.equal(there.has('peers.1'), false);
    watch.stop();
  });

  it('keep the board from every other service, and what is no use of it from mesh signalling', async () => {
    const { opened, logger } = await linkOf('mesh-signalling');
    const board = openPresenceBoard(opened, { owner: 'mesh-signalling', bytesMax: 8 * 1024 * 1024 }, logger);
    const { revision } = await board.claim('kept', 1);
    const stream = 'KV_mesh-signalling-presence';
    const subject = '$KV.mesh-signalling-presence.kept';
    for (const service of Object.keys(secrets)
      .map(name => /^NATS_PASSWORD_(.+)$/.exec(name)?.[1].toLowerCase().replaceAll('_', '-'))
      .filter(name => name && name !== 'mesh-signalling')) {
      const other = await as(service);
      other.publish(subject, '{}');
      await other.flush();
      const requests = [
        ...['INFO', 'CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.GET'].map(each => `STREAM.${each}.${stream}`),
        `DIRECT.GET.${stream}.${subject}`,
        `CONSUMER.CREATE.${stream}.tail.$KV.mesh-signalling-presence.>`,
      ];
      for (const request of requests)
        await assert.rejects(other.request(`$JS.API.${request}`, '', { timeout: 200 }), service);
      assert.match(await refusalOf(other, '$KV.mesh-signalling-presence.>'), /permission/i);
    }
    const own = await as('mesh-signalling');
    for (const request of [
      ...['DELETE', 'PURGE', 'MSG.DELETE'].map(each => `STREAM.${each}.${stream}`),
      ...['STREAM.CREATE.KV_other', 'STREAM.INFO.EVENTS', 'STREAM.LIST', 'INFO'],
    ])
      await assert.rejects(own.request(`$JS.API.${request}`, '', { timeout: 200 }), request);
    own.publish('$KV.snn-presence.a', '{}');
    await own.flush();
    assert.ok(await board.renew('kept', 2, revision));
    assert.deepEqual(await board.list('kept'), [{ key: 'kept', value: 2 }]);
  });

  it('refuse a wrong password, another’s password and no password', async () => {
    await assert.rejects(as('prover', 'wrong'), /authorization/i);
    await assert.rejects(as('prover', secrets.NATS_PASSWORD_SNN), /authorization/i);
    await assert.rejects(connect({ servers: `127.0.0.1:${port}`, reconnect: false }), /authorization/i);
  });
});

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

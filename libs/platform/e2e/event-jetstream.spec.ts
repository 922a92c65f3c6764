import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type NatsServer, startNatsServer } from '../src/embedded/nats-server.js';
import { createLogger } from '../src/observability/logger.js';
import { EVENTS_STREAM, JetStreamEvents } from '../src/messaging/event-jetstream.js';
import { itKeepsTheEventStreamContract } from '../src/messaging/event-stream.contract.js';
import { NatsLink } from '../src/messaging/nats-link.js';

const logger = createLogger('payments', { level: 'silent' });
const binary = findNatsServer();
const SETTINGS = { replicas: 1, bytesMax: 64 * 1024 * 1024 };

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 10));
}

if (!binary) {
  describe('events on JetStream', () => {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
  });
} else {
  describe('events on JetStream', () => {
    let home: string;
    let server: NatsServer;
    const links: NatsLink[] = [];

    const open = async (settings = SETTINGS) => {
      const link = new NatsLink({ url: server.url, token: server.token }, 'payments', logger);
      links.push(link);
      await link.connect();
      return { link, stream: new JetStreamEvents(link, settings, logger) };
    };
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'svc-events-'));
      server = await startNatsServer({ binary, dataDir: home, logger });
    });
    afterAll(async () => {
      await Promise.all(links.map(link => link.close()));
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });

    itKeepsTheEventStreamContract(async () => ({ open: async () => (await open()).stream }));

    it('makes the stream once when several begin together, and changes what is configured otherwise', async () => {
      const ends = await Promise.all(Array.from({ length: 4 }, () => open()));
      await Promise.all(ends.map(({ stream }) => stream.ensure()));
      const manager = await jetstreamManager(ends[0].link.nats);
      const { config } = await manager.streams.info(EVENTS_STREAM);
      expect(config).toMatchObject({
        subjects: ['events.>'],
        storage: 'file',
        retention: 'limits',
        discard: 'old',
        max_age: 7 * 24 * 3_600 * 1e9,
        duplicate_window: 600 * 1e9,
        num_replicas: 1,
        max_bytes: SETTINGS.bytesMax,
      });
      const larger = await open({ ...SETTINGS, bytesMax: 2 * SETTINGS.bytesMax });
      await larger.stream.ensure();
      expect((await manager.streams.info(EVENTS_STREAM)).config.max_bytes).toBe(2 * SETTINGS.bytesMax);
      await ends[0].stream.ensure();
    });

    it('still knows ids and consumers after its server was killed and started again', async () => {
      const { stream, link } = await open();
      await stream.ensure();
      const events = Array.from({ length: 300 }, (_, i) => ({
        subject: 'events.killed.a',
        id: `killed:${i}`,
        data: Buffer.from(String(i)),
      }));
      const seen: string[] = [];
      const subscription = await stream.subscribe(
        { filter: 'events.killed.>', durable: 'killed', ackWaitMs: 1_000 },
        async ({ id }) => void seen.push(id),
      );
      let killed = false;
      for (const [i, event] of events.entries()) {
        if (i === 100) {
          process.kill(server.pid, 'SIGKILL');
          killed = true;
        }
        // Published until it is stored, and some of them twice, as after an acknowledgement that was lost.
        for (let stored = 0; stored < (i % 7 === 0 ? 2 : 1);) {
          try {
            await stream.publish(event);
            stored++;
          } catch {
            await new Promise(resolve => setTimeout(resolve, 50));
          }
        }
      }
      expect(killed).toBe(true);
      expect(link.connected).toBe(true);
      for (const event of events.slice(0, 100)) await stream.publish(event);
      await until(() => new Set(seen).size === events.length);
      await subscription.stop();
      const { state } = await (
        await jetstreamManager(link.nats)
      ).streams.info(EVENTS_STREAM, {
        subjects_filter: 'events.killed.>',
      });
      expect(state.subjects).toEqual({ 'events.killed.a': events.length });
      const inOrder = seen.filter((id, i) => seen.indexOf(id) === i);
      expect(inOrder).toEqual(events.map(({ id }) => id));
    });

    it('puts aside what kills its consumers, without handing it out once more', async () => {
      const { stream } = await open();
      await stream.ensure();
      await stream.publish({ subject: 'events.killer.a', id: 'killer:1', data: new Uint8Array(1) });
      const options = { filter: 'events.killer.>', durable: 'killer', ackWaitMs: 300, deliveriesMax: 2 };
      const ends: Promise<void>[] = [];
      const release: (() => void)[] = [];
      for (const delivery of [1, 2]) {
        // A consumer that dies: its connection is cut while it is at work.
        const dying = await open();
        let begun = 0;
        const subscription = await dying.stream.subscribe(options, event => {
          begun = event.delivery;
          return new Promise(resolve => release.push(resolve));
        });
        await until(() => begun === delivery);
        await dying.link.nats.close();
        ends.push(subscription.stop());
      }
      const after: string[] = [];
      const dead: string[] = [];
      const graves = { filter: 'events.dead.killer.>', durable: 'grave' };
      const live = await stream.subscribe(options, async ({ id }) => void after.push(id));
      const grave = await stream.subscribe(graves, async ({ id }) => void dead.push(id));
      await until(() => dead.length > 0);
      for (const each of release) each();
      await Promise.all([...ends, live.stop(), grave.stop()]);
      expect({ after, dead }).toEqual({ after: [], dead: ['dead:killer:killer:1'] });
    });

    it('says SERVICE_UNAVAILABLE while it is away', async () => {
      const { stream, link } = await open();
      await link.close();
      const event = { subject: 'events.a', id: 'x', data: new Uint8Array(0) };
      for (const work of [stream.ensure(), stream.publish(event)])
        await expect(work).rejects.toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
    });
  });
}

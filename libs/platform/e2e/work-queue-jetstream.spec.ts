import { openWorkQueue } from '../src/messaging/open-work-queue.js';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type NatsServer, startNatsServer } from '../src/embedded/nats-server.js';
import { createLogger } from '../src/observability/logger.js';
import { NatsLink } from '../src/messaging/nats-link.js';
import { workNamesOf } from '../src/messaging/work-name.js';
import { itKeepsTheWorkQueueContract } from '../src/messaging/work-queue.contract.js';
import { type WorkQueueSettings } from '../src/messaging/work-queue.js';
import { byTier } from '../src/testing/by-tier.js';

const logger = createLogger('department', { level: 'silent' });
const binary = findNatsServer();
const BYTES_MAX = 64 * 1024 * 1024;
/** How soon a worker looks again, and asks a server anew that says nothing. */
const [IDLE_MS, ANSWER_MS] = byTier([20, 1_000], [500, 5_000]);

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 10));
}

if (!binary) {
  describe('work queues on JetStream', () => {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
  });
} else {
  describe('work queues on JetStream', () => {
    let home: string;
    let server: NatsServer;
    const links: NatsLink[] = [];

    const open = async (settings: Partial<WorkQueueSettings> = {}) => {
      const link = new NatsLink({ url: server.url, token: server.token }, 'department', logger);
      links.push(link);
      await link.connect();
      const times = { idleMs: IDLE_MS, answerMs: ANSWER_MS };
      const own = { owner: 'department', bytesMax: BYTES_MAX, ...times } as const;
      const queue = openWorkQueue(link, { ...own, ...settings }, logger);
      return { link, queue, kill: () => link.nats.close() };
    };
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'svc-work-'));
      server = await startNatsServer({ binary, dataDir: home, logger });
    });
    afterAll(async () => {
      await Promise.all(links.map(link => link.close()));
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });

    itKeepsTheWorkQueueContract(async () => ({ open }));

    it('makes its streams once when several begin together, and changes what is configured otherwise', async () => {
      const ends = await Promise.all(Array.from({ length: 4 }, () => open()));
      await Promise.all(ends.map(({ queue }) => queue.ensure()));
      const manager = await jetstreamManager(ends[0].link.nats);
      const { config } = await manager.streams.info('WORK_DEPARTMENT');
      expect(config).toMatchObject({
        subjects: ['dept.*.tasks.*'],
        storage: 'file',
        retention: 'workqueue',
        discard: 'new',
        discard_new_per_subject: true,
        max_age: 0,
        duplicate_window: 600 * 1e9,
        num_replicas: 1,
        max_bytes: BYTES_MAX,
        max_msgs_per_subject: 10_000,
      });
      const aside = await manager.streams.info('WORK_DEPARTMENT_ASIDE');
      expect(aside.config).toMatchObject({
        subjects: ['dept.*.dead', 'dept.*.returned.*'],
        retention: 'limits',
        discard: 'old',
        max_age: 7 * 24 * 3_600 * 1e9,
        max_bytes: BYTES_MAX / 8,
      });
      await (await open({ bytesMax: 2 * BYTES_MAX })).queue.ensure();
      expect((await manager.streams.info('WORK_DEPARTMENT')).config.max_bytes).toBe(2 * BYTES_MAX);
      await (await open()).queue.ensure();
    });

    it('shows a service its own queues alone', async () => {
      const [prover, department] = [await open({ owner: 'prover' }), await open()];
      await prover.queue.add({ queue: 'apart', id: 'a', data: new Uint8Array(0) });
      expect([await prover.queue.depth('apart'), await department.queue.depth('apart')]).toEqual([1, 0]);
      expect(workNamesOf('mesh-signalling')).toMatchObject({ stream: 'WORK_MESH_SIGNALLING' });
    });

    it('keeps its work when its server is killed, and nobody loses what is being worked on', async () => {
      const times = { idleMs: 500, answerMs: 5_000 };
      const { queue, link } = await open(times);
      const worker = await open(times);
      const count = 400;
      const done: string[] = [];
      const options = { queue: 'killed', concurrency: 8, ackWaitMs: 1_000, retryMs: 50, deliveriesMax: 100 };
      let letGo = () => undefined as void;
      const gate = new Promise<void>(resolve => (letGo = resolve));
      let held = 0;
      const consumer = await worker.queue.consume(options, async ({ id, data }) => {
        // What is worked on when the server is killed.
        if (Number(Buffer.from(data).toString()) >= 100) {
          held++;
          await gate;
        }
        done.push(id);
      });
      let doneBefore = 0;
      for (let i = 0; i < count; i++) {
        if (i === 150) {
          await until(() => held > 0);
          process.kill(server.pid, 'SIGKILL');
          doneBefore = done.length;
          letGo();
        }
        const item = { queue: 'killed', id: `killed-${i}`, data: Buffer.from(String(i)) };
        // Added until it is stored, and some of it twice, as after an acknowledgement that was lost.
        for (let stored = 0; stored < (i % 7 === 0 ? 2 : 1);) {
          try {
            await queue.add(item);
            stored++;
          } catch {
            await new Promise(resolve => setTimeout(resolve, 50));
          }
        }
      }
      await until(async () => (await queue.depth('killed').catch(() => 1)) === 0);
      await consumer.stop();
      // A worker that begins clears away what the killed server still has of work that is done.
      await (await worker.queue.consume(options, async () => undefined)).stop();
      const manager = await jetstreamManager(link.nats);
      const { state } = await manager.streams.info('WORK_DEPARTMENT', { subjects_filter: 'dept.killed.>' });
      expect(state.subjects ?? {}).toEqual({});
      expect(link.connected).toBe(true);
      expect(new Set(done).size).toBe(count);
      // The killed server had acknowledgements in memory alone: what was done before may be done once more, and little else.
      expect(done.length).toBeLessThan(count + doneBefore + 50);
    });

    it('makes its streams again when another server has none of them', async () => {
      const { queue, link } = await open({ owner: 'acoustic' });
      const seen: string[] = [];
      const consumer = await queue.consume(
        { queue: 'q', concurrency: 1 },
        async ({ id }) => void seen.push(id),
      );
      await queue.add({ queue: 'q', id: 'a', data: new Uint8Array(0) });
      await until(() => seen.length === 1);
      const manager = await jetstreamManager(link.nats);
      await manager.streams.delete('WORK_ACOUSTIC');
      await queue.add({ queue: 'q', id: 'b', data: new Uint8Array(0) });
      await until(() => seen.length === 2);
      await consumer.stop();
    });

    it('refuses work beyond its size in bytes', async () => {
      const { queue } = await open({ owner: 'snn', bytesMax: 256 * 1024 });
      const data = new Uint8Array(60 * 1024);
      const added = [];
      for (let i = 0; i < 6; i++) added.push(queue.add({ queue: 'q', id: String(i), data }));
      const refused = (await Promise.allSettled(added)).filter(({ status }) => status === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      for (const each of refused) expect(each).toMatchObject({ reason: { payload: { code: 'QUEUE_FULL' } } });
    });
  });
}

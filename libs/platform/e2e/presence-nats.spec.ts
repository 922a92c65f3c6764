import { openPresenceBoard } from '../src/presence/open-presence-board.js';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type NatsServer, startNatsServer } from '../src/embedded/nats-server.js';
import { NatsLink } from '../src/messaging/nats-link.js';
import { createLogger } from '../src/observability/logger.js';
import { itKeepsThePresenceContract, patiently, until } from '../src/presence/presence-board.contract.js';
import { type PresenceChange, type PresenceSettings } from '../src/presence/presence-board.js';
import { presenceNamesOf } from '../src/presence/presence-key.js';
import { sequenceOf } from '../src/presence/presence-record.js';
import { ServerClock } from '../src/presence/server-clock.js';
import { byTier } from '../src/testing/by-tier.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });
const binary = findNatsServer();
const TTL_MS = byTier(700, 1_500);
/** Two that are missed are waited for where the bucket is lost. */
const HEARTBEAT_MS = byTier(250, 1_000);
const BYTES_MAX = 5 * 1024 * 1024;

if (!binary) {
  describe('presence on NATS', () => {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
  });
} else {
  describe('presence on NATS', () => {
    let home: string;
    let server: NatsServer;
    const links: NatsLink[] = [];

    const open = async (settings: Partial<PresenceSettings> = {}) => {
      const link = new NatsLink({ url: server.url, token: server.token }, 'mesh-signalling', logger);
      links.push(link);
      await link.connect();
      const owner = 'mesh-signalling';
      const board = openPresenceBoard(
        link,
        { owner, ttlMs: TTL_MS, bytesMax: BYTES_MAX, ...settings },
        logger,
      );
      return { link, board, kill: () => link.nats.close() };
    };
    const managerOf = ({ link }: { link: NatsLink }) => jetstreamManager(link.nats);

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'svc-presence-'));
      server = await startNatsServer({ binary, dataDir: home, logger });
    });
    afterAll(async () => {
      await Promise.all(links.map(link => link.close()));
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });

    itKeepsThePresenceContract(async () => ({ ttlMs: TTL_MS, open }));

    it('makes its bucket once when several begin together, and changes what is configured otherwise', async () => {
      const owner = 'acoustic';
      const ends = await Promise.all(Array.from({ length: 4 }, () => open({ owner, ttlMs: 60_000 })));
      await Promise.all(ends.map(({ board }) => board.count('')));
      const manager = await managerOf(ends[0]);
      const { stream } = presenceNamesOf(owner);
      const config = async () => (await manager.streams.info(stream)).config;
      expect(await config()).toMatchObject({
        name: 'KV_acoustic-presence',
        subjects: ['$KV.acoustic-presence.>'],
        storage: 'memory',
        max_msgs_per_subject: 1,
        max_age: 60 * 1e9,
        duplicate_window: 60 * 1e9,
        max_bytes: BYTES_MAX,
        num_replicas: 1,
        allow_direct: false,
        discard: 'new',
      });
      await (await open({ owner, ttlMs: 1_000, bytesMax: 1024 * 1024 })).board.count('');
      expect(await config()).toMatchObject({
        max_age: 1e9,
        duplicate_window: 1e9,
        max_bytes: 1024 * 1024,
      });
      await (await open({ owner, ttlMs: 600_000 })).board.count('');
      expect(await config()).toMatchObject({ max_age: 600 * 1e9, duplicate_window: 120 * 1e9 });
    });

    it('shows a service its own entries alone', async () => {
      const [snn, prover] = [await open({ owner: 'snn' }), await open({ owner: 'prover' })];
      expect(await snn.board.claim('a', 1)).toBeDefined();
      expect([await snn.board.count(''), await prover.board.count('')]).toEqual([1, 0]);
      expect(await prover.board.claim('a', 1)).toBeDefined();
    });

    it('shows nothing longer than it lives, and gives it to another, though the server never removes it', async () => {
      const ends = [await open({ owner: 'prover' }), await open({ owner: 'prover' })];
      const [a, b] = ends.map(({ board }) => board);
      await a.count('');
      await b.count('');
      await (await managerOf(ends[0])).streams.update('KV_prover-presence', { max_age: 3_600 * 1e9 });
      const gone: PresenceChange[] = [];
      await b.watch('late', change => void (change.kind === 'gone' && gone.push(change)));
      const { revision } = (await a.claim('late.x', 1))!;
      await until(async () => (await b.get('late.x')) === undefined);
      expect([await b.list('late'), await b.count('late'), await a.list('late')]).toEqual([[], 0, []]);
      expect(await a.renew('late.x', 2, revision)).toBeUndefined();
      await until(() => gone.length === 1);
      const manager = await managerOf(ends[0]);
      const stored = await manager.streams.getMessage('KV_prover-presence', {
        last_by_subj: '$KV.prover-presence.late.x',
      });
      expect(stored?.seq).toBe(sequenceOf(revision));
      const claims = Array.from({ length: 50 }, (_, i) => ends[i % 2].board.claim('late.x', i));
      expect((await Promise.all(claims)).filter(each => each !== undefined)).toHaveLength(1);
      // Who joins reads what has expired too, and does not show it.
      await until(async () => (await a.get('late.x')) === undefined);
      expect(await (await open({ owner: 'prover' })).board.list('late')).toEqual([]);
    });

    it('does not mind a clock that is wrong or set', async () => {
      const { board } = await open();
      await board.claim('clock.a', 1);
      const now = Date.now;
      const wrong = jest.spyOn(Date, 'now');
      try {
        for (const offMs of [-86_400_000, 86_400_000]) {
          wrong.mockImplementation(() => now() + offMs);
          expect(await board.get('clock.a')).toBeDefined();
          expect(await board.claim('clock.a', 2)).toBeUndefined();
          const joined = (await open()).board;
          expect(await joined.count('clock')).toBe(1);
          expect(await joined.claim('clock.a', 2)).toBeUndefined();
        }
      } finally {
        wrong.mockRestore();
      }
    });

    it('has lost all after its server was killed: renewals say so, holders claim again, and watchers are told', async () => {
      const settings = { ttlMs: 60_000 };
      const [holder, other] = [await open(settings), await open(settings)];
      const told: string[] = [];
      await other.board.watch('killed', change => void told.push(`${change.kind} ${change.key}`));
      const held = (await holder.board.claim('killed.a', 1))!;
      await holder.board.claim('killed.b', 1);
      await until(() => told.length === 2);
      process.kill(server.pid, 'SIGKILL');
      await until(() => !holder.link.connected);
      expect(await patiently(() => holder.board.renew('killed.a', 1, held.revision))).toBeUndefined();
      expect(await patiently(() => holder.board.claim('killed.a', 1))).toBeDefined();
      await until(() => told.at(-1) === 'gone killed.b' || told.includes('gone killed.b'));
      expect(await patiently(() => other.board.list('killed'))).toEqual([{ key: 'killed.a', value: 1 }]);
      await patiently(() => holder.board.claim('killed.c', 1));
      await until(() => told.includes('put killed.c'));
      // What was there before and is again may have been told as gone meanwhile, or not.
      expect(told.filter(each => !each.endsWith('.a')).slice(-3)).toEqual([
        'put killed.b',
        'gone killed.b',
        'put killed.c',
      ]);
    });

    it('refuses a revision from before its server was killed, also where its sequence is another’s now', async () => {
      const settings = { owner: 'department', ttlMs: 60_000 } as const;
      const { board, link } = await open(settings);
      for (let i = 0; i < 5; i++) await board.claim(`before.${i}`, i);
      const old = (await board.claim('again.a', 'old'))!;
      process.kill(server.pid, 'SIGKILL');
      await until(() => !link.connected);
      await until(() => link.connected);
      const fresh = await open(settings);
      let current = (await fresh.board.claim('again.b', 0))!;
      while (sequenceOf(current.revision)! < sequenceOf(old.revision)! - 1)
        current = (await fresh.board.renew('again.b', 0, current.revision))!;
      const taken = (await fresh.board.claim('again.a', 'new'))!;
      expect(sequenceOf(taken.revision)).toBe(sequenceOf(old.revision));
      expect(await board.renew('again.a', 'old', old.revision)).toBeUndefined();
      await board.release('again.a', old.revision);
      expect(await board.get('again.a')).toEqual({ key: 'again.a', value: 'new' });
    });

    it('goes on when the bucket or its consumer is gone while the link stands', async () => {
      const settings = { owner: 'payments', ttlMs: 60_000, heartbeatMs: HEARTBEAT_MS } as const;
      const [one, two] = [await open(settings), await open(settings)];
      const there = new Set<string>();
      let gone = 0;
      await two.board.watch('', ({ kind, key }) => {
        if (kind === 'put') there.add(key);
        else gone += Number(there.delete(key));
      });
      // So much that it comes in parts.
      const large = Array.from({ length: 300 }, (_, i) => `large.${i}`);
      await Promise.all(large.map(key => one.board.claim(key, 'x'.repeat(8_000))));
      await one.board.claim('a', 1);
      await until(() => there.size === 301);
      const manager = await managerOf(one);
      const { stream } = presenceNamesOf('payments');
      const consumers = async () => {
        const names = [];
        for await (const { name } of manager.consumers.list(stream)) names.push(name);
        return names;
      };
      for (const name of await consumers()) await manager.consumers.delete(stream, name);
      await one.board.claim('b', 1);
      // Nobody has told it yet that its consumer is gone.
      expect(await one.board.count('')).toBe(302);
      await until(() => there.has('b'));
      expect(gone).toBe(0);
      await manager.streams.delete(stream);
      expect(await one.board.claim('c', 1)).toBeDefined();
      expect(await one.board.list('')).toEqual([{ key: 'c', value: 1 }]);
      await until(() => there.size === 1 && there.has('c'));
      expect(await two.board.count('')).toBe(1);
      await until(async () => (await consumers()).length === 2);
    });

    it('is full at its bound, and renews all the same', async () => {
      const settings = { owner: 'snn', bytesMax: 64 * 1024, ttlMs: 60_000 } as const;
      const { board } = await open(settings);
      const value = 'x'.repeat(7_000);
      const claims = [];
      for (let i = 0; i < 12; i++) claims.push(await board.claim(`full.${i}`, value).catch(error => error));
      const held = claims.filter(claim => 'revision' in claim);
      expect(held.length).toBeGreaterThan(5);
      expect(held.length).toBeLessThan(12);
      expect(claims.at(-1)).toMatchObject({ payload: { code: 'OVERLOADED', retryAfterSeconds: 1 } });
      const renewed = (await board.renew('full.0', value, held[0].revision))!;
      await board.release('full.0', renewed.revision);
      expect(await board.count('full')).toBe(held.length - 1);
      expect(await board.claim('full.again', value)).toBeDefined();
    });

    it('passes over what is none of its records', async () => {
      const { board, link } = await open({ owner: 'gateway' });
      expect(await board.claim('ours', 1)).toBeDefined();
      const store = await new Kvm(jetstream(link.nats)).open('gateway-presence');
      const foreign = [
        '',
        '{',
        'null',
        '[]',
        '{"mark":"x","value":1}',
        '{"value":1}',
        `"${'x'.repeat(20_000)}"`,
      ];
      for (const [i, text] of foreign.entries()) await store.put(`theirs.${i}`, text);
      await store.put('theirs.bytes', new Uint8Array([0xff, 0xfe, 0x7b]));
      expect(await board.list('')).toEqual([{ key: 'ours', value: 1 }]);
      expect(await board.get('theirs.1')).toBeUndefined();
      expect(await board.claim('theirs.1', 1)).toBeUndefined();
      expect(await (await open({ owner: 'gateway' })).board.count('')).toBe(1);
    });

    it('shows who joins all of it, though it is large and changes meanwhile', async () => {
      const settings = { owner: 'acoustic', ttlMs: 60_000 } as const;
      const { board } = await open(settings);
      const value = 'x'.repeat(8_000);
      const keys = Array.from({ length: 400 }, (_, i) => `large.${i}`);
      const held = await Promise.all(keys.map(async key => (await board.claim(key, value))!.revision));
      let churning = true;
      const churn = (async () => {
        for (let i = 0; churning; i = (i + 1) % 200) {
          const renewed = (await board.renew(keys[i], value, held[i]))!;
          await board.release(keys[i], renewed.revision);
          held[i] = (await board.claim(keys[i], value))!.revision;
        }
      })();
      const joined = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const end = await open(settings);
          const there = new Set<string>();
          await end.board.watch(
            'large',
            ({ kind, key }) => void (kind === 'put' ? there.add(key) : there.delete(key)),
          );
          // All but the one that is released and not yet claimed again.
          expect(there.size).toBeGreaterThanOrEqual(399);
          return { end, there };
        }),
      );
      churning = false;
      await churn;
      const [{ end: reader }] = joined;
      for (let round = 0; round < 3; round++) {
        const renewals = keys.slice(0, 100).map((key, i) => board.renew(key, `${round} ${value}`, held[i]));
        for (const [i, renewed] of (await Promise.all(renewals)).entries()) held[i] = renewed!.revision;
        const there = await reader.board.list('large');
        expect(there.filter(each => each.value === `${round} ${value}`)).toHaveLength(100);
      }
      for (const { end, there } of joined) {
        expect(await end.board.count('large')).toBe(400);
        await until(() => there.size === 400);
      }
    });

    it('waits for what was done before the question, though the delivery of it is slow', async () => {
      const settings = { owner: 'prover', ttlMs: 60_000 } as const;
      const [writer, { board, link }] = [await open(settings), await open(settings)];
      const subscribe = link.nats.subscribe.bind(link.nats);
      const slow = jest.spyOn(link.nats, 'subscribe').mockImplementation((subject, options) => {
        const deliver = options!.callback!;
        const callback: typeof deliver = (error, message) =>
          void setTimeout(() => deliver(error, message), 50);
        return subscribe(subject, { ...options, callback });
      });
      await writer.board.claim('slow.0', 0);
      expect(await board.list('slow')).toEqual([{ key: 'slow.0', value: 0 }]);
      expect(slow).toHaveBeenCalledTimes(1);
      for (let i = 1; i < 5; i++) {
        await writer.board.claim(`slow.${i}`, i);
        expect(await board.count('slow')).toBe(i + 1);
      }
    });

    it('keeps an entry for its lifetime by the clock of the server, and gives it to another once that is surely over', async () => {
      const ttlMs = 60_000;
      const settings = { owner: 'payments', ttlMs } as const;
      const [holder, other] = [await open(settings), await open(settings)];
      await holder.board.claim('lifetime', 1);
      const store = await new Kvm(other.link.nats).open(presenceNamesOf('payments').bucket);
      const endMs = (await store.get('lifetime'))!.created.getTime() + ttlMs;
      const shownAt = async (ms: number) => {
        const latest = jest.spyOn(ServerClock.prototype, 'latestMs').mockReturnValue(ms);
        const found = await other.board.get('lifetime').finally(() => latest.mockRestore());
        return found?.value;
      };
      const givenAt = async (ms: number) => {
        const earliest = jest.spyOn(ServerClock.prototype, 'earliestMs').mockReturnValue(ms);
        const claim = await other.board.claim('lifetime', 2).finally(() => earliest.mockRestore());
        return claim !== undefined;
      };
      expect([await shownAt(endMs - 1), await shownAt(endMs)]).toEqual([1, undefined]);
      // What the server says is cut to milliseconds.
      expect([await givenAt(endMs), await givenAt(endMs + 1)]).toEqual([false, true]);
      expect(await holder.board.get('lifetime')).toEqual({ key: 'lifetime', value: 2 });
    });

    it('does not hold up the end of its link', async () => {
      const { board, link } = await open({ owner: 'prover' });
      const other = await open({ owner: 'prover' });
      const manager = await managerOf(other);
      await other.board.count('');
      const count = async () => (await manager.streams.info('KV_prover-presence')).state.consumer_count;
      const before = await count();
      await board.watch('', () => undefined);
      expect(await count()).toBe(before + 1);
      await link.close();
      expect(link.connected).toBe(false);
      await expect(board.count('')).rejects.toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
    });
  });
}

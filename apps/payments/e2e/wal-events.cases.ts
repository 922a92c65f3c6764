import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Checkpoint,
  checkSignature,
  isIncluded,
  parseCheckpointLine,
  verifyChain,
  type WalHead,
  type WalRecord,
} from '@svc/durability';
import type { DeliveredEvent, EventStream, EventSubscription, StreamEvent } from '@svc/platform';
import { byTier, startOwnPostgres } from '@svc/platform/testing';
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WalInclusions } from '../src/wal/wal-inclusion.js';
import {
  jetStream,
  keys,
  memoryStream,
  natsBinary,
  openLogDatabase,
  partsOf,
  type StreamFixture,
  until,
  watched,
  WalFixture,
} from './wal-fixture.js';

/** Servers that are killed, and every death of the relay over NATS; at commit the relay dies in process. */
const KILLS = byTier(false, true);
const FATES = ['completed', 'aborted', 'stuck', 'resumed', 'running'] as const;

/** What a consumer makes of the events alone. */
class Reader {
  readonly sagas = new Map<string, WalRecord[]>();
  readonly checkpoints: { checkpoint: Checkpoint; leaves: readonly WalHead[] }[] = [];
  /** Deliveries of what was delivered before. */
  again = 0;
  private readonly ids = new Set<string>();
  private subscriptions: EventSubscription[] = [];

  async begin(stream: EventStream): Promise<this> {
    const durable = `reader-${randomUUID().slice(0, 8)}`;
    for (const [name, filter] of [
      ['sagas', 'events.saga.*'],
      ['wal', 'events.wal.>'],
    ]) {
      this.subscriptions.push(
        await stream.subscribe(
          { filter, durable: `${durable}-${name}`, retryMs: 20, ackWaitMs: 1_000 },
          event => this.take(event),
        ),
      );
    }
    return this;
  }

  private async take({ id, subject, data }: DeliveredEvent): Promise<void> {
    if (this.ids.has(id)) {
      this.again++;
      return;
    }
    this.ids.add(id);
    const text = Buffer.from(data).toString();
    if (subject === 'events.wal.checkpoint') {
      const entry = parseCheckpointLine(text.trimEnd());
      this.checkpoints.push({ checkpoint: entry!.checkpoint, leaves: entry!.leaves! });
      return;
    }
    const record = JSON.parse(text) as WalRecord;
    expect(subject).toBe(`events.saga.${record.sagaId}`);
    expect(id).toBe(`${record.sagaId}:${record.seq}`);
    this.sagas.set(record.sagaId, [...(this.sagas.get(record.sagaId) ?? []), record]);
  }

  get records(): number {
    return [...this.sagas.values()].reduce((sum, records) => sum + records.length, 0);
  }

  async end(): Promise<void> {
    await Promise.all(this.subscriptions.map(each => each.stop()));
    this.subscriptions = [];
  }

  /** Every record once and in order, every chain whole, every checkpoint signed, linked, and of heads that there are. */
  async holdsExactly(written: readonly WalRecord[][]): Promise<void> {
    expect(this.sagas.size).toBe(written.length);
    for (const records of written) {
      const read = this.sagas.get(records[0].sagaId)!;
      expect(read).toEqual(records);
      const head = records.at(-1)!.hash;
      expect(verifyChain(read)).toEqual({ valid: true, count: records.length, head });
    }
    for (const [i, { checkpoint, leaves }] of this.checkpoints.entries()) {
      expect(checkpoint.number).toBe(i + 1);
      expect(checkpoint.prevHash).toBe(i === 0 ? '0'.repeat(64) : this.checkpoints[i - 1].checkpoint.hash);
      expect(await checkSignature(checkpoint, keys.published(), verifyEd25519)).toBe('good');
      for (const { sagaId, count, head } of leaves)
        expect(this.sagas.get(sagaId)![count - 1].hash).toBe(head);
    }
  }
}

const verifyEd25519 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  const x = Buffer.from(publicKey).toString('base64url');
  return verify(
    null,
    message,
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    signature,
  );
};

export function describeWalEvents(): void {
  describe('the events of the log', () => {
    let fixture: WalFixture;
    let folder: string;
    const ends: (() => Promise<unknown>)[] = [];

    beforeEach(async () => {
      fixture = await WalFixture.start();
      folder = await mkdtemp(join(tmpdir(), 'svc-wal-events-'));
    });
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    });

    const writeSome = async (count: number) => {
      const written: WalRecord[][] = [];
      for (let i = 0; i < count; i++) written.push(await fixture.write({ fate: FATES[i % FATES.length] }));
      return written;
    };
    const opened = async (open: () => Promise<StreamFixture>) => {
      const under = await open();
      ends.push(() => under.close());
      return under;
    };
    const total = (written: readonly WalRecord[][]) => written.reduce((sum, { length }) => sum + length, 0);
    const read = async (stream: EventStream) => {
      const reader = await new Reader().begin(stream);
      ends.push(() => reader.end());
      return reader;
    };
    /** A process of the deployment that runs until the end of the test. */
    const lead = (stream: EventStream, database = fixture.database) => {
      const parts = partsOf(database, stream, join(folder, 'checkpoints.jsonl'));
      const leader = parts.leader({ pollMs: 50, checkpointMs: 100 });
      leader.onApplicationBootstrap();
      ends.push(() => leader.onApplicationShutdown());
      return { ...parts, leader };
    };
    const allSealed = async () =>
      (await fixture.count('saga_outbox')) === 0 &&
      (await fixture.count('saga_unsealed')) === 0 &&
      (await fixture.count('wal_checkpoint WHERE published_at IS NULL')) === 0;

    function itPublishes(open: () => Promise<StreamFixture>): void {
      it('are each there once and in order per saga, and with the checkpoints they prove the whole log', async () => {
        const under = await opened(open);
        const stream = await under.open();
        const reader = await read(stream);
        lead(stream);
        const written = await writeSome(10);
        await until(async () => reader.records === total(written) && (await allSealed()));
        await until(async () => reader.checkpoints.length === (await fixture.count('wal_checkpoint')));
        await reader.holdsExactly(written);
        // Every head is covered by a checkpoint.
        const covered = new Map(
          reader.checkpoints.flatMap(({ leaves }) => leaves.map(leaf => [leaf.sagaId, leaf.count])),
        );
        for (const records of written) expect(covered.get(records[0].sagaId)).toBe(records.length);
        const lines = (await readFile(join(folder, 'checkpoints.jsonl'), 'utf8')).trimEnd().split('\n');
        expect(lines.map(line => parseCheckpointLine(line)?.checkpoint)).toEqual(
          reader.checkpoints.map(({ checkpoint }) => checkpoint),
        );
      });

      it('say of a saga where it lies in a checkpoint, by a path that leads to the signed root', async () => {
        const under = await opened(open);
        const { keeper } = lead(await under.open());
        const written = await writeSome(5);
        const inclusions = new WalInclusions(fixture.database, keeper);
        await until(allSealed);
        for (const records of written) {
          const { checkpoint, leafIndex, walCount, path } = (await inclusions.inclusionOf(
            records[0].sagaId,
          ))!;
          expect(walCount).toBe(records.length);
          const head = { sagaId: records[0].sagaId, count: walCount, head: records.at(-1)!.hash };
          const bare = { leafIndex, path: path.map(digest => digest.slice(2)) };
          const tree = { root: checkpoint.root.slice(2), leafCount: checkpoint.leafCount };
          expect(isIncluded(head, bare, tree)).toBe(true);
          expect(isIncluded({ ...head, count: walCount - 1 }, bare, tree)).toBe(false);
        }
        expect(await inclusions.inclusionOf(randomUUID())).toBeUndefined();
        expect(inclusions.newestCheckpoint()?.number).toBe(await fixture.count('wal_checkpoint'));
      });
    }

    function itSurvivesDeaths(open: () => Promise<StreamFixture>): void {
      it('come once and in order also where the relay dies between any two of its acts', async () => {
        const under = await opened(open);
        const stream = await under.open();
        const reader = await read(stream);
        const written = await writeSome(3);
        let died = 0;
        for (let dieAt = 1; ; dieAt++) {
          let act = 0;
          const die = (): void => {
            if (++act >= dieAt) throw new Error('the process is gone');
          };
          const dying: EventStream = {
            ensure: () => stream.ensure(),
            subscribe: (...args) => stream.subscribe(...args),
            publish: async (event: StreamEvent) => {
              die();
              await stream.publish(event);
              die();
            },
          };
          const { lock, relay, keeper, file } = partsOf(
            fixture.database,
            dying,
            join(folder, 'checkpoints.jsonl'),
          );
          expect(await lock.take()).toBe(true);
          const session = watched(lock, die);
          try {
            await relay.round(session);
            await keeper.round(session);
            break;
          } catch (error) {
            expect((error as Error).message).toBe('the process is gone');
            died++;
          } finally {
            await lock.release();
            await file?.close();
          }
        }
        // Before and after each publication, and before each statement.
        expect(died).toBeGreaterThan(2 * total(written));
        lead(stream);
        await until(async () => reader.records === total(written) && (await allSealed()));
        await until(async () => reader.checkpoints.length === (await fixture.count('wal_checkpoint')));
        await reader.holdsExactly(written);
      });
    }

    describe('in process', () => {
      itPublishes(memoryStream);
      itSurvivesDeaths(memoryStream);

      it('stop at a record that cannot be stored, so that none of its saga overtakes it; other sagas go on', async () => {
        const stream = await (await memoryStream()).open();
        const written = await writeSome(4);
        // The first record of an advance that has two.
        const refusedId = `${written[1][0].sagaId}:2`;
        let refuses = true;
        const refusing: EventStream = {
          ensure: () => stream.ensure(),
          subscribe: (...args) => stream.subscribe(...args),
          publish: event =>
            refuses && event.id === refusedId ? Promise.reject(new Error('no room')) : stream.publish(event),
        };
        const reader = await read(stream);
        const { lock, relay } = fixture.parts(refusing);
        await lock.take();
        await expect(relay.round(lock)).rejects.toThrow('no room');
        await until(() => reader.records >= total(written) - written[1].length + 2);
        expect(reader.sagas.get(written[1][0].sagaId)).toEqual(written[1].slice(0, 2));
        refuses = false;
        await relay.round(lock);
        await until(() => reader.records === total(written));
        await reader.holdsExactly(written);
        await lock.release();
      });

      it('hold up no checkpoint of the other sagas where a record cannot leave', async () => {
        const stream = await (await memoryStream()).open();
        const written = await writeSome(4);
        const stays = written[1][0].sagaId;
        lead({
          ensure: () => stream.ensure(),
          subscribe: (...args) => stream.subscribe(...args),
          publish: event =>
            event.id === `${stays}:0` ? Promise.reject(new Error('no room')) : stream.publish(event),
        });
        const reader = await read(stream);
        const sealed = () =>
          new Set(reader.checkpoints.flatMap(({ leaves }) => leaves.map(leaf => leaf.sagaId)));
        await until(() => sealed().size === written.length - 1);
        expect(sealed()).not.toContain(stays);
      });

      it('are nobody else’s while one has the lock, and another’s at once when its session ends', async () => {
        const stream = await (await memoryStream()).open();
        const second = await openLogDatabase(fixture.postgres.migrationUrlFor('payments'));
        ends.push(() => second.destroy());
        const a = lead(stream);
        await until(() => a.leader.leads);
        const b = lead(stream, second);
        const written = await writeSome(3);
        await until(allSealed);
        expect(b.leader.leads).toBe(false);
        await until(() => b.keeper.newestCheckpoint()?.number === a.keeper.newestCheckpoint()?.number);
        await fixture.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        await until(() => a.leader.leads || b.leader.leads);
        expect(a.leader.leads && b.leader.leads).toBe(false);
        written.push(...(await writeSome(2)));
        const reader = await read(stream);
        await until(async () => reader.records === total(written) && (await allSealed()));
        await reader.holdsExactly(written);
      });

      it('alarm where the file ends with a checkpoint that the database has lost or changed', async () => {
        const stream = await (await memoryStream()).open();
        const path = join(folder, 'checkpoints.jsonl');
        await writeSome(2);
        const first = fixture.parts(stream, path);
        await first.lock.take();
        await first.relay.round(first.lock);
        await first.keeper.round(first.lock);
        await first.lock.release();
        await first.keeper.close();
        const [line] = (await readFile(path, 'utf8')).split('\n');
        const entry = JSON.parse(line) as { checkpoint: { number: number } };
        entry.checkpoint.number = 7;
        await writeFile(path, `${line}\n${JSON.stringify(entry)}\n`);
        const second = fixture.parts(stream, path);
        await second.lock.take();
        await writeSome(1);
        await second.relay.round(second.lock);
        await second.keeper.round(second.lock);
        expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toHaveLength(2);
        expect(await fixture.count('wal_checkpoint WHERE published_at IS NULL')).toBe(1);
        await second.lock.release();
        await second.keeper.close();
      });
    });

    describe('on JetStream', () => {
      if (!natsBinary) {
        it('need nats-server', () => console.log('SKIPPED: nats-server is not installed'));
        return;
      }
      itPublishes(jetStream);
      it('come once where acknowledgements are lost and events are delivered twice', async () => {
        const under = await opened(jetStream);
        const stream = await under.open();
        const reader = await read(stream);
        let sent = 0;
        const losing: EventStream = {
          ensure: () => stream.ensure(),
          subscribe: (...args) => stream.subscribe(...args),
          publish: async event => {
            await stream.publish(event);
            if (++sent % 3 === 0) throw new Error('the acknowledgement is lost');
          },
        };
        lead(losing);
        const written = await writeSome(15);
        await until(async () => reader.records === total(written) && (await allSealed()));
        expect(sent).toBeGreaterThan(total(written));
        await until(async () => reader.checkpoints.length === (await fixture.count('wal_checkpoint')));
        await reader.holdsExactly(written);
      });

      if (!KILLS) return;
      itSurvivesDeaths(jetStream);

      it('come once and in order while NATS is killed again and again', async () => {
        const under = await opened(jetStream);
        const stream = await under.open();
        const reader = await read(stream);
        lead(stream);
        const written: WalRecord[][] = [];
        for (let round = 0; round < 3; round++) {
          const { pid } = under.server!;
          const before = reader.records;
          const writing = writeSome(20).then(records => written.push(...records));
          await until(() => reader.records >= before + 20);
          process.kill(pid, 'SIGKILL');
          await writing;
          await until(() => under.server!.pid !== pid);
        }
        await until(async () => reader.records === total(written) && (await allSealed()));
        await until(async () => reader.checkpoints.length === (await fixture.count('wal_checkpoint')));
        await reader.holdsExactly(written);
      });

      it('come once where Postgres is killed and started again', async () => {
        await fixture.close();
        fixture = await WalFixture.start(startOwnPostgres);
        const under = await opened(jetStream);
        const stream = await under.open();
        const reader = await read(stream);
        lead(stream);
        const written = await writeSome(10);
        const { pid } = fixture.postgres;
        process.kill(pid, 'SIGKILL');
        // Sessions of the dead server may answer for a moment still, and each of the pool breaks in its turn.
        const unlessAway = (holds: () => Promise<boolean>) =>
          holds().catch((error: unknown) => {
            expect(error).toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
            return false;
          });
        await until(() => fixture.postgres.pid !== pid);
        await until(() => unlessAway(async () => written.push(...(await writeSome(1))) > 0));
        // A write whose answer was lost with the server may stand all the same: the table says how many records there are.
        await until(() =>
          unlessAway(async () => (await allSealed()) && reader.records === (await fixture.count('saga_wal'))),
        );
        await until(() =>
          unlessAway(async () => reader.checkpoints.length === (await fixture.count('wal_checkpoint'))),
        );
        for (const [sagaId, records] of reader.sagas) {
          if (!written.some(([first]) => first.sagaId === sagaId)) written.push(records);
        }
        await reader.holdsExactly(written);
        expect(await fixture.count('saga_wal')).toBe(total(written));
      });
    });
  });
}

import { jest } from '@jest/globals';
import { MemoryBus, problem } from '@svc/platform';
import { Client } from 'pg';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { makeSnapshot } from '../src/document/document-compactor.js';
import { DocumentStore } from '../src/document/document-store.js';
import { describeEpochs } from './document-epochs.cases.js';
import {
  DocumentReplicas,
  peerOf,
  PeerUnderTest,
  type ReplicaUnderTest,
  until,
  untilEqual,
} from './document-replicas.js';

/** A store whose appending waits for a gate. */
class GatedStore extends DocumentStore {
  private open: (() => void) | undefined;
  private gate: Promise<void> | undefined;

  shut(): void {
    this.gate = new Promise(resolve => (this.open = resolve));
  }

  release(): void {
    this.open?.();
    this.gate = undefined;
  }

  override async append(...args: Parameters<DocumentStore['append']>) {
    await this.gate;
    return super.append(...args);
  }
}

/** An update that cannot be read. */
const JUNK = Uint8Array.from([2, 0, 255, 255, 255]);

let replicas: DocumentReplicas;
beforeAll(async () => {
  replicas = await DocumentReplicas.start();
});
beforeEach(() => replicas.next());
afterAll(() => replicas?.stop());

const rowsOf = async (query: string, ...values: unknown[]) => {
  const database = await replicas.database();
  try {
    return await database.query(query, [replicas.documentName, ...values]);
  } finally {
    await database.destroy();
  }
};
const countUpdates = async () =>
  Number((await rowsOf(`SELECT count(*) FROM crdt_update WHERE doc = $1`))[0].count);

describe('the document of the mesh', () => {
  it('is the same for peers of two replicas, and for a third replica that starts later', async () => {
    const [here, there] = [await replicas.replica(), await replicas.replica()];
    const [ada, bob] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('bob'))];
    ada.document.shared.set('before', 1);
    ada.connect(here);
    bob.connect(there);
    ada.document.shared.set('course', { headingDegrees: 270 });
    bob.document.shared.set('speed', 12);
    await until(() => bob.document.shared.has('course') && ada.document.shared.has('speed'), 'both values');
    const hash = await untilEqual(ada, bob, here, there);
    const late = await replicas.replica();
    expect(late.replica.document.stateHash).toBe(hash);
    expect(late.replica.document.state.shared).toEqual({
      ...{ before: 1, course: { headingDegrees: 270 }, speed: 12 },
    });
    expect([...ada.refusals, ...bob.refusals, ...ada.faults, ...bob.faults]).toEqual([]);
    // Nobody is told of its own.
    expect([ada.heard[2], bob.heard[2]]).toEqual([1, expect.any(Number)]);
  });

  it('takes thousands of single sets of three peers, and the peers are told what they have not', async () => {
    const here = await replicas.replica({ updatesMin: 500 });
    const peers = ['a', 'b', 'c'].map(name => new PeerUnderTest(peerOf(name)).connect(here));
    const count = Number(process.env.MESH_SETS ?? 1_500);
    for (let i = 0; i < count; i++) peers[i % 3].document.shared.set(`key-${i % 100}`, i);
    await until(() => here.replica.counts.taken >= count && here.replica.isAtRest, 'all stored');
    const hash = await untilEqual(...peers, here);
    expect(peers.flatMap(({ refusals, faults }) => [...refusals, ...faults])).toEqual([]);
    await here.close();
    expect((await replicas.replica()).replica.document.stateHash).toBe(hash);
  });

  it('tells nobody what is not stored yet, neither who is there nor who comes', async () => {
    let store!: GatedStore;
    const here = await replicas.replica({ store: (...parts) => (store = new GatedStore(...parts)) });
    const [ada, bob] = ['ada', 'bob'].map(name => new PeerUnderTest(peerOf(name)).connect(here));
    await until(() => bob.session!.isSynced, 'bob in step');
    store.shut();
    ada.document.shared.set('secret', 1);
    await until(() => here.replica.document.state.shared.secret === 1, 'taken');
    const held = jest.spyOn(here.replica, 'whenStored');
    const carol = new PeerUnderTest(peerOf('carol')).connect(here);
    await until(() => held.mock.calls.length > 0 || carol.session!.isSynced, 'the question of the third');
    // Its refusal comes behind whatever bob was told before.
    bob.channel!.receive(JUNK);
    await until(() => bob.refusals.length > 0, 'a refusal');
    const known = [bob.document.shared.size, carol.document.shared.size, here.replica.isAtRest];
    store.release();
    expect(known).toEqual([0, 0, false]);
    await untilEqual(ada, bob, carol, here);
    expect(carol.document.shared.get('secret')).toBe(1);
  });

  it('gets again from a peer what a replica had not stored when it died', async () => {
    let store!: GatedStore;
    const here = await replicas.replica({ store: (...parts) => (store = new GatedStore(...parts)) });
    const there = await replicas.replica();
    const [ada, bob] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('bob'))];
    ada.connect(here);
    bob.connect(there);
    ada.document.shared.set('kept', 1);
    await until(() => bob.document.shared.has('kept'), 'the first value');
    store.shut();
    ada.document.shared.set('not stored', 2);
    await until(() => here.replica.counts.taken === 2, 'taken');
    ada.disconnect();
    ada.connect(there);
    await until(() => bob.document.shared.has('not stored'), 'the second value');
    await untilEqual(ada, bob, there);
    store.release();
    // The first replica stores it once more, where it lives on.
    await untilEqual(here, there);
    expect((await replicas.replica()).replica.document.stateHash).toBe(there.replica.document.stateHash);
  });

  it('gives a client id to one of two peers that use it at two replicas at once', async () => {
    const [here, there] = [await replicas.replica(), await replicas.replica()];
    const [ada, eve] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('eve'))];
    ada.document.document.clientID = eve.document.document.clientID = 77;
    ada.connect(here);
    eve.connect(there);
    ada.document.shared.set('by', 'ada');
    eve.document.shared.set('by', 'eve');
    await until(() => ada.refusals.length + eve.refusals.length > 0, 'one refused');
    const [winner, loser] = ada.refusals.length === 0 ? [ada, eve] : [eve, ada];
    expect(loser.refusals[0].code).toBe('FOREIGN_WRITER');
    await untilEqual(here, there, winner);
    const reader = new PeerUnderTest(peerOf('reader')).connect(here);
    await untilEqual(reader, there);
    expect(reader.document.shared.get('by')).toBe(winner.document.shared.get('by'));
    expect(winner.refusals).toEqual([]);
    expect(await rowsOf(`SELECT owner FROM crdt_writer WHERE doc = $1 AND client_id = 77`)).toEqual([
      { owner: winner.peer.keyHash },
    ]);
    // A replica that starts holds to it.
    const late = await replicas.replica();
    loser.disconnect();
    loser.connect(late);
    await until(() => loser.refusals.length > 1, 'refused again');
    expect(loser.refusals.map(({ code }) => code)).toContain('FOREIGN_WRITER');
    await untilEqual(late, here);
  });

  it('lets a peer that has not proved its key read, and refuses what it writes', async () => {
    const here = await replicas.replica();
    const ada = new PeerUnderTest(peerOf('ada')).connect(here);
    ada.document.shared.set('public', true);
    await until(() => here.replica.isAtRest && here.replica.counts.taken === 1, 'stored');
    const guest = new PeerUnderTest(peerOf('guest', 'unverified')).connect(here);
    await untilEqual(guest, here);
    const before = here.replica.document.stateHash;
    for (let n = 0; n < 10; n++) guest.document.shared.set('public', n);
    await until(() => guest.refusals.some(({ closes }) => closes), 'closed');
    expect(new Set(guest.refusals.map(({ code }) => code))).toEqual(new Set(['UNVERIFIED']));
    expect(guest.refusals).toHaveLength(8);
    expect([here.replica.document.stateHash, here.documents.channelCount]).toEqual([before, 1]);
    expect(await countUpdates()).toBe(1);
  });

  it('refuses nodes that a peer writes, and stores nothing of it', async () => {
    const here = await replicas.replica();
    const eve = new PeerUnderTest(peerOf('eve')).connect(here);
    eve.document.nodes.set(eve.peer.keyHash, { publicKey: '00', identity: 'verified', since: 0 });
    await until(() => eve.refusals.length > 0, 'refused');
    expect(eve.refusals[0].code).toBe('FOREIGN_ENTRY');
    expect([await countUpdates(), here.replica.document.state.nodes]).toEqual([0, {}]);
  });

  it('closes who sends more than is taken, or writes under ever new client ids', async () => {
    const here = await replicas.replica();
    const flood = new PeerUnderTest(peerOf('flood')).connect(here);
    const message = new Uint8Array(250_000).fill(9);
    for (let n = 0; n < 20; n++) flood.channel!.receive(message);
    await until(() => flood.refusals.some(({ closes }) => closes), 'closed');
    expect(flood.refusals.at(-1)).toEqual({ code: 'RATE', closes: true });
    const many = peerOf('many');
    let last: PeerUnderTest | undefined;
    for (let n = 0; n < 17; n++) {
      last?.disconnect();
      last = new PeerUnderTest(many).connect(here);
      last.document.shared.set(`session ${n}`, n);
      const { document, refusals } = last;
      await until(
        () => here.replica.document.state.shared[`session ${n}`] === n || refusals.length > 0,
        `${n}`,
      );
      expect(document.stateHash).toBeDefined();
    }
    expect(last?.refusals).toEqual([{ code: 'RATE', closes: true }]);
    expect(Object.keys(here.replica.document.state.shared)).toHaveLength(16);
  });

  it('refuses junk, and the others go on', async () => {
    const here = await replicas.replica();
    const [ada, junk] = ['ada', 'junk'].map(name => new PeerUnderTest(peerOf(name)).connect(here));
    for (let n = 0; n < 20; n++) junk.channel!.receive(Uint8Array.from([2, n, 255, 255, 255]));
    junk.channel!.receive(new Uint8Array());
    await until(() => junk.refusals.some(({ closes }) => closes), 'closed');
    expect(junk.refusals).toHaveLength(8);
    ada.document.shared.set('fine', 1);
    await until(() => here.replica.document.state.shared.fine === 1, 'taken');
    await untilEqual(ada, here);
  });
});

describe('the document of the mesh, when something fails', () => {
  it('loses nothing while Postgres is away, and tells it when it is stored', async () => {
    let failures = 0;
    class Counting extends DocumentStore {
      override append(updates: Parameters<DocumentStore['append']>[0]) {
        return super.append(updates).catch((error: unknown) => {
          failures++;
          throw error;
        });
      }
    }
    const here = await replicas.replica({ store: (...parts) => new Counting(...parts) });
    const there = await replicas.replica();
    const [ada, bob] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('bob'))];
    ada.connect(here);
    bob.connect(there);
    ada.document.shared.set('before', 0);
    await until(() => bob.document.shared.has('before'), 'the first value');
    const admin = new Client({ connectionString: replicas.postgres.adminUrl });
    await admin.connect();
    await admin.query('ALTER ROLE mesh_signalling CONNECTION LIMIT 0');
    try {
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mesh_signalling'`,
      );
      for (let n = 0; n < 50; n++) {
        ada.document.shared.set(`away ${n % 10}`, n);
        bob.document.shared.set(`also ${n % 10}`, n);
        await turn();
      }
      await until(() => failures >= 2, 'a second try to store what came');
      // Whoever has not written yet needs a client id first; it waits.
      const held = jest.spyOn(here.replica, 'whenStored');
      const carol = new PeerUnderTest(peerOf('carol')).connect(here);
      carol.document.shared.set('new here', true);
      await until(() => held.mock.calls.length > 0, 'the question of the third');
      expect([carol.refusals, ada.refusals]).toEqual([[], []]);
      expect(bob.document.shared.has('away 1')).toBe(false);
      await admin.query('ALTER ROLE mesh_signalling CONNECTION LIMIT -1');
      await until(() => bob.document.shared.has('away 9') && ada.document.shared.has('also 9'), 'both');
      await until(() => bob.document.shared.has('new here'), 'of the third');
      const hash = await untilEqual(ada, bob, carol, here, there);
      expect((await replicas.replica()).replica.document.stateHash).toBe(hash);
    } finally {
      await admin.query('ALTER ROLE mesh_signalling CONNECTION LIMIT -1');
      await admin.end();
    }
  });

  it('joins two replicas again that wrote without hearing of one another', async () => {
    const [here, alone] = [
      await replicas.replica(),
      await replicas.replica({ bus: { kind: 'memory', bus: new MemoryBus() } }),
    ];
    const [ada, bob] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('bob'))];
    ada.connect(here);
    bob.connect(alone);
    // What waits is stored as one: in two bursts, so that each stores something behind the other's.
    for (const burst of [1, 2]) {
      for (let n = 0; n < 25; n++) {
        ada.document.shared.set(`key ${n % 7}`, burst * n);
        bob.document.shared.set(`key ${n % 5}`, burst * -n);
      }
      const isStored = ({ replica }: ReplicaUnderTest) => replica.counts.stored === burst * 25;
      await until(() => isStored(here) && isStored(alone), 'stored');
    }
    // What is between two of its own tells a replica that it has missed something.
    await untilEqual(here, alone);
    // And a comparison, where there was nothing of its own behind it.
    ada.document.shared.set('last', 1);
    await until(() => here.replica.document.state.shared.last === 1 && here.replica.isAtRest, 'stored');
    await alone.sync.round();
    expect(alone.replica.document.state.shared.last).toBe(1);
    await untilEqual(here, alone, ada, bob);
    await until(() => here.replica.seq === alone.replica.seq, 'the same place');
  });

  it('reads the document anew where a replica says something else at the same place', async () => {
    const [here, there] = [await replicas.replica(), await replicas.replica()];
    const ada = new PeerUnderTest(peerOf('ada')).connect(there);
    ada.document.shared.set('true', 1);
    await untilEqual(here, there, ada);
    await until(() => here.replica.seq === there.replica.seq, 'the same place');
    // Merged and never stored, as no code does it.
    there.replica.document.write(({ shared }) => shared.set('false', 2));
    expect(there.replica.document.stateHash).not.toBe(here.replica.document.stateHash);
    while (there.replica.document.stateHash !== here.replica.document.stateHash) {
      await Promise.all([here.sync.round(), there.sync.round()]);
      await delay(20);
    }
    await untilEqual(here, there);
    expect(there.replica.document.state.shared).toEqual({ true: 1 });
    ada.document.shared.set('after', 3);
    await until(() => here.replica.document.state.shared.after === 3, 'goes on');
    await untilEqual(here, there, ada);
  });

  it('gives up what Postgres refuses and what builds on it, and everybody has the same', async () => {
    class Refusing extends DocumentStore {
      override append(updates: Parameters<DocumentStore['append']>[0]) {
        const bad = updates.some(({ bytes }) => Buffer.from(bytes).includes('refuse me'));
        if (!bad) return super.append(updates);
        return Promise.reject(Object.assign(new Error('check'), { driverError: { code: '23514' } }));
      }
    }
    const here = await replicas.replica({ store: (...parts) => new Refusing(...parts) });
    const there = await replicas.replica();
    const [ada, eve] = ['ada', 'eve'].map(name => new PeerUnderTest(peerOf(name)).connect(here));
    await until(() => eve.session!.isSynced && ada.session!.isSynced, 'in step');
    eve.document.shared.set('a', 1);
    eve.document.shared.set('b', 'refuse me');
    eve.document.shared.set('c', 3);
    ada.document.shared.set('d', 4);
    await until(() => eve.refusals.some(({ closes }) => closes), 'closed');
    expect(eve.refusals).toEqual([{ code: 'NOT_STORED', closes: true }]);
    await until(() => there.replica.document.state.shared.d === 4, 'the others go on');
    await until(() => here.replica.isAtRest, 'settled');
    await untilEqual(here, there);
    expect(here.replica.document.state.shared).not.toHaveProperty('b');
    expect((await replicas.replica()).replica.document.stateHash).toBe(here.replica.document.stateHash);
  });
});

describe('the snapshot of the document', () => {
  /** Each is taken before the next comes: what waits together is stored as one. */
  const setEach = async (here: ReplicaUnderTest, ada: PeerUnderTest, keys: readonly string[]) => {
    const { taken } = here.replica.counts;
    for (const [n, key] of keys.entries()) {
      ada.document.shared.set(key, n);
      await until(() => here.replica.counts.taken === taken + n + 1, 'taken');
    }
    await until(() => here.replica.isAtRest, 'stored');
  };
  const filled = async (count = 60) => {
    const here = await replicas.replica();
    const ada = new PeerUnderTest(peerOf('ada')).connect(here);
    await setEach(
      here,
      ada,
      Array.from({ length: count }, (_, n) => `key ${n % 9}`),
    );
    return { here, ada, hash: here.replica.document.stateHash };
  };

  it('takes the place of its updates, of two that try at once in one of them', async () => {
    const { here, ada, hash } = await filled();
    const there = await replicas.replica();
    const counts = await Promise.all([here.store.compact(makeSnapshot), there.store.compact(makeSnapshot)]);
    expect(counts.filter(count => count === 60)).toHaveLength(1);
    expect(await countUpdates()).toBe(0);
    const late = await replicas.replica();
    expect(late.replica.document.stateHash).toBe(hash);
    // It goes on from there, for those who had it before too.
    ada.document.shared.set('after', 1);
    await untilEqual(here, there, late, ada);
    expect(await countUpdates()).toBe(1);
    expect(await late.store.compact(makeSnapshot)).toBe(1);
  });

  it('is read by a replica that had a part of what is in it', async () => {
    const { here, ada } = await filled(20);
    const deaf = await replicas.replica({ bus: { kind: 'memory', bus: new MemoryBus() } });
    const bob = new PeerUnderTest(peerOf('bob')).connect(deaf);
    bob.document.shared.set('mine', 1);
    await until(() => deaf.replica.counts.stored === 1, 'stored');
    for (let n = 0; n < 20; n++) ada.document.shared.set(`more ${n}`, n);
    await until(() => here.replica.counts.stored === 40, 'stored');
    await here.sync.round();
    await here.store.compact(makeSnapshot);
    await deaf.sync.round();
    await untilEqual(here, deaf, ada, bob);
  });

  it('is made by itself when there are many updates, and not before', async () => {
    const here = await replicas.replica({ updatesMin: 30 });
    const ada = new PeerUnderTest(peerOf('ada')).connect(here);
    await setEach(here, ada, Array<string>(29).fill('key'));
    await here.compactor.look();
    expect(await countUpdates()).toBe(29);
    ada.document.shared.set('key', 29);
    await until(async () => (await countUpdates()) === 0, 'compacted');
  });

  it('is whole or not there, wherever its making breaks off', async () => {
    const { here, hash } = await filled();
    const queries = async (failAt: number) => {
      const database = await replicas.database();
      let count = 0;
      const createQueryRunner = database.createQueryRunner.bind(database);
      database.createQueryRunner = (...args) => {
        const runner = createQueryRunner(...args);
        const query = runner.query.bind(runner) as (...all: unknown[]) => Promise<unknown>;
        runner.query = (async (...all: unknown[]) => {
          if (++count === failAt) throw problem('SERVICE_UNAVAILABLE', 'broken off');
          return query(...all);
        }) as typeof runner.query;
        return runner;
      };
      const done = await new DocumentStore(database, replicas.documentName)
        .compact(makeSnapshot)
        .catch(() => 'failed');
      await database.destroy();
      return { done, count };
    };
    let failAt = 1;
    for (; failAt < 40; failAt++) {
      const { done, count } = await queries(failAt);
      if (count < failAt) {
        expect(done).toBe(60);
        break;
      }
      const late = await replicas.replica();
      expect(late.replica.document.stateHash).toBe(hash);
      await late.close();
    }
    // Begin, lock, snapshot, updates, snapshot, deletion, commit.
    expect(failAt).toBeGreaterThan(6);
    expect(failAt).toBeLessThan(12);
    expect((await replicas.replica()).replica.document.stateHash).toBe(hash);
    expect(await countUpdates()).toBe(0);
    await here.sync.round();
    expect(here.replica.document.stateHash).toBe(hash);
  });

  it('is not believed where it was changed', async () => {
    const { here } = await filled(5);
    await here.store.compact(makeSnapshot);
    await rowsOf(`UPDATE crdt_snapshot SET state_hash = decode($2, 'hex') WHERE doc = $1`, '00'.repeat(32));
    await expect(replicas.replica()).rejects.toThrow('not what was written');
  });

  it('does not take a place where it would say something else than the updates', async () => {
    const { hash } = await filled(5);
    const database = await replicas.database();
    const store = new DocumentStore(database, replicas.documentName);
    const refused = store.compact(() => {
      throw new Error('says something else');
    });
    await expect(refused).rejects.toThrow('says something else');
    await database.destroy();
    expect(await countUpdates()).toBe(5);
    expect((await replicas.replica()).replica.document.stateHash).toBe(hash);
  });
});

describe('the role of the service', () => {
  it.each([
    `UPDATE mesh_signalling.crdt_update SET bytes = 'x'`,
    `UPDATE mesh_signalling.crdt_writer SET owner = 'service'`,
    `UPDATE mesh_signalling.crdt_writer SET epoch = 1`,
    `DELETE FROM mesh_signalling.crdt_epoch`,
    `DELETE FROM mesh_signalling.crdt_snapshot`,
    `TRUNCATE mesh_signalling.crdt_update`,
  ])('may not do what the service never does: %s', async statement => {
    const database = await replicas.database();
    await expect(database.query(statement)).rejects.toThrow('permission denied');
    await database.destroy();
  });
});

describeEpochs(() => replicas, { writersMax: 32, joins: 96 });

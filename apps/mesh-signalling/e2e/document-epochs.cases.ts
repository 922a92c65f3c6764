import { jest } from '@jest/globals';
import { accountContract, type KeyHolder } from '@svc/contracts';
import { hashState } from '@svc/mesh';
import { type BusClient, MemoryBus, problem } from '@svc/platform';
import { Client } from 'pg';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import * as sync from 'y-protocols/sync';
import * as Y from 'yjs';
import { makeRenewal } from '../src/document/document-compactor.js';
import { DocumentStore } from '../src/document/document-store.js';
import { DocumentNatsController } from '../src/document/document.nats.controller.js';
import type { DocumentChannel } from '../src/document/mesh-documents.js';
import type { Peer } from '../src/peer/peer.js';
import {
  DocumentReplicas,
  peerOf,
  PeerUnderTest,
  type Refusal,
  type ReplicaOptions,
  type ReplicaUnderTest,
  until,
  untilEqual,
} from './document-replicas.js';

/** How many client ids the document may have, and how many join one after the other. */
export interface EpochCounts {
  readonly writersMax: number;
  readonly joins: number;
}

const ACT = { content: 'kept', reason: 'a test' } as const;

let replicas: DocumentReplicas;

async function asAdmin(query: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: replicas.postgres.adminUrl });
  await client.connect();
  try {
    return (await client.query(query, [replicas.documentName])).rows;
  } finally {
    await client.end();
  }
}

const sharedOf = ({ replica }: ReplicaUnderTest) => replica.document.state.shared;
const isStored = ({ replica }: ReplicaUnderTest) => replica.isAtRest;

/** A program of somebody's that has Yjs and y-protocols, and knows no more of this service than its documentation. */
class YjsPeer {
  document = new Y.Doc();
  readonly refusals: { code: string; detail: string; max?: number; got?: number }[] = [];
  private channel: DocumentChannel | undefined;

  constructor(private readonly peer: Peer) {}

  get shared(): Y.Map<unknown> {
    return this.document.getMap('shared');
  }

  connect({ documents }: ReplicaUnderTest): this {
    const incoming: Uint8Array[] = [];
    const deliver = () => {
      for (const message of incoming.splice(0)) this.take(message);
    };
    this.channel = documents.open(this.peer, {
      send: message => {
        if (incoming.push(message) === 1) setImmediate(deliver);
        return true;
      },
      refused: ({ code, detail, max, got }) =>
        // docs/mesh.md: go on with an empty document, on the same channel.
        setImmediate(() => {
          this.refusals.push({ code, detail, ...(max !== undefined && { max, got: got! }) });
          if (code !== 'INCOMPLETE') this.begin(new Y.Doc());
        }),
    });
    this.begin(this.document);
    return this;
  }

  disconnect(): void {
    this.channel?.close();
    this.channel = undefined;
  }

  private begin(document: Y.Doc): void {
    this.document = document;
    document.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === this || this.document !== document) return;
      this.send(encoder => sync.writeUpdate(encoder, update));
    });
    this.send(encoder => sync.writeSyncStep1(encoder, document));
  }

  private take(message: Uint8Array): void {
    // One that y-protocols does not know is passed over.
    if (message[0] > 2) return;
    const decoder = decoding.createDecoder(message);
    this.send(encoder => sync.readSyncMessage(decoder, encoder, this.document, this));
  }

  private send(write: (encoder: encoding.Encoder) => void): void {
    const encoder = encoding.createEncoder();
    write(encoder);
    if (encoding.length(encoder) > 0) this.channel?.receive(encoding.toUint8Array(encoder));
  }
}

const updateMessage = (update: Uint8Array) => encoding.encode(encoder => sync.writeUpdate(encoder, update));

/** Somebody joins, and writes once under a client id of its own. */
function join({ documents }: ReplicaUnderTest, n: number, refusals: unknown[]): DocumentChannel {
  const editor = new Y.Doc();
  editor.getMap('shared').set(`by ${n}`, n);
  const channel = documents.open(peerOf(`peer ${n}`), {
    send: () => true,
    // Of what it wrote on the way nothing is lost.
    refused: refusal => refusal.code === 'RENEWED' || refusals.push(refusal),
  });
  channel.receive(updateMessage(Y.encodeStateAsUpdate(editor)));
  return channel;
}

/**
 * How the document is begun anew.
 * @param start replicas that are there when a test begins, with an empty document
 */
export function describeEpochs(start: () => DocumentReplicas, { writersMax, joins }: EpochCounts): void {
  const SMALL: ReplicaOptions = { bounds: { writersMax }, renewalGapMs: 0 };
  beforeEach(() => (replicas = start()));

  describe('the document of the mesh, by its writers', () => {
    it('is open to the next one after thousands of client ids, and whole, also after a restart', async () => {
      const [here, there] = [await replicas.replica(SMALL), await replicas.replica(SMALL)];
      const [ada, bob] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('bob'))];
      ada.connect(here);
      bob.connect(there);
      const refusals: unknown[] = [];
      for (let next = 0; next < joins; next += 16) {
        const channels = Array.from({ length: Math.min(16, joins - next) }, (_, i) =>
          join(i % 2 ? here : there, next + i, refusals),
        );
        ada.document.shared.set('ada', next);
        bob.document.shared.set('bob', next);
        const isTaken = (_: unknown, i: number) => ada.document.shared.has(`by ${next + i}`);
        await until(() => channels.every(isTaken), 'all that joined have written');
        for (const channel of channels) channel.close();
      }
      await until(() => isStored(here) && isStored(there), 'stored');
      const hash = await untilEqual(here, there, ada, bob);
      expect(refusals).toEqual([]);
      expect([ada.refusals, bob.refusals, ada.faults, bob.faults]).toEqual([[], [], [], []]);
      const expected = Object.fromEntries(Array.from({ length: joins }, (_, n) => [`by ${n}`, n]));
      const last = joins - (joins % 16 || 16);
      expect(sharedOf(here)).toEqual({ ...expected, ada: last, bob: last });
      const { epoch } = here.replica;
      expect([epoch > 0, there.replica.epoch]).toEqual([true, epoch]);
      for (const { renewals } of [ada, bob]) expect(renewals > 0 && renewals <= epoch).toBe(true);
      const [{ kept }] = await asAdmin(
        `SELECT count(*)::int AS kept FROM mesh_signalling.crdt_writer WHERE doc = $1`,
      );
      expect(kept).toBeLessThan(10 * writersMax);
      await here.close();
      await there.close();
      const late = await replicas.replica(SMALL);
      expect(late.replica.document.stateHash).toBe(hash);
      const next = new PeerUnderTest(peerOf('the next one')).connect(late);
      next.document.shared.set('next', true);
      await until(() => sharedOf(late).next === true, 'the next one is taken');
      expect(next.refusals).toEqual([]);
    });

    it('gives an address a part of its client ids, and says the bound; the others go on, and it does when they are idle', async () => {
      const share = writersMax / 4;
      const [here, there] = [await replicas.replica(SMALL), await replicas.replica(SMALL)];
      const write = async (name: string, at: ReplicaUnderTest, address: string) => {
        const peer = new PeerUnderTest({ ...peerOf(name), address }).connect(at);
        peer.document.shared.set(name, 1);
        await until(() => sharedOf(at)[name] === 1 || peer.refusals.length > 0, name);
        return peer;
      };
      await here.store.claimWriters(
        Array.from({ length: share - 2 }, (_, n) => n + 1),
        { kind: 'peer', name: peerOf('before').keyHash },
        { epoch: 0, share: { address: 'one', max: share, withinMs: 60_000 } },
      );
      expect((await write('last here', here, 'one')).refusals).toEqual([]);
      expect((await write('last there', there, 'one')).refusals).toEqual([]);
      const past = await write('one more', there, 'one');
      expect(past.refusals[0]).toEqual({ code: 'ADDRESS_SHARE', closes: false, max: share, got: share + 1 });
      // It reads on, and whoever has a client id writes on.
      await untilEqual(here, there);
      expect((await write('another', here, 'two')).refusals).toEqual([]);
      // A new document gives it no new share.
      await here.replica.renew(ACT);
      expect((await write('after that', here, 'one')).refusals[0]).toMatchObject({ code: 'ADDRESS_SHARE' });
      await asAdmin(
        `UPDATE mesh_signalling.crdt_writer SET claimed_at = claimed_at - interval '2 hours' WHERE doc = $1`,
      );
      expect((await write('an hour later', here, 'one')).refusals).toEqual([]);
    });

    it('gives an address a part of its bytes, after a restart and in the next epoch too; others go on, and what is written over takes none', async () => {
      const share = 65_536;
      const bounded: ReplicaOptions = { bounds: { documentBytesMax: 4 * share }, renewalGapMs: 0 };
      const [here, there] = [await replicas.replica(bounded), await replicas.replica(bounded)];
      let count = 0;
      const join = (at: ReplicaUnderTest, address: string) =>
        new PeerUnderTest({ ...peerOf(`peer ${count}`), address }).connect(at);
      /** Somebody new writes so much, and the refusals that it gets. */
      const write = async (at: ReplicaUnderTest, address: string, bytes: number) => {
        const key = `by ${count++}`;
        const peer = join(at, address);
        peer.document.shared.set(key, 'x'.repeat(bytes));
        await until(() => sharedOf(at)[key] !== undefined || peer.refusals.length > 0, key);
        peer.disconnect();
        return peer.refusals;
      };
      const refusal = { code: 'ADDRESS_SHARE', closes: false, max: share, got: expect.any(Number) };
      for (const at of [here, there, here, there]) {
        expect(await write(at, 'one', 15_000)).toEqual([]);
        await untilEqual(here, there);
      }
      for (const at of [here, there]) expect(await write(at, 'one', 8_000)).toEqual([refusal]);
      expect(await write(here, 'one', 1_000)).toEqual([]);
      expect(await write(there, 'two', 15_000)).toEqual([]);
      // Five times its share, and never more than one of them in the document.
      const editor = join(here, 'three');
      for (let n = 0; n < 66; n++) editor.document.shared.set('again', `${n} `.padEnd(5_000, 'y'));
      await until(() => String(sharedOf(here).again).startsWith('65 '), 'the last one');
      expect(editor.refusals).toEqual([]);

      await until(() => isStored(here) && isStored(there), 'stored');
      await here.close();
      await there.close();
      const late = await replicas.replica(bounded);
      expect(await write(late, 'one', 8_000)).toEqual([refusal]);
      const owner = join(late, 'one');
      await until(() => owner.document.shared.has('by 0'), 'read');
      owner.document.shared.delete('by 0');
      await until(() => !('by 0' in sharedOf(late)), 'deleted');
      expect(owner.refusals).toEqual([]);
      expect(await write(late, 'one', 8_000)).toEqual([]);
      await late.replica.renew(ACT);
      expect(await write(late, 'one', 15_000)).toEqual([refusal]);
      expect(await write(late, 'two', 15_000)).toEqual([]);
      await asAdmin(
        `UPDATE mesh_signalling.crdt_epoch SET begun_at = begun_at - interval '2 hours' WHERE doc = $1`,
      );
      expect(await write(late, 'one', 15_000)).toEqual([]);
      await late.replica.renew({ ...ACT, content: 'cleared' });
      expect(await write(late, 'one', 50_000)).toEqual([]);
    });
  });

  describe('a document that is begun anew', () => {
    it('has what peers wrote before they heard of it, wherever it was on its way', async () => {
      let open!: () => void;
      let gate: Promise<void> | undefined;
      class GatedStore extends DocumentStore {
        override async append(...args: Parameters<DocumentStore['append']>) {
          await gate;
          return super.append(...args);
        }
      }
      const here = await replicas.replica({ store: (...parts) => new GatedStore(...parts) });
      const there = await replicas.replica();
      const [ada, bob] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('bob'))];
      ada.connect(here);
      bob.connect(there);
      const list = ada.document.shared.set('list', Y.Array.from([1, 2])) as Y.Array<number>;
      ada.document.shared.set('gone', 1);
      await untilEqual(ada, bob, here, there);
      gate = new Promise(resolve => (open = resolve));
      ada.document.shared.set('not stored', 1);
      ada.document.shared.delete('gone');
      list.push([3]);
      await until(() => sharedOf(here)['not stored'] === 1, 'taken');
      // And behind that, what is sent when the replica knows it and the peer does not.
      here.replica.listen({ onReplaced: () => void ada.document.shared.set('late', 1) });
      const renewal = await there.replica.renew(ACT);
      expect(renewal).toMatchObject({ epoch: 1, range: { upto: there.replica.seq } });
      open();
      gate = undefined;
      await until(() => isStored(here) && isStored(there) && sharedOf(there).late === 1, 'stored');
      expect(sharedOf(there)).toEqual({ list: [1, 2, 3], 'not stored': 1, late: 1 });
      expect([ada.renewals, bob.renewals, ada.refusals, bob.refusals]).toEqual([1, 1, [], []]);
      await untilEqual(ada, bob, here, there);
    });

    it('takes from a peer that was away what it wrote meanwhile, and nothing of the old one twice', async () => {
      const here = await replicas.replica();
      const [ada, bob] = ['ada', 'bob'].map(name => new PeerUnderTest(peerOf(name)).connect(here));
      ada.document.shared.set('list', Y.Array.from(['once']));
      ada.document.shared.set('mine', 'old');
      await untilEqual(ada, bob, here);
      ada.disconnect();
      ada.document.shared.set('offline', true);
      bob.document.shared.set('mine', 'new');
      await until(() => sharedOf(here).mine === 'new', 'taken');
      await here.replica.renew(ACT);
      ada.connect(here);
      await until(() => sharedOf(here).offline === true, 'what it wrote meanwhile');
      await untilEqual(ada, bob, here);
      // What it had sent seconds before it left may have been lost, for all that it knows.
      expect(sharedOf(here)).toMatchObject({ list: ['once'], offline: true });
      expect([ada.renewals, bob.renewals, ada.refusals]).toEqual([1, 1, []]);
      // One that says nothing of what it has, and writes under what has ended.
      const [old] = (await asAdmin(
        `SELECT client_id FROM mesh_signalling.crdt_writer WHERE doc = $1 AND epoch = 0 AND owner = '${bob.peer.keyHash}'`,
      )) as { client_id: string }[];
      const silent = new PeerUnderTest(bob.peer);
      silent.document.document.clientID = Number(old.client_id);
      silent.connect(here);
      silent.document.shared.set('ended', 1);
      await until(() => silent.renewals === 1 && silent.session!.isSynced, 'told');
      await untilEqual(silent, here);
      expect(sharedOf(here).list).toEqual(['once']);
    });

    it('is whole or not there, wherever its making breaks off, and of two at once there is one', async () => {
      const here = await replicas.replica();
      const ada = new PeerUnderTest(peerOf('ada')).connect(here);
      for (let n = 0; n < 20; n++) ada.document.shared.set(`key ${n % 7}`, n);
      const hash = await untilEqual(ada, here);
      await until(() => isStored(here), 'stored');
      const database = await replicas.database();
      let [failAt, count] = [0, 0];
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
      const store = new DocumentStore(database, replicas.documentName);
      const before = await here.store.read(0);
      for (let isDone = false; !isDone && failAt < 40;) {
        [failAt, count] = [failAt + 1, 0];
        isDone = await store
          .renew(from => makeRenewal(from, 'kept'), ACT)
          .then(
            () => true,
            () => false,
          );
        const found = await here.store.read(0);
        expect(found).toEqual(isDone ? expect.objectContaining({ stateHash: hash, epoch: 1 }) : before);
      }
      await database.destroy();
      expect(failAt).toBeGreaterThan(10);
      expect(failAt).toBeLessThan(20);
      // Nobody told this replica.
      ada.document.shared.set('after', 1);
      await until(() => sharedOf(here).after === 1 && here.replica.epoch === 1 && isStored(here), 'goes on');
      await untilEqual(ada, here);
      const there = await replicas.replica();
      const when = { epoch: 1, gapMs: 0 };
      const both = await Promise.all([here, there].map(({ replica }) => replica.renew(ACT, when)));
      expect(both.filter(each => each !== undefined)).toMatchObject([{ epoch: 2 }]);
      expect(await here.replica.renew(ACT, { epoch: 2, gapMs: 60_000 })).toBeUndefined();
      await untilEqual(ada, here, there);
    });

    it('refuses what is later than it waits for, and closes who goes on with it', async () => {
      const here = await replicas.replica({ lateMs: 0 });
      const editor = Object.assign(new Y.Doc(), { clientID: 9 });
      const said: Uint8Array[] = [];
      editor.on('update', (update: Uint8Array) => said.push(updateMessage(update)));
      for (let n = 0; n < 12; n++) editor.getMap('shared').set('key', n);
      const refusals: Refusal[] = [];
      const channel = here.documents.open(peerOf('deaf'), {
        send: () => true,
        refused: ({ code, closes }) => void refusals.push({ code, closes }),
      });
      channel.receive(said[0]);
      await until(() => sharedOf(here).key === 0, 'taken');
      await here.replica.renew(ACT);
      await until(() => here.replica.hasEnded, 'no longer kept');
      for (const message of said.slice(1)) channel.receive(message);
      await until(() => refusals.at(-1)?.closes === true, 'closed');
      // Told once, then refused.
      expect(refusals.map(({ code }) => code)).toEqual(Array(9).fill('RENEWED'));
      expect(sharedOf(here)).toEqual({ key: 0 });
    });

    it('is read by a replica that heard nothing, at its next comparison', async () => {
      const here = await replicas.replica();
      const deaf = await replicas.replica({ bus: { kind: 'memory', bus: new MemoryBus() } });
      const bob = new PeerUnderTest(peerOf('bob')).connect(deaf);
      bob.document.shared.set('mine', 1);
      await until(() => deaf.replica.counts.stored === 1, 'stored');
      await here.replica.renew(ACT);
      // A new client id at the one that has not heard of it.
      const carol = new PeerUnderTest(peerOf('carol')).connect(deaf);
      carol.document.shared.set('new', 2);
      await until(() => deaf.replica.epoch === 1 && sharedOf(deaf).new === 2, 'heard by its own writing');
      await deaf.sync.round();
      await until(() => isStored(deaf), 'stored');
      await here.sync.round();
      await untilEqual(here, deaf, bob, carol);
      expect(sharedOf(here)).toEqual({ mine: 1, new: 2 });
    });

    it('by an operator may be empty; who did it is on record, and no peer brings the old one back', async () => {
      const here = await replicas.replica();
      const [ada, away] = ['ada', 'away'].map(name => new PeerUnderTest(peerOf(name)).connect(here));
      for (const peer of [ada, away]) peer.document.shared.set(peer.peer.keyHash, 'x'.repeat(1_000));
      await untilEqual(ada, away, here);
      await until(() => isStored(here), 'stored');
      const offline = new YjsPeer(away.peer);
      Y.applyUpdate(offline.document, Y.encodeStateAsUpdate(away.document.document));
      away.disconnect();
      const by: KeyHolder = {
        ...{ accountId: 'acct_abcdefghij0123456789', keyId: 'abcdefgh01234567' },
        ...{ plan: 'demo', scopes: ['admin:mesh'] },
      };
      const asked = jest.fn(async () => by);
      const operator = new DocumentNatsController(
        { call: asked as unknown as BusClient['call'] },
        here.replica,
      );
      const request = { content: 'clear', reason: 'full of rubbish' } as const;
      asked.mockRejectedValueOnce(problem('FORBIDDEN', 'The key has not the scope admin:mesh'));
      await expect(operator.reset({ accountKey: 'svc_test_other', request })).rejects.toThrow('admin:mesh');
      const reset = await operator.reset({ accountKey: 'svc_test_operator', request });
      expect(asked).toHaveBeenLastCalledWith(accountContract.authenticate, {
        ...{ accountKey: 'svc_test_operator', scope: 'admin:mesh' },
      });
      expect(reset).toMatchObject({ epoch: 1, writers: 2, bytes: 2 });
      expect(reset.bytesBefore).toBeGreaterThan(2_000);
      expect(reset.crdtStateHash).toBe(hashState({ nodes: {}, shared: {} }));
      await until(() => ada.renewals === 1 && ada.session!.isSynced, 'told');
      expect(
        await asAdmin(
          `SELECT begun_by, reason, content FROM mesh_signalling.crdt_epoch WHERE doc = $1 ORDER BY epoch`,
        ),
      ).toEqual([{ begun_by: `${by.accountId} ${by.keyId}`, reason: 'full of rubbish', content: 'cleared' }]);
      offline.connect(here);
      ada.document.shared.set('after', 1);
      await until(() => offline.refusals.length === 1 && offline.shared.has('after'), 'told when it is back');
      expect(offline.refusals[0].code).toBe('RENEWED');
      expect(sharedOf(here)).not.toHaveProperty(away.peer.keyHash);
      await untilEqual(ada, here);
    });
  });

  describe('a program with Yjs alone', () => {
    it('goes on with an empty document where a change of its is refused, also after it connects again', async () => {
      const here = await replicas.replica();
      const foreign = new YjsPeer(peerOf('foreign')).connect(here);
      foreign.shared.set('good', 1);
      await until(() => sharedOf(here).good === 1, 'taken');
      foreign.document.getMap('other').set('a', 1);
      await until(() => foreign.refusals.length === 1 && foreign.shared.has('good'), 'undone');
      expect(foreign.refusals[0]).toMatchObject({ code: 'UNKNOWN_ROOT', detail: 'no root is named "other"' });
      foreign.shared.set('next', 2);
      await until(() => sharedOf(here).next === 2, 'the next one');
      foreign.shared.set('large', 'x'.repeat(300_000));
      await until(() => foreign.refusals.length === 2 && foreign.shared.has('next'), 'undone');
      expect(foreign.refusals[1]).toMatchObject({ code: 'TOO_LARGE', max: 262_144 });
      foreign.disconnect();
      foreign.shared.set('meanwhile', 3);
      foreign.connect(here);
      await until(() => sharedOf(here).meanwhile === 3, 'after it has connected again');
      foreign.shared.set('last', 4);
      await until(() => sharedOf(here).last === 4, 'the last one');
      expect(foreign.refusals).toHaveLength(2);
      expect(foreign.shared.toJSON()).toEqual(sharedOf(here));
    });

    it('is told by a refusal that the document was begun anew, and goes on on the same channel', async () => {
      const here = await replicas.replica();
      const foreign = new YjsPeer(peerOf('foreign')).connect(here);
      foreign.shared.set('list', Y.Array.from([1]));
      await until(() => isStored(here) && sharedOf(here).list !== undefined, 'stored');
      const guest = new YjsPeer(peerOf('guest', 'unverified')).connect(here);
      await until(() => guest.shared.has('list'), 'the guest has it');
      guest.disconnect();
      // Written when the replica knows of it and the program does not.
      const end = here.replica.listen({ onReplaced: () => void foreign.shared.set('late', 1) });
      await here.replica.renew(ACT);
      end();
      await until(() => foreign.refusals.length === 1 && foreign.shared.has('late'), 'begun anew');
      expect(foreign.refusals[0].code).toBe('RENEWED');
      foreign.shared.set('next', 2);
      await until(() => sharedOf(here).next === 2, 'the next one');
      const expected = { list: [1], late: 1, next: 2 };
      expect([sharedOf(here), foreign.shared.toJSON()]).toEqual([expected, expected]);
      // One that was away is told when it asks, also where it has only read.
      const document = foreign.document;
      foreign.disconnect();
      await here.replica.renew(ACT);
      foreign.connect(here);
      guest.connect(here);
      await until(() => foreign.document !== document && foreign.shared.has('next'), 'begun anew again');
      await until(() => guest.shared.has('next'), 'for the guest');
      expect(foreign.refusals.map(({ code }) => code)).toEqual(['RENEWED', 'RENEWED']);
      expect(guest.refusals.map(({ code }) => code)).toEqual(['RENEWED']);
      expect([sharedOf(here), guest.shared.toJSON()]).toEqual([expected, expected]);
    });
  });
}

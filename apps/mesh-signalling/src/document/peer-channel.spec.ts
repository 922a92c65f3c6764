import { MeshDocument, PeerDocument } from '@svc/mesh';
import { createLogger } from '@svc/platform';
import fc from 'fast-check';
import { DocumentReplica } from './document-replica.js';
import type { DocumentStore, NewUpdate } from './document-store.js';
import { PeerAllowance } from './peer-allowance.js';
import { PeerChannel } from './peer-channel.js';
import { StoredNews } from './stored-news.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });
const RUNS = process.env.SUITE_TIER === 'long' ? 2_000 : 60;
const NAME = 'a'.repeat(64);
const ANN = { kind: 'peer', name: NAME } as const;

/** A store that keeps what it is given, in memory. */
function memoryStore() {
  const rows: NewUpdate[] = [];
  const owners = new Map<number, unknown>();
  const store = {
    async append(updates: readonly NewUpdate[]) {
      await new Promise(resolve => setImmediate(resolve));
      rows.push(...updates);
      return { after: rows.length - updates.length, upto: rows.length };
    },
    async claimWriters(clientIds: readonly number[], owner: unknown) {
      await new Promise(resolve => setImmediate(resolve));
      for (const id of clientIds) if (!owners.has(id)) owners.set(id, owner);
      return new Map(clientIds.map(id => [id, owners.get(id)]));
    },
  };
  return { rows, store: store as unknown as DocumentStore };
}

/** A verified peer's channel to a replica, what it is refused, and what it is sent. */
function channelOf(identity: 'verified' | 'unverified' = 'verified') {
  const { rows, store } = memoryStore();
  const replica = new DocumentReplica(store, logger);
  const refusals: string[] = [];
  const sent: Uint8Array[] = [];
  const used = { messages: 0, bytes: 0 };
  const allowance = Object.assign(new PeerAllowance(() => 0), {
    take: (use: 'messages' | 'bytes', count: number) => void (used[use] += count),
  });
  const channel = new PeerChannel({
    ...{ replica, logger, allowance, onClosed: () => undefined },
    peer: { publicKey: NAME, keyHash: NAME, identity },
    outlet: {
      send: message => sent.push(message) > 0,
      refused: ({ code }) => void refusals.push(code),
    },
  });
  replica.listen({ onStored: updates => channel.stored(new StoredNews(updates)) });
  return { channel, replica, rows, refusals, sent, used };
}

/** A peer's document, and the last message that it has sent: at first its question. */
function peerDocument() {
  const peer = new PeerDocument();
  const said: Uint8Array[] = [];
  const session = peer.open(message => said.push(message));
  return { peer, session, last: () => said.at(-1) as Uint8Array };
}
const QUESTION = peerDocument().last();

const turns = async (count: number) => {
  for (let n = 0; n < count; n++) await new Promise(resolve => setImmediate(resolve));
};

/** What a peer sends: sets that build on each other, with what is refused and questions in between. */
type Sent = 'set' | 'set anew' | 'foreign' | 'junk' | 'question';
const program = fc
  .array(
    fc.record({
      kind: fc.oneof(
        { weight: 12, arbitrary: fc.constant<Sent>('set') },
        { weight: 3, arbitrary: fc.constant<Sent>('set anew') },
        { weight: 1, arbitrary: fc.constantFrom<Sent>('foreign', 'junk', 'question') },
      ),
      endsTurn: fc.boolean(),
    }),
    { minLength: 5, maxLength: 60, size: 'max' },
  )
  // With one more the channel is closed.
  .filter(all => all.filter(({ kind }) => kind === 'foreign' || kind === 'junk').length < 8);

/** The messages of a program, and what becomes of each by itself. */
function messagesOf(kinds: readonly Sent[]): { message: Uint8Array; refused?: string; isUpdate: boolean }[] {
  const [editor, hostile] = [peerDocument(), peerDocument()];
  return kinds.map((kind, n) => {
    switch (kind) {
      case 'set':
      case 'set anew':
        editor.peer.shared.set(kind === 'set' ? 'key' : `key ${n}`, n);
        return { message: editor.last(), isUpdate: true };
      case 'foreign':
        hostile.peer.document.clientID = n + 1;
        hostile.peer.nodes.set(`node ${n}`, { publicKey: '00', identity: 'verified', since: n });
        return { message: hostile.last(), refused: 'FOREIGN_ENTRY', isUpdate: true };
      case 'junk':
        return { message: Uint8Array.of(2, 200, n), refused: 'MALFORMED', isUpdate: true };
      case 'question':
        return { message: QUESTION, isUpdate: false };
    }
  });
}

describe('the channel of a peer', () => {
  it('takes what comes together as it takes it message by message, and refuses each by itself', async () => {
    let rowsLess = 0;
    const property = fc.asyncProperty(program, async all => {
      const messages = messagesOf(all.map(({ kind }) => kind));
      const { channel, replica, rows, refusals, sent, used } = channelOf();
      for (const [n, { message }] of messages.entries()) {
        channel.receive(message);
        if (all[n].endsTurn) await turns(2);
      }
      await turns(8 * messages.length + 20);
      expect(refusals).toEqual(messages.flatMap(({ refused }) => refused ?? []));
      const bytes = messages.reduce((sum, { message }) => sum + message.length, 0);
      expect(used.messages).toBe(messages.length);
      expect(used.bytes).toBeGreaterThanOrEqual(bytes);
      const model = new MeshDocument();
      const taken = messages.filter(({ refused, isUpdate }) => isUpdate && !refused);
      for (const { message } of taken) model.apply(updateIn(message), ANN);
      const stored = new MeshDocument();
      for (const row of rows) stored.apply(row.bytes, { kind: 'service' });
      for (const { stateHash } of [replica.document, stored]) expect(stateHash).toBe(model.stateHash);
      expect(replica.counts).toEqual({ taken: taken.length, stored: taken.length });
      expect(sent.filter(([kind]) => kind === 1)).toHaveLength(
        messages.filter(({ isUpdate }) => !isUpdate).length,
      );
      // It is told of none of its own.
      expect(sent.filter(([kind]) => kind === 2)).toEqual([]);
      rowsLess += taken.length - rows.length;
    });
    await fc.assert(property, { numRuns: RUNS, seed: 2026 });
    expect(rowsLess).toBeGreaterThan(3 * RUNS);
  });

  it('takes no more in one piece than a turn may have', async () => {
    const { channel, replica, rows } = channelOf();
    const messages = messagesOf(Array<Sent>(600).fill('set anew'));
    for (const { message } of messages) channel.receive(message);
    await turns(2_000);
    expect(replica.counts).toEqual({ taken: 600, stored: 600 });
    // The first waits for its client id, and those of its turn with it.
    expect(rows).toHaveLength(3);
    const large = peerDocument();
    for (let n = 0; n < 5; n++) {
      large.peer.shared.set(`large ${n}`, 'x'.repeat(100_000));
      channel.receive(large.last());
    }
    await turns(100);
    expect(replica.counts.stored).toBe(605);
    expect(rows.slice(3).map(({ bytes }) => Math.round(bytes.length / 100_000))).toEqual([2, 2, 1]);
  });

  it('takes an answer that waits behind updates after them, and asks no more for what was lacking', async () => {
    const { channel, replica, refusals, sent } = channelOf();
    const { peer, session, last } = peerDocument();
    const set = (value: number) => {
      peer.shared.set('key', value);
      return last();
    };
    const [, ...later] = [1, 2, 3].map(set);
    channel.begin();
    for (const message of later) channel.receive(message);
    await turns(20);
    // It has asked already, and all of it comes with the answer.
    expect([refusals, sent.map(([kind]) => kind), replica.counts.taken]).toEqual([[], [0], 0]);
    session.receive(QUESTION);
    channel.receive(last());
    channel.receive(set(4));
    await turns(20);
    expect([refusals, replica.document.state.shared]).toEqual([[], { key: 4 }]);
    set(5);
    channel.receive(set(6));
    await turns(20);
    expect([refusals, sent.map(([kind]) => kind)]).toEqual([[], [0, 0]]);
  });

  it('refuses each update of a peer that may read only, and passes over what is known', async () => {
    const { channel, replica, refusals, rows } = channelOf('unverified');
    for (const { message } of messagesOf(['set', 'set', 'set anew'])) channel.receive(message);
    // An update with nothing.
    channel.receive(Uint8Array.of(2, 2, 0, 0));
    await turns(20);
    expect([refusals, rows, replica.counts.taken]).toEqual([Array(3).fill('UNVERIFIED'), [], 0]);
  });

  it('takes nothing of what waits once it is closed', async () => {
    const { channel, replica, rows } = channelOf();
    for (const { message } of messagesOf(['set', 'set'])) channel.receive(message);
    channel.close();
    await turns(20);
    expect([rows, replica.counts.taken]).toEqual([[], 0]);
  });
});

/** Of a message with an update: behind its kind and its length. */
function updateIn(message: Uint8Array): Uint8Array {
  const lengthBytes = message.findIndex((byte, at) => at > 0 && byte < 128);
  return message.slice(lengthBytes + 1);
}

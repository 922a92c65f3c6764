import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as encoding from 'lib0/encoding';
import * as decoding from 'lib0/decoding';
import * as sync from 'y-protocols/sync';
import * as Y from 'yjs';
import { MeshDocument, type MeshDocumentOptions } from './mesh-document.js';
import { PeerDocument } from './peer-document.js';
import { MESSAGE_BYTES_MAX, PART_BYTES_MIN, readSyncMessage, writeStep2 } from './sync-message.js';
import type { SyncSession, SyncSessionOptions } from './sync-session.js';
import { edits, makeEdit } from './testing/editing.js';
import { UpdateRefused } from './update-refused.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 20_000 : 300;
const ANN = { kind: 'peer', name: 'ann' } as const;
const SERVICE = { kind: 'service' } as const;

/** Two ends whose messages wait until they are delivered. */
class Channel {
  readonly toService: Uint8Array[] = [];
  readonly toPeer: Uint8Array[] = [];
  readonly service: SyncSession;
  readonly peer: SyncSession;

  constructor(document: MeshDocument, peer: PeerDocument, name = 'ann', options?: SyncSessionOptions) {
    this.service = document.open({ kind: 'peer', name }, bytes => this.toPeer.push(bytes), options);
    this.peer = peer.open(bytes => this.toService.push(bytes), options);
  }

  deliver(): void {
    while (this.toService.length + this.toPeer.length > 0) {
      for (const message of this.toService.splice(0)) this.service.receive(message);
      for (const message of this.toPeer.splice(0)) this.peer.receive(message);
    }
  }
}

function faultOf(session: SyncSession, message: Uint8Array): string | undefined {
  try {
    session.receive(message);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(UpdateRefused);
    return (error as UpdateRefused).code;
  }
}

const part = (totalBytes: number, offset: number, bytes: Uint8Array) =>
  encoding.encode(encoder => {
    for (const value of [3, totalBytes, offset]) encoding.writeVarUint(encoder, value);
    encoding.writeUint8Array(encoder, bytes);
  });

describe('a session', () => {
  it('brings both ends to one state, and keeps them there', () => {
    const document = new MeshDocument();
    document.write(({ nodes }) => nodes.set('aa', { publicKey: 'ab', identity: 'verified', since: 1 }));
    const peer = new PeerDocument();
    peer.shared.set('before', { headingDegrees: 270 });
    const channel = new Channel(document, peer);
    expect([channel.peer.isSynced, channel.service.isSynced]).toEqual([false, false]);
    channel.deliver();
    expect([channel.peer.isSynced, channel.service.isSynced]).toEqual([true, true]);
    expect(peer.nodes.toJSON()).toEqual(document.state.nodes);
    expect(document.state.shared).toEqual({ before: { headingDegrees: 270 } });
    peer.shared.set('after', 1);
    const written = document.write(({ shared }) => shared.set('service', 2));
    channel.service.sendUpdate(written as Uint8Array);
    channel.deliver();
    expect(peer.stateHash).toBe(document.stateHash);
    peer.close(channel.peer);
    peer.shared.set('closed', 1);
    expect(channel.toService).toEqual([]);
  });

  it('is spoken by y-protocols as it stands', () => {
    const document = new MeshDocument();
    document.write(({ shared }) => shared.set('service', 1));
    const editor = new Y.Doc();
    editor.getMap('shared').set('editor', 1);
    const out: Uint8Array[] = [];
    const session = document.open(ANN, bytes => out.push(bytes));
    const begin = encoding.encode(encoder => sync.writeSyncStep1(encoder, editor));
    expect(session.receive(begin)).toEqual({ kind: 'step1' });
    const kinds: number[] = [];
    const unexpected = () => expect('no error').toBe('an error');
    for (const message of out.splice(0)) {
      const encoder = encoding.createEncoder();
      kinds.push(
        sync.readSyncMessage(decoding.createDecoder(message), encoder, editor, 'service', unexpected),
      );
      if (encoding.hasContent(encoder)) session.receive(encoding.toUint8Array(encoder));
    }
    expect(kinds).toEqual([sync.messageYjsSyncStep1, sync.messageYjsSyncStep2]);
    editor.on('update', (update: Uint8Array) => {
      const { applied } = session.receive(encoding.encode(encoder => sync.writeUpdate(encoder, update)));
      expect(applied).toMatchObject({ changed: true, stored: update });
    });
    editor.getMap('shared').set('editor', 2);
    expect(document.state.shared).toEqual({ service: 1, editor: 2 });
  });

  it('has a peer hand on its own writing alone, by whatever way it got to others', () => {
    const [one, two] = [new MeshDocument(), new MeshDocument()];
    const [ann, bob] = [new PeerDocument(), new PeerDocument()];
    bob.shared.set('bob', 1);
    new Channel(one, bob, 'bob').deliver();
    const first = new Channel(one, ann);
    ann.shared.set('ann', 1);
    first.deliver();
    ann.close(first.peer);
    // To a replica of the service that has nothing of Bob's yet.
    new Channel(two, ann).deliver();
    expect(two.state.shared).toEqual({ ann: 1 });
  });

  it('asks again where something is missing, and is then where it would have been', () => {
    const document = new MeshDocument();
    const peer = new PeerDocument();
    const channel = new Channel(document, peer);
    channel.deliver();
    peer.shared.set('list', Y.Array.from([1]));
    channel.toService.length = 0;
    (peer.shared.get('list') as Y.Array<unknown>).push([2]);
    expect(faultOf(channel.service, channel.toService.shift() as Uint8Array)).toBe('INCOMPLETE');
    channel.deliver();
    expect(document.state.shared).toEqual({ list: [1, 2] });
  });

  it('wants to be closed after as many refusals as it bears, and answers them no more', () => {
    const sent: Uint8Array[] = [];
    const session = new MeshDocument().open(ANN, bytes => sent.push(bytes), { refusalsMax: 3 });
    for (const expected of [false, false, true]) {
      expect(faultOf(session, Uint8Array.of(9))).toBe('MALFORMED');
      expect(session.wantsToBeClosed).toBe(expected);
    }
    const editor = new Y.Doc();
    editor.getMap('shared').set('a', 1);
    const before = Y.encodeStateVector(editor);
    editor.getMap('shared').set('a', 2);
    const [gap] = writeStep2(Y.encodeStateAsUpdate(editor, before));
    sent.length = 0;
    expect(faultOf(session, gap)).toBe('INCOMPLETE');
    expect(sent).toEqual([]);
  });
});

describe('parts', () => {
  /** A document that no message holds. */
  function large(options?: MeshDocumentOptions): MeshDocument {
    const document = new MeshDocument(options);
    for (let i = 0; i < 12; i++)
      document.write(({ shared }) => shared.set(`key ${i}`, `${i}`.repeat(30_000)));
    return document;
  }

  it('bring over what is too long for one message, with updates in between', () => {
    const document = large();
    const peer = new PeerDocument();
    const channel = new Channel(document, peer);
    for (const message of channel.toService.splice(0)) channel.service.receive(message);
    const kinds = channel.toPeer.map(message => readSyncMessage(message).kind);
    expect(kinds).toEqual(['step1', 'part', 'part']);
    for (const { length } of channel.toPeer) expect(length).toBeLessThanOrEqual(MESSAGE_BYTES_MAX);
    const first = channel.toPeer.splice(0, 2);
    for (const message of first) channel.peer.receive(message);
    expect(channel.peer.isSynced).toBe(false);
    peer.shared.set('meanwhile', 1);
    channel.deliver();
    expect(channel.peer.isSynced).toBe(true);
    expect(peer.stateHash).toBe(document.stateHash);
  });

  it('are as few as the bound on a message allows, whatever it is', () => {
    const update = large().encode();
    fc.assert(
      fc.property(fc.integer({ min: PART_BYTES_MIN + 24, max: update.length + 100 }), bytesMax => {
        const messages = [...writeStep2(update, bytesMax)];
        for (const { length } of messages) expect(length).toBeLessThanOrEqual(bytesMax);
        const received = new MeshDocument();
        const session = received.open(SERVICE, () => undefined, { messageBytesMax: bytesMax });
        for (const message of messages) session.receive(message);
        expect(Buffer.compare(received.encode(), update)).toBe(0);
        expect(messages.length).toBeLessThanOrEqual(Math.ceil(update.length / (bytesMax - 24)));
      }),
      { numRuns: 20, seed: 2026 },
    );
  });

  it('bring over a change that is too long for one message', () => {
    const document = new MeshDocument();
    const peer = new PeerDocument();
    const channel = new Channel(document, peer);
    channel.deliver();
    const written = document.write(({ shared }) => shared.set('a', 'x'.repeat(300_000)));
    channel.service.sendUpdate(written as Uint8Array);
    expect(channel.toPeer.map(message => readSyncMessage(message).kind)).toEqual(['part', 'part']);
    channel.deliver();
    expect(peer.stateHash).toBe(document.stateHash);
  });

  it("are kept as they were, whatever becomes of the channel's buffer", () => {
    const document = large();
    const received = new MeshDocument();
    const session = received.open(SERVICE, () => undefined);
    for (const message of writeStep2(document.encode())) {
      session.receive(message);
      message.fill(0);
    }
    expect(received.stateHash).toBe(document.stateHash);
  });

  const bytes = new Uint8Array(PART_BYTES_MIN);
  it.each<[string, Uint8Array[]]>([
    ['without a beginning', [part(40_000, 16_384, bytes)]],
    ['with a gap', [part(60_000, 0, bytes), part(60_000, 16_385, bytes)]],
    ['twice', [part(60_000, 0, bytes), part(60_000, 0, bytes)]],
    ['of another total', [part(60_000, 0, bytes), part(60_001, 16_384, bytes)]],
    ['beyond the total', [part(20_000, 0, bytes), part(20_000, 16_384, bytes)]],
    ['of a byte each', [part(20_000, 0, bytes.subarray(0, 1))]],
    ['of nothing', [part(0, 0, bytes.subarray(0, 0))]],
    ['of what is no update', [part(16_384, 0, bytes)]],
  ])('are refused: %s', (_, messages) => {
    const session = new MeshDocument().open(SERVICE, () => undefined);
    for (const message of messages.slice(0, -1)) expect(session.receive(message)).toEqual({ kind: 'part' });
    expect(faultOf(session, messages[messages.length - 1])).toBe('MALFORMED');
    // And what came before is forgotten.
    expect(faultOf(session, part(60_000, 16_384, bytes))).toBe('MALFORMED');
  });

  it('of more than a replica takes are refused with the first', () => {
    const document = new MeshDocument();
    const { updateBytesMax, documentBytesMax } = document.bounds;
    for (const [origin, max] of [
      [ANN, updateBytesMax],
      [SERVICE, documentBytesMax],
    ] as const) {
      expect(
        faultOf(
          document.open(origin, () => undefined),
          part(max, 0, bytes),
        ),
      ).toBeUndefined();
      expect(
        faultOf(
          document.open(origin, () => undefined),
          part(max + 1, 0, bytes),
        ),
      ).toBe('TOO_LARGE');
    }
  });
});

it('takes no message past the bound', () => {
  const session = new MeshDocument().open(ANN, () => undefined);
  expect(faultOf(session, new Uint8Array(MESSAGE_BYTES_MAX).fill(255))).toBe('MALFORMED');
  expect(faultOf(session, new Uint8Array(MESSAGE_BYTES_MAX + 1))).toBe('TOO_LARGE');
});

it('gives one of its refusals for any message, and answers no state vector that is not one', () => {
  const document = new MeshDocument();
  document.write(({ shared }) => shared.set('a', 'text'));
  const framed = fc.tuple(fc.nat(4), fc.uint8Array({ maxLength: 40 })).map(([kind, body]) =>
    encoding.encode(encoder => {
      encoding.writeVarUint(encoder, kind);
      encoding.writeVarUint8Array(encoder, body);
    }),
  );
  let refused = 0;
  const property = fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), framed), message => {
    for (const origin of [ANN, SERVICE])
      if (
        faultOf(
          document.open(origin, () => undefined),
          message,
        )
      )
        refused += 1;
    if (
      faultOf(
        new PeerDocument().open(() => undefined),
        message,
      )
    )
      refused += 1;
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
  expect(refused).toBeGreaterThan(RUNS);
  const claim = Uint8Array.of(0, 8, 255, 255, 255, 255, 255, 255, 255, 15);
  expect(
    faultOf(
      document.open(ANN, () => undefined),
      claim,
    ),
  ).toBe('MALFORMED');
});

it('leaves three peers with the hash of the service, whatever they do at once', () => {
  fc.assert(
    fc.property(edits(3, 30), fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), (program, pauses) => {
      const document = new MeshDocument();
      const peers = [0, 1, 2].map(() => new PeerDocument());
      const out: Uint8Array[][] = [[], [], []];
      const into: Uint8Array[][] = [[], [], []];
      const services = peers.map((_, i) =>
        document.open({ kind: 'peer', name: `${i}` }, each => into[i].push(each)),
      );
      const sessions = peers.map((peer, i) => peer.open(each => out[i].push(each)));
      const deliver = () => {
        for (let i = 0; i < 3; i++) {
          for (const message of out[i].splice(0)) {
            const stored = services[i].receive(message).applied?.stored;
            if (stored) services.forEach((other, j) => j !== i && other.sendUpdate(stored));
          }
          for (const message of into[i].splice(0)) sessions[i].receive(message);
        }
      };
      for (const [i, edit] of program.entries()) {
        makeEdit(peers[edit.replica].document, edit);
        if (!pauses[i % pauses.length]) deliver();
      }
      while ([...out, ...into].some(queue => queue.length > 0)) deliver();
      expect(peers.map(peer => peer.stateHash)).toEqual(peers.map(() => document.stateHash));
    }),
    { numRuns: RUNS / 10, seed: 2026 },
  );
});

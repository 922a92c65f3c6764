import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync';
import * as Y from 'yjs';
import { sha256Hex } from './signed-texts.js';

/** The shared document as any program has it: Yjs and its published protocol, a message of it in each message of the channel. */
export class PlainDocument {
  readonly doc = new Y.Doc();
  readonly shared = this.doc.getMap<unknown>('shared');
  readonly nodes = this.doc.getMap<unknown>('nodes');

  /** Keeps it in step over a channel, until the channel closes. */
  connect(channel: RTCDataChannel): void {
    const send = (write: (encoder: encoding.Encoder) => void) => {
      const encoder = encoding.createEncoder();
      write(encoder);
      if (encoding.length(encoder) === 0 || channel.readyState !== 'open') return;
      try {
        channel.send(encoding.toUint8Array(encoder) as Uint8Array<ArrayBuffer>);
      } catch {
        // The other side was killed, which its state does not say yet: `close` follows, and the next channel begins anew.
      }
    };
    const tell = (update: Uint8Array, origin: unknown) => {
      if (origin !== channel) send(encoder => writeUpdate(encoder, update));
    };
    channel.addEventListener('message', ({ data }) => {
      const decoder = decoding.createDecoder(new Uint8Array(data as ArrayBuffer));
      send(encoder => void readSyncMessage(decoder, encoder, this.doc, channel));
    });
    whenOpen(channel, () => send(encoder => writeSyncStep1(encoder, this.doc)));
    this.doc.on('update', tell);
    channel.addEventListener('close', () => this.doc.off('update', tell));
  }

  /** SHA-256 of `svc-crdt-v1` and the canonical JSON (RFC 8785) of the two maps. */
  hash(): Promise<string> {
    const state = { nodes: this.nodes.toJSON(), shared: this.shared.toJSON() };
    return sha256Hex(new TextEncoder().encode(`svc-crdt-v1${canonical(state)}`));
  }
}

/** ECMAScript writes strings and numbers as RFC 8785 wants them; the order of names is all that is left to do. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value as Record<string, unknown>)
    // By UTF-16 code units.
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

/** Runs it when a channel is open, also where it is. */
export function whenOpen(channel: RTCDataChannel, run: () => void): void {
  if (channel.readyState === 'open') run();
  else channel.addEventListener('open', run, { once: true });
}

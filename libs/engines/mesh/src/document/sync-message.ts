import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { messageYjsSyncStep1, messageYjsSyncStep2, messageYjsUpdate } from 'y-protocols/sync';
import { malformed, readWhole } from './update-reader.js';

/** Bytes of one message on a data channel; what is more goes in parts. */
export const MESSAGE_BYTES_MAX = 262_144;
/** Of a part's head: its kind, the total and the offset, each in at most 8 bytes. */
const PART_HEAD_BYTES_MAX = 24;
/**
 * Bytes that every part but the last has at least: else what is put together could take many times its length, by pieces of a
 * byte each.
 */
export const PART_BYTES_MIN = 16_384;

const PART = 3;
const RENEWED = 4;

/** A message between two replicas. */
export type SyncMessage =
  | { readonly kind: 'step1'; readonly stateVector: Uint8Array }
  | { readonly kind: 'step2' | 'update'; readonly update: Uint8Array }
  | {
      readonly kind: 'part';
      readonly totalBytes: number;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'renewed'; readonly epoch: number };

/**
 * One message: `[0][state vector]`, `[1][update]` and `[2][update]` are those of y-protocols, each a varuint and bytes with
 * their length before them. Beside them stands `[3][total][offset][bytes]`: a piece of the update of a step 2 that is too long
 * for one message, as three varuints and the rest of the message; and `[4][epoch]`, of the service alone: what follows is of
 * another document, with the same content under other client ids, and whoever hears it begins with an empty one.
 *
 * @throws UpdateRefused MALFORMED
 *
 * Source: y-protocols 1.0, `sync.js`.
 */
export function readSyncMessage(message: Uint8Array): SyncMessage {
  return readWhole(message, reader => {
    const kind = decoding.readVarUint(reader);
    switch (kind) {
      case messageYjsSyncStep1:
        return { kind: 'step1', stateVector: decoding.readVarUint8Array(reader) };
      case messageYjsSyncStep2:
        return { kind: 'step2', update: decoding.readVarUint8Array(reader) };
      case messageYjsUpdate:
        return { kind: 'update', update: decoding.readVarUint8Array(reader) };
      case PART: {
        const totalBytes = decoding.readVarUint(reader);
        const offset = decoding.readVarUint(reader);
        return { kind: 'part', totalBytes, offset, bytes: decoding.readTailAsUint8Array(reader) };
      }
      case RENEWED:
        return { kind: 'renewed', epoch: decoding.readVarUint(reader) };
      default:
        return malformed(`a message of kind ${kind}`);
    }
  });
}

/** Step 1: what a replica has. */
export function writeStep1(stateVector: Uint8Array): Uint8Array {
  return framed(messageYjsSyncStep1, stateVector);
}

/** An update as it comes. */
export function writeUpdate(update: Uint8Array): Uint8Array {
  return framed(messageYjsUpdate, update);
}

/** What follows is of a document that was begun anew, for the `epoch`th time. */
export function writeRenewed(epoch: number): Uint8Array {
  return encoding.encode(encoder => {
    for (const value of [RENEWED, epoch]) encoding.writeVarUint(encoder, value);
  });
}

/** Step 2: what the other one lacks, in one message or in parts of at most `messageBytesMax`. */
export function* writeStep2(update: Uint8Array, messageBytesMax = MESSAGE_BYTES_MAX): Generator<Uint8Array> {
  const whole = framed(messageYjsSyncStep2, update);
  if (whole.length <= messageBytesMax) {
    yield whole;
    return;
  }
  const partBytes = messageBytesMax - PART_HEAD_BYTES_MAX;
  for (let offset = 0; offset < update.length; offset += partBytes) {
    yield encoding.encode(encoder => {
      for (const value of [PART, update.length, offset]) encoding.writeVarUint(encoder, value);
      encoding.writeUint8Array(encoder, update.subarray(offset, offset + partBytes));
    });
  }
}

const framed = (kind: number, bytes: Uint8Array) =>
  encoding.encode(encoder => {
    encoding.writeVarUint(encoder, kind);
    encoding.writeVarUint8Array(encoder, bytes);
  });

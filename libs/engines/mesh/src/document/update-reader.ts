import * as decoding from 'lib0/decoding';
import type { DocumentBounds } from './document-bounds.js';
import { requireAtMost, UpdateRefused } from './update-refused.js';

/** The `clock`th thing that `client` made. */
export interface OperationId {
  readonly client: number;
  readonly clock: number;
}

export const ROOTS = ['nodes', 'shared'] as const;
export type RootName = (typeof ROOTS)[number];

/** What an item holds: a nested type, JSON values, text, or nothing any more. */
export type ItemContent =
  | { readonly kind: 'map' | 'list' | 'text' }
  | { readonly kind: 'values'; readonly nesting: number }
  | { readonly kind: 'characters' }
  | { readonly kind: 'deleted' };

/** Operations `clock` to `clock + length − 1` of one client, in one piece. */
export interface ReadStruct {
  readonly clock: number;
  readonly length: number;
  /** None: only the place of operations whose parent is deleted. */
  readonly item?: {
    readonly origin?: OperationId;
    readonly rightOrigin?: OperationId;
    /** Where neither neighbour is named. */
    readonly parent?: RootName | OperationId;
    readonly key?: string;
    readonly content: ItemContent;
  };
}

export interface DeletedRange {
  readonly clock: number;
  readonly length: number;
}

/** An update as its bytes say it, not yet compared with any document. */
export interface ReadUpdate {
  readonly structs: ReadonlyMap<number, readonly ReadStruct[]>;
  readonly deleted: ReadonlyMap<number, readonly DeletedRange[]>;
}

const HAS_ORIGIN = 0x80;
const HAS_RIGHT_ORIGIN = 0x40;
const HAS_KEY = 0x20;
const CONTENT_REF = 0x1f;
const GC = 0;
const SKIP = 10;
const TYPES = ['list', 'map', 'text'] as const;
const CONTENT_NAMES: Readonly<Record<number, string>> = {
  2: 'JSON text of an older encoding',
  3: 'bytes',
  5: 'an embedded object',
  6: 'a format',
  9: 'a subdocument',
};

/**
 * Reads an update (Yjs, encoding v1) in time and memory linear in its bytes, whatever counts they claim, and refuses all that
 * the document may not hold. Yjs itself makes room for as many structs as an update claims, creates whatever root it names,
 * and leaves a document half changed where it throws, so nothing is given to it that was not read here first.
 *
 * @throws UpdateRefused MALFORMED, NOT_JSON, UNKNOWN_ROOT, or TOO_LARGE for a key or a nesting
 *
 * Source: Yjs 13.6, `encoding.js` (readClientsStructRefs) and `DeleteSet.js`.
 */
export function readUpdate(
  bytes: Uint8Array,
  bounds: Pick<DocumentBounds, 'keyCharsMax' | 'nestingMax'>,
): ReadUpdate {
  return readWhole(bytes, reader => {
    const structs = readStructs(reader, bounds);
    return { structs, deleted: readDeleted(reader) };
  });
}

/**
 * What `read` makes of all the bytes.
 * @throws UpdateRefused as `read` does, or MALFORMED where bytes are missing or left over
 */
export function readWhole<Value>(bytes: Uint8Array, read: (reader: decoding.Decoder) => Value): Value {
  const reader = decoding.createDecoder(bytes);
  try {
    const value = read(reader);
    if (decoding.hasContent(reader)) malformed(`${bytes.length - reader.pos} bytes after its end`);
    return value;
  } catch (error) {
    if (error instanceof UpdateRefused) throw error;
    // Of lib0 and of TextDecoder: the end of the bytes, an integer out of range, text that is not UTF-8.
    return malformed(`at byte ${reader.pos}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** @throws UpdateRefused MALFORMED */
export function malformed(detail: string): never {
  throw new UpdateRefused('MALFORMED', detail);
}

/** An integer up to 2^53 − 1; lib0 passes larger ones on with their last bits lost. */
function readInteger(reader: decoding.Decoder): number {
  const value = decoding.readVarUint(reader);
  return Number.isSafeInteger(value) ? value : malformed('an integer of 2^53 or more');
}

function readByte(reader: decoding.Decoder): number {
  return reader.pos < reader.arr.length ? decoding.readUint8(reader) : malformed('cut off');
}

const readId = (reader: decoding.Decoder): OperationId => ({
  client: readInteger(reader),
  clock: readInteger(reader),
});

function readStructs(reader: decoding.Decoder, bounds: KeyBounds): Map<number, ReadStruct[]> {
  const clients = new Map<number, ReadStruct[]>();
  for (let left = readInteger(reader); left > 0; left--) {
    let count = readInteger(reader);
    const client = readInteger(reader);
    let clock = readInteger(reader);
    // Yjs would keep the last of two and forget the first.
    if (clients.has(client)) malformed(`client ${client} twice`);
    if (count === 0) malformed(`client ${client} without operations`);
    const structs: ReadStruct[] = [];
    for (; count > 0; count--) {
      const struct = readStruct(reader, clock, bounds);
      if (struct.length === 0) malformed(`nothing at clock ${clock} of client ${client}`);
      clock += struct.length;
      if (!Number.isSafeInteger(clock)) malformed('a clock of 2^53 or more');
      if (!struct.isSkipped) structs.push(struct);
    }
    clients.set(client, structs);
  }
  return clients;
}

type KeyBounds = Parameters<typeof readUpdate>[1];

function readStruct(
  reader: decoding.Decoder,
  clock: number,
  bounds: KeyBounds,
): ReadStruct & { isSkipped?: true } {
  const info = readByte(reader);
  if (info === GC) return { clock, length: readInteger(reader) };
  // A gap: what follows it is judged by its clock.
  if (info === SKIP) return { clock, length: readInteger(reader), isSkipped: true };
  const origin = info & HAS_ORIGIN ? readId(reader) : undefined;
  const rightOrigin = info & HAS_RIGHT_ORIGIN ? readId(reader) : undefined;
  const namesParent = !origin && !rightOrigin;
  const parent = namesParent ? readParent(reader) : undefined;
  const key = namesParent && info & HAS_KEY ? readKey(reader, bounds) : undefined;
  const { length, content } = readContent(reader, info & CONTENT_REF, bounds);
  return { clock, length, item: { origin, rightOrigin, parent, key, content } };
}

function readParent(reader: decoding.Decoder): RootName | OperationId {
  const isRoot = readInteger(reader);
  if (isRoot > 1) malformed('a parent that is neither a root nor an item');
  if (isRoot === 0) return readId(reader);
  const name = decoding.readVarString(reader);
  for (const root of ROOTS) if (name === root) return root;
  throw new UpdateRefused('UNKNOWN_ROOT', `no root is named ${JSON.stringify(name.slice(0, 64))}`);
}

function readKey(reader: decoding.Decoder, { keyCharsMax }: KeyBounds): string {
  const key = decoding.readVarString(reader);
  requireAtMost('TOO_LARGE', 'characters of a key', key.length, keyCharsMax);
  // Set on an object, it changes its prototype and is gone: the hash would not cover it.
  if (key === '__proto__')
    throw new UpdateRefused('NOT_JSON', 'the key __proto__, which objects do not keep');
  return key;
}

function readContent(
  reader: decoding.Decoder,
  ref: number,
  bounds: KeyBounds,
): { length: number; content: ItemContent } {
  switch (ref) {
    case 1:
      return { length: readInteger(reader), content: { kind: 'deleted' } };
    case 4:
      return { length: decoding.readVarString(reader).length, content: { kind: 'characters' } };
    case 7: {
      const kind = TYPES[readInteger(reader)];
      if (!kind) throw new UpdateRefused('NOT_JSON', 'XML, or a type that is not known');
      return { length: 1, content: { kind } };
    }
    case 8: {
      const length = readInteger(reader);
      let nesting = 0;
      for (let i = 0; i < length; i++) nesting = Math.max(nesting, readValue(reader, bounds, 0));
      return { length, content: { kind: 'values', nesting } };
    }
    default: {
      const name = CONTENT_NAMES[ref];
      if (name) throw new UpdateRefused('NOT_JSON', `${name} in the document`);
      return malformed(`content of kind ${ref}`);
    }
  }
}

/** Passes over a value (lib0 `readAny`) and tells how many objects and arrays it has inside each other. */
function readValue(reader: decoding.Decoder, bounds: KeyBounds, above: number): number {
  const tag = readByte(reader);
  switch (tag) {
    case 126:
    case 121:
    case 120:
      return 0;
    case 125:
      decoding.readVarInt(reader);
      return 0;
    case 124:
      return readFinite(decoding.readFloat32(reader));
    case 123:
      return readFinite(decoding.readFloat64(reader));
    case 119:
      decoding.readVarString(reader);
      return 0;
    case 118:
    case 117: {
      requireAtMost('TOO_LARGE', 'nesting', above + 1, bounds.nestingMax);
      let nesting = 0;
      for (let left = readInteger(reader); left > 0; left--) {
        if (tag === 118) readKey(reader, bounds);
        nesting = Math.max(nesting, readValue(reader, bounds, above + 1));
      }
      return nesting + 1;
    }
    case 127:
    case 122:
    case 116:
      throw new UpdateRefused('NOT_JSON', 'undefined, a big integer or bytes among the values');
    default:
      return malformed(`a value of kind ${tag}`);
  }
}

function readFinite(value: number): 0 {
  if (Number.isFinite(value)) return 0;
  throw new UpdateRefused('NOT_JSON', `the number ${value}`);
}

/** Ranges must ascend without overlap: else a few bytes each would have Yjs walk the same items over and over. */
function readDeleted(reader: decoding.Decoder): Map<number, DeletedRange[]> {
  const clients = new Map<number, DeletedRange[]>();
  for (let left = readInteger(reader); left > 0; left--) {
    const client = readInteger(reader);
    if (clients.has(client)) malformed(`deletions of client ${client} twice`);
    const ranges: DeletedRange[] = [];
    let end = 0;
    for (let count = readInteger(reader); count > 0; count--) {
      const clock = readInteger(reader);
      const length = readInteger(reader);
      if (clock < end || length === 0) malformed(`deletions of client ${client} out of order`);
      end = clock + length;
      if (!Number.isSafeInteger(end)) malformed('a clock of 2^53 or more');
      ranges.push({ clock, length });
    }
    clients.set(client, ranges);
  }
  return clients;
}

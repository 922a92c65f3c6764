import * as encoding from 'lib0/encoding';
import type { OperationId } from '../update-reader.js';

/** An item, or a gap, as a hostile peer may write it. */
export interface WrittenStruct {
  readonly origin?: OperationId;
  readonly rightOrigin?: OperationId;
  readonly parent?: string | OperationId;
  readonly key?: string;
  readonly content:
    | { readonly kind: 'gc' | 'skip' | 'deleted'; readonly length: number }
    | { readonly kind: 'values'; readonly values: readonly encoding.AnyEncodable[] }
    | { readonly kind: 'characters'; readonly text: string }
    | { readonly kind: 'type'; readonly ref: number }
    | { readonly kind: 'raw'; readonly ref: number; readonly bytes: Uint8Array };
}

export interface WrittenClient {
  readonly client: number;
  readonly clock: number;
  readonly structs: readonly WrittenStruct[];
}

export interface WrittenUpdate {
  readonly clients?: readonly WrittenClient[];
  readonly deleted?: readonly {
    readonly client: number;
    readonly ranges: readonly (readonly [clock: number, length: number])[];
  }[];
}

/** Encodes whatever it is given, with no check (Yjs, encoding v1): what Yjs itself would not write is what tests need. */
export function writeUpdateOf({ clients = [], deleted = [] }: WrittenUpdate): Uint8Array {
  return encoding.encode(encoder => {
    encoding.writeVarUint(encoder, clients.length);
    for (const { client, clock, structs } of clients) {
      for (const value of [structs.length, client, clock]) encoding.writeVarUint(encoder, value);
      for (const struct of structs) writeStruct(encoder, struct);
    }
    encoding.writeVarUint(encoder, deleted.length);
    for (const { client, ranges } of deleted)
      for (const value of [client, ranges.length, ...ranges.flat()]) encoding.writeVarUint(encoder, value);
  });
}

function writeStruct(encoder: encoding.Encoder, struct: WrittenStruct): void {
  const { origin, rightOrigin, parent, key, content } = struct;
  if (content.kind === 'gc' || content.kind === 'skip') {
    encoding.writeUint8(encoder, content.kind === 'gc' ? 0 : 10);
    encoding.writeVarUint(encoder, content.length);
    return;
  }
  const flags = (origin ? 0x80 : 0) | (rightOrigin ? 0x40 : 0) | (key === undefined ? 0 : 0x20);
  encoding.writeUint8(encoder, flags | refOf(content));
  for (const id of [origin, rightOrigin]) if (id) writeId(encoder, id);
  if (!origin && !rightOrigin) {
    encoding.writeVarUint(encoder, typeof parent === 'object' ? 0 : 1);
    if (typeof parent === 'object') writeId(encoder, parent);
    else encoding.writeVarString(encoder, parent ?? 'shared');
    if (key !== undefined) encoding.writeVarString(encoder, key);
  }
  writeContent(encoder, content);
}

function writeId(encoder: encoding.Encoder, { client, clock }: OperationId): void {
  encoding.writeVarUint(encoder, client);
  encoding.writeVarUint(encoder, clock);
}

function refOf(content: WrittenStruct['content']): number {
  if (content.kind === 'raw') return content.ref;
  return { gc: 0, deleted: 1, characters: 4, type: 7, values: 8, skip: 10 }[content.kind];
}

function writeContent(encoder: encoding.Encoder, content: WrittenStruct['content']): void {
  switch (content.kind) {
    case 'values':
      encoding.writeVarUint(encoder, content.values.length);
      for (const value of content.values) encoding.writeAny(encoder, value);
      break;
    case 'characters':
      encoding.writeVarString(encoder, content.text);
      break;
    case 'type':
      encoding.writeVarUint(encoder, content.ref);
      break;
    case 'raw':
      encoding.writeUint8Array(encoder, content.bytes);
      break;
    default:
      encoding.writeVarUint(encoder, content.length);
  }
}

import { bytesToHex } from '@noble/hashes/utils.js';
import * as Y from 'yjs';
import { MeshDocument, type MeshDocumentOptions } from '../mesh-document.js';
import { type UpdateFault, UpdateRefused } from '../update-refused.js';
import type { Origin } from '../writer-registry.js';

export const ANN = { kind: 'peer', name: 'ann' } as const;
export const BOB = { kind: 'peer', name: 'bob' } as const;
export const SERVICE = { kind: 'service' } as const;
export const NODE = { publicKey: 'ab', identity: 'verified', since: 1 } as const;

/** A document with an entry of the service's, and an editor of it with all that it has. */
export function withNode(options: MeshDocumentOptions = {}): { document: MeshDocument; editor: Y.Doc } {
  const document = new MeshDocument(options);
  document.write(({ nodes }) => nodes.set('aa', NODE));
  return { document, editor: editorOf(document) };
}

export function editorOf(document: MeshDocument): Y.Doc {
  const editor = new Y.Doc();
  Y.applyUpdate(editor, document.encode());
  return editor;
}

/** What an editor says of one change. */
export function said(editor: Y.Doc, change: (editor: Y.Doc) => void): Uint8Array {
  const before = Y.encodeStateVector(editor);
  let update: Uint8Array | undefined;
  editor.once('update', (bytes: Uint8Array) => (update = bytes));
  editor.transact(() => change(editor));
  return update ?? Y.encodeStateAsUpdate(editor, before);
}

/** How a replica refuses an update. @throws Error where it takes it, or is not what it was */
export function refusal(document: MeshDocument, update: Uint8Array, origin: Origin = ANN): UpdateRefused {
  const before = everythingOf(document);
  try {
    document.apply(update, origin);
  } catch (error) {
    if (!(error instanceof UpdateRefused)) throw error;
    if (everythingOf(document) !== before) throw new Error(`refused, and changed: ${error.message}`);
    return error;
  }
  throw new Error('the update is not refused');
}

const everythingOf = (document: MeshDocument) =>
  [bytesToHex(document.encode()), document.stateHash, document.stateVector, document.writers.size].join();

export const faultOf = (...of: Parameters<typeof refusal>): UpdateFault => refusal(...of).code;

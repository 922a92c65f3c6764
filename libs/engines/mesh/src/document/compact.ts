import * as Y from 'yjs';
import { copyOf } from './carried-change.js';
import { ROOTS } from './update-reader.js';
import { UpdateRefused } from './update-refused.js';

/**
 * One update in the place of a snapshot and all that was stored after it, in any order: same state, same state vector.
 *
 * It loads them into a document and encodes that, which forgets the content of what was deleted or overwritten. Merging the
 * updates as bytes (`Y.mergeUpdates`) keeps all of it: for 10,000 values that three peers set under 1,000 keys it takes thirty
 * times as long, and makes 127 KB of what are 100 KB.
 *
 * @throws UpdateRefused INCOMPLETE where they build on something that is not among them
 */
export function compact(snapshot: Uint8Array | undefined, updates: readonly Uint8Array[]): Uint8Array {
  const document = new Y.Doc();
  try {
    // One transaction: what is deleted by the end is collected once.
    document.transact(() => {
      if (snapshot) Y.applyUpdate(document, snapshot);
      for (const update of updates) Y.applyUpdate(document, update);
    });
    const { pendingStructs, pendingDs } = document.store;
    if (pendingStructs || pendingDs)
      throw new UpdateRefused('INCOMPLETE', 'an update builds on operations that are not among them');
    return Y.encodeStateAsUpdate(document);
  } finally {
    document.destroy();
  }
}

/**
 * One update that says what several say, in the order in which a document took them: what {@link MeshDocument.apply} and
 * `applyRun` gave back, with none left out in between. It is made of their bytes alone, so it says nothing else that the
 * document may hold by now. Linear but for sorting them once for each of theirs: a few hundred at most.
 */
export function mergeStored(updates: readonly Uint8Array[]): Uint8Array {
  return Y.mergeUpdates([...updates]);
}

/**
 * A document with the content of another and none of its history: every operation is of one client, so that the client ids
 * that wrote in the other, and what was deleted in it, take no room. It merges with no replica of the other one: lists would
 * hold everything twice.
 *
 * @param update the other document, whole and trusted
 * @param clientId one that nobody has written under
 * @returns the new document as one update: the same state hash
 */
export function rewrite(update: Uint8Array, clientId: number): Uint8Array {
  const from = new Y.Doc();
  const into = new Y.Doc();
  into.clientID = clientId;
  try {
    Y.applyUpdate(from, update);
    into.transact(() => {
      for (const root of ROOTS)
        for (const [key, value] of from.getMap(root)) into.getMap(root).set(key, copyOf(value));
    });
    return Y.encodeStateAsUpdate(into);
  } finally {
    from.destroy();
    into.destroy();
  }
}

import * as Y from 'yjs';
import type { Judgement } from './judge-update.js';

/**
 * Merges an update that was judged against this very state of the document.
 * @returns the update as it changed the document: what was new in it and nothing else
 * @throws Error where Yjs could not merge it whole: the document is to be thrown away, and the judgement is at fault
 */
export function mergeJudged(
  document: Y.Doc,
  update: Uint8Array,
  { repeats }: Judgement,
  transactionOrigin: unknown,
): Uint8Array {
  let merged: Uint8Array | undefined;
  const onUpdate = (bytes: Uint8Array) => (merged = bytes);
  document.on('update', onUpdate);
  try {
    // Yjs looks for the neighbours of what it has, too, which are not judged; and what it has of an item it cuts off by way of
    // the item's left part, which fails where that was deleted with its parent.
    const cut = repeats ? Y.diffUpdate(update, Y.encodeStateVector(document)) : update;
    Y.applyUpdate(document, cut, transactionOrigin);
  } finally {
    document.off('update', onUpdate);
  }
  const { pendingStructs, pendingDs } = document.store;
  if (!merged || pendingStructs || pendingDs) throw new Error('an update that was judged whole is not');
  return merged;
}

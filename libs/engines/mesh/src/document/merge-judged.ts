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
  judged: Judgement,
  transactionOrigin: unknown,
): Uint8Array {
  const merged = changeOf(document, transactionOrigin, () =>
    mergeInChange(document, update, judged, transactionOrigin),
  );
  return merged ?? notWhole();
}

/**
 * Does work on a document as one change of it: listeners are told, and what was overwritten is collected, once at its end.
 * @returns all that is new by it, as one update; none where nothing is
 */
export function changeOf(
  document: Y.Doc,
  transactionOrigin: unknown,
  work: () => void,
): Uint8Array | undefined {
  let change: Uint8Array | undefined;
  const onUpdate = (bytes: Uint8Array) => (change = bytes);
  document.on('update', onUpdate);
  try {
    document.transact(work, transactionOrigin);
  } finally {
    document.off('update', onUpdate);
  }
  return change;
}

/**
 * {@link mergeJudged} within the work of {@link changeOf}.
 * @throws Error where Yjs could not merge it whole
 */
export function mergeInChange(
  document: Y.Doc,
  update: Uint8Array,
  { repeats }: Judgement,
  transactionOrigin: unknown,
): void {
  // Yjs looks for the neighbours of what it has, too, which are not judged; and what it has of an item it cuts off by way of
  // the item's left part, which fails where that was deleted with its parent.
  const cut = repeats ? Y.diffUpdate(update, Y.encodeStateVector(document)) : update;
  Y.applyUpdate(document, cut, transactionOrigin);
  const { pendingStructs, pendingDs } = document.store;
  if (pendingStructs || pendingDs) notWhole();
}

function notWhole(): never {
  throw new Error('an update that was judged whole is not');
}

import * as Y from 'yjs';

/**
 * One update that says what several say, in the order in which a document took them: what {@link MeshDocument.apply} and
 * `applyRun` gave back, with none left out in between. It is made of their bytes alone, so it says nothing else that the
 * document may hold by now. Linear but for sorting them once for each of theirs: a few hundred at most.
 */
export function mergeStored(updates: readonly Uint8Array[]): Uint8Array {
  return Y.mergeUpdates([...updates]);
}

import * as Y from 'yjs';
import { UpdateRefused } from './update-refused.js';

/** Share of the bound that is kept for deletions: 1/16. */
const RESERVE_DIVISOR = 16;

/**
 * Size of a document, encoded. Encoding 4 MB takes tens of milliseconds, so it is done only where an upper bound, made of what
 * came since, would refuse an update, and not again before the document has changed.
 */
export class DocumentSize {
  #measuredBytes: number;
  #grownBytes = 0;

  constructor(
    private readonly document: Y.Doc,
    private readonly bytesMax: number,
  ) {
    this.#measuredBytes = this.#measure();
  }

  /** Upper bound of the encoded size. */
  get bytesAtMost(): number {
    return this.#measuredBytes + this.#grownBytes;
  }

  /**
   * Checks that an update fits. Deletions alone may use the last sixteenth, so that a full document can be made emptier.
   * @throws UpdateRefused DOCUMENT_FULL
   */
  requireRoom(growthBytes: number, isDeletionAlone: boolean): void {
    const reserve = this.bytesMax / RESERVE_DIVISOR;
    const max = this.bytesMax - (isDeletionAlone ? 0 : reserve);
    if (this.bytesAtMost + growthBytes <= max) return;
    if (this.#grownBytes > 0) {
      this.#measuredBytes = this.#measure();
      this.#grownBytes = 0;
    }
    const got = this.bytesAtMost + growthBytes;
    if (got > max)
      throw new UpdateRefused('DOCUMENT_FULL', `the document would be of ${got} bytes, the most is ${max}`, {
        max,
        got,
      });
  }

  grow(growthBytes: number): void {
    this.#grownBytes += growthBytes;
  }

  #measure(): number {
    return Y.encodeStateAsUpdate(this.document).length;
  }
}

/** Bytes that what was written under a client id takes of an encoded document; linear in that, whatever else there is. */
export function writtenBytes({ store }: Y.Doc, clientId: number): number {
  const encoder = new Y.UpdateEncoderV1();
  for (const struct of store.clients.get(clientId) ?? []) struct.write(encoder, 0);
  return encoder.toUint8Array().length;
}

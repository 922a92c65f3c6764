import { type MeshDocument, type Origin, UpdateRefused } from '@svc/mesh';
import type { AddressShares } from './address-shares.js';

/** Writes into the document that took the place of the ended one. */
type Carrying = Parameters<MeshDocument['write']>[0];

/**
 * The document before it was begun anew, with what was not stored of it, as long as peers may still write in it: what comes late is
 * taken over by the values of the keys that it changed.
 */
export class EndedDocument {
  private document: MeshDocument | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param keptMs how long what is late is taken over */
  constructor(
    private readonly keptMs: number,
    private readonly shares: AddressShares,
  ) {}

  get isKept(): boolean {
    return this.document !== undefined;
  }

  /** Another one has ended. */
  keep(document: MeshDocument): void {
    document.liftWritersBound();
    this.document = document;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.document = undefined), this.keptMs).unref();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  /**
   * Merges what is late, as far as it fits; what does not is passed over.
   * @returns what takes it over; undefined where nothing was new
   * @throws UpdateRefused RENEWED where the document is kept no more; ADDRESS_SHARE where so much comes late from that address
   */
  take(updates: readonly Uint8Array[], origin: Origin, address: string | undefined): Carrying | undefined {
    const { document } = this;
    if (!document) throw new UpdateRefused('RENEWED', 'of a document that was begun anew some time ago');
    const taken = updates.flatMap(update => this.merge(document, update, origin, address) ?? []);
    return taken.length === 0 ? undefined : ({ shared }) => document.carried(taken).writeTo(shared);
  }

  private merge(
    document: MeshDocument,
    update: Uint8Array,
    origin: Origin,
    address: string | undefined,
  ): Uint8Array | undefined {
    try {
      const { changed, deletesAlone } = document.judge(update, origin);
      if (changed && !deletesAlone && address !== undefined) this.shares.takeLate(address, update.length);
      return document.apply(update, origin).stored;
    } catch (error) {
      if (error instanceof UpdateRefused && error.code !== 'ADDRESS_SHARE') return undefined;
      throw error;
    }
  }
}

import { compact, MeshDocument, rewrite, UpdateRefused } from '@svc/mesh';
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { Compaction, DocumentStore, RenewedContent, Snapshot } from './document-store.js';

/** Bytes behind a snapshot after which a new one takes their place, however few updates they are of. */
const COMPACT_BYTES = 8 * 1024 * 1024;
/** How long it waits for more, milliseconds: what comes by the thousand goes into a few snapshots and not into one each 500. */
const GATHER_MS = 1_000;

/**
 * Puts a snapshot in the place of updates when there are many: whoever starts reads less, and what was overwritten goes.
 * Every replica tries; of several at once one does it.
 */
export class DocumentCompactor {
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private sinceLook = 0;

  /** @param options.updatesMin behind the snapshot, before it is worth while */
  constructor(
    private readonly store: DocumentStore,
    private readonly options: { readonly updatesMin: number; readonly logger: Logger },
  ) {}

  /** So many updates were stored here: looks soon, where they are many. */
  stored(count: number): void {
    this.sinceLook += count;
    if (this.sinceLook < this.options.updatesMin) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.look();
    }, GATHER_MS).unref();
  }

  /** Ends after what is at work. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.running;
  }

  /** Compacts where there is enough to; never rejects. */
  look(): Promise<void> {
    this.running ??= this.compactEnough().finally(() => (this.running = undefined));
    return this.running;
  }

  private async compactEnough(): Promise<void> {
    try {
      const { rows, sizeBytes } = await this.store.sinceSnapshot();
      this.sinceLook = rows;
      if (rows < this.options.updatesMin && sizeBytes < COMPACT_BYTES) return;
      const updates = await this.store.compact(makeSnapshot);
      this.sinceLook = 0;
      if (updates) this.options.logger.info({ updates }, 'Updates went into a snapshot');
    } catch (error) {
      this.options.logger.warn({ reason: (error as Error).message }, 'Updates did not go into a snapshot');
    }
  }
}

/**
 * The snapshot of a snapshot and of what came after it: what a replica has that read them one by one.
 * @throws Error where it would say anything else, and UpdateRefused where the parts are not whole
 */
export function makeSnapshot({ snapshot, updates }: Compaction): Pick<Snapshot, 'bytes' | 'stateHash'> {
  const read = new MeshDocument({ snapshot: snapshot?.bytes });
  const taken = updates.filter(update => takes(read, update));
  const bytes = compact(snapshot?.bytes, taken);
  const { stateHash } = new MeshDocument({ snapshot: bytes });
  if (stateHash !== read.stateHash) throw new Error('a snapshot would say something else than its updates');
  return { bytes, stateHash };
}

/**
 * The document of a snapshot and of what came after it, rewritten under one client id that nobody has; or an empty one.
 * @throws Error where it would say anything else, and UpdateRefused where the parts are not whole
 */
export function makeRenewal(from: Compaction, content: 'kept' | 'cleared'): RenewedContent {
  const old = makeSnapshot(from);
  // As large as those that Yjs draws.
  const clientId = randomInt(1, 2 ** 32);
  const bytes = rewrite(content === 'kept' ? old.bytes : EMPTY, clientId);
  const { stateHash } = new MeshDocument({ snapshot: bytes });
  if (content === 'kept' && stateHash !== old.stateHash)
    throw new Error('the document begun anew would say something else than it said');
  const ended = new MeshDocument(content === 'kept' ? { snapshot: old.bytes } : {});
  const endedBytes = new Map([...ended.writers.keys()].map(id => [id, ended.bytesOf(id)]));
  return { bytes, stateHash, clientId, bytesBefore: old.bytes.length, endedBytes };
}

/** No operations, no deletions. */
const EMPTY = Uint8Array.of(0, 0);

/** Replicas pass over what does not fit, too. */
function takes(document: MeshDocument, update: Uint8Array): boolean {
  try {
    document.apply(update, { kind: 'service' });
    return true;
  } catch (error) {
    if (error instanceof UpdateRefused) return false;
    throw error;
  }
}

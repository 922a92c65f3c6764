import { type BusLink, NoticeBoard } from '@svc/platform';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { DocumentCompactor } from './document-compactor.js';
import type { DocumentReplica } from './document-replica.js';
import type { StoredRange } from './document-store.js';
import type { TakenUpdate } from './update-keeper.js';

/** What is more is read from where it is stored. */
const NOTICE_BYTES_MAX = 32_768;
/** How long what another replica has stored may take to be heard of, where it is known to be there, milliseconds. */
const MISSED_AFTER_MS = 500;
/** How soon a bus that is back is noticed, milliseconds. */
const LOOK_AT_BUS_MS = 1_000;

const Seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Bytes: z.ZodType<Uint8Array, Uint8Array> = z.instanceof(Uint8Array);
const node = z.string().max(64);

/** What replicas tell one another of the document. */
const DocumentNotice = z.discriminatedUnion('type', [
  /** Updates were committed; with their bytes where these are few. */
  z.object({
    ...{ type: z.literal('stored'), node, after: Seq, upto: Seq },
    updates: z.array(Bytes).max(4_096).optional(),
  }),
  /** What a replica has that holds nothing but what is stored. */
  z.object({
    ...{ type: z.literal('state'), node, seq: Seq },
    stateHash: z.string().regex(/^[0-9a-f]{64}$/),
  }),
]);
type DocumentNotice = z.output<typeof DocumentNotice>;

export interface ReplicaSyncParts {
  readonly link: BusLink;
  readonly nodeId: string;
  readonly replica: DocumentReplica;
  readonly compactor: DocumentCompactor;
  readonly intervalMs: number;
  readonly logger: Logger;
}

/**
 * Keeps the replicas in step. What one stores it tells the others; and at an interval, when a notice was missed or the bus was
 * away, each reads what it lacks from where all of it is stored, then tells what it has: of two that have the same updates and
 * do not say the same, both read everything anew.
 */
export class ReplicaSync {
  private readonly notices: NoticeBoard<typeof DocumentNotice>;
  private readonly ends: (() => void)[] = [];
  private rounds: Promise<void> = Promise.resolve();
  private wasConnected = true;
  private open = true;
  private missed: NodeJS.Timeout | undefined;
  /** The place at which another replica said something else the last time. */
  private differedAt: number | undefined;

  constructor(private readonly parts: ReplicaSyncParts) {
    this.notices = new NoticeBoard(parts.link, 'mesh-signalling', 'document', DocumentNotice, parts.logger);
  }

  start(): void {
    const { replica, link, intervalMs } = this.parts;
    this.notices.hear(notice => this.heard(notice));
    this.ends.push(
      replica.listen({
        onCommitted: (updates, range) => this.tellStored(updates, range),
        // Without what it is: all of it is read.
        onRenewed: range => this.notices.tell({ type: 'stored', node: this.parts.nodeId, ...range }),
      }),
    );
    const rounds = setInterval(() => void this.round(), intervalMs).unref();
    const looks = setInterval(() => {
      if (link.connected && !this.wasConnected) void this.round();
      this.wasConnected = link.connected;
    }, LOOK_AT_BUS_MS).unref();
    this.ends.push(
      () => clearInterval(rounds),
      () => clearInterval(looks),
    );
  }

  /** Reads what is missing and tells what is here; never rejects, and one goes after the other. */
  round(): Promise<void> {
    const { replica, compactor, logger } = this.parts;
    this.rounds = this.rounds.then(async () => {
      if (!this.open) return;
      try {
        await replica.catchUp();
        this.tellState();
        await compactor.look();
      } catch (error) {
        logger.warn(
          { reason: (error as Error).message },
          'The document was not compared with what is stored',
        );
      }
    });
    return this.rounds;
  }

  /** Ends after the round at hand. */
  async stop(): Promise<void> {
    this.open = false;
    for (const end of this.ends.splice(0)) end();
    clearTimeout(this.missed);
    await this.rounds;
    await this.parts.compactor.stop();
  }

  private tellStored(updates: readonly TakenUpdate[], range: StoredRange): void {
    this.parts.compactor.stored(updates.length);
    const sizeBytes = updates.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const told = sizeBytes <= NOTICE_BYTES_MAX ? { updates: updates.map(({ bytes }) => bytes) } : {};
    this.notices.tell({ type: 'stored', node: this.parts.nodeId, ...range, ...told });
    if (this.parts.replica.hasGap) this.expectMissing();
  }

  /** Somebody else's came before: its notice is on its way, or was missed. */
  private expectMissing(): void {
    this.missed ??= setTimeout(() => {
      this.missed = undefined;
      if (this.parts.replica.hasGap) void this.round();
    }, MISSED_AFTER_MS).unref();
  }

  private tellState(): void {
    const { replica, nodeId } = this.parts;
    if (!replica.isAtRest) return;
    const { stateHash } = replica.document;
    this.notices.tell({ type: 'state', node: nodeId, seq: replica.seq, stateHash });
  }

  private heard(notice: DocumentNotice): void {
    if (!this.open || notice.node === this.parts.nodeId) return;
    const work = notice.type === 'stored' ? this.heardStored(notice) : this.heardState(notice);
    work.catch((error: unknown) =>
      this.parts.logger.warn({ reason: (error as Error).message }, 'What another replica has was not read'),
    );
  }

  private heardStored({ after, upto, updates }: DocumentNotice & { type: 'stored' }): Promise<void> {
    const { replica } = this.parts;
    return updates ? replica.takeStored({ after, upto }, updates) : replica.catchUp();
  }

  private async heardState({ seq, stateHash }: DocumentNotice & { type: 'state' }): Promise<void> {
    const { replica, logger } = this.parts;
    if (seq > replica.seq) await replica.catchUp();
    if (seq !== replica.seq || !replica.isAtRest) return;
    const differs = stateHash !== replica.document.stateHash;
    // Twice at one place: once, it may have been told before and read after something else.
    if (differs && this.differedAt === seq) {
      logger.error({ seq }, 'Replicas of the document differ; it is read anew');
      await replica.reload();
    }
    this.differedAt = differs ? seq : undefined;
  }
}

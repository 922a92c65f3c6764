import { PeerDocument, type SyncSession, UpdateRefused } from '@svc/mesh';
import {
  type BusConfig,
  createLogger,
  type EmbeddedPostgres,
  MemoryBus,
  openBusLink,
  openDataSource,
} from '@svc/platform';
import { startTemporaryPostgres, HANGS_MS } from '@svc/platform/testing';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { DocumentCompactor } from '../src/document/document-compactor.js';
import { DocumentReplica, type ReplicaOptions as DocumentOptions } from '../src/document/document-replica.js';
import { DocumentStore } from '../src/document/document-store.js';
import type { DocumentChannel } from '../src/document/mesh-documents.js';
import { ReplicaSync } from '../src/document/replica-sync.js';
import { SharedDocuments } from '../src/document/shared-documents.js';
import { DOCUMENT_RIGHTS, MeshDocument1765600000000 } from '../src/migrations/1765600000000-mesh-document.js';
import { DocumentEpochs1767000000000 } from '../src/migrations/1767000000000-document-epochs.js';
import { AddressBytes1767400000000 } from '../src/migrations/1767400000000-address-bytes.js';
import type { Peer } from '../src/peer/peer.js';

const SILENT = createLogger('mesh-signalling', { level: 'silent' });

export interface ReplicaOptions extends DocumentOptions {
  /** Between two comparisons; by default none but the one at the start. */
  readonly intervalMs?: number;
  readonly updatesMin?: number;
  readonly bus?: BusConfig;
  readonly logger?: Logger;
  /** In the place of the store on the replica's own connections. */
  store?(dataSource: DataSource, name: string): DocumentStore;
}

/** A replica of the document, as the service has it, with all that it needs. */
export interface ReplicaUnderTest {
  readonly documents: SharedDocuments;
  readonly replica: DocumentReplica;
  readonly store: DocumentStore;
  readonly dataSource: DataSource;
  readonly sync: ReplicaSync;
  readonly compactor: DocumentCompactor;
  close(): Promise<void>;
}

/** Postgres with the tables of the document, and replicas on it. */
export class DocumentReplicas {
  private readonly open: ReplicaUnderTest[] = [];
  private readonly memory = { kind: 'memory', bus: new MemoryBus() } as const;
  private documents = 0;
  documentName = 'mesh';

  private constructor(readonly postgres: EmbeddedPostgres) {}

  static async start(): Promise<DocumentReplicas> {
    return new DocumentReplicas(await startTemporaryPostgres());
  }

  /** From now on another document, which is empty. */
  async next(): Promise<void> {
    await this.closeAll();
    this.documentName = `mesh-${++this.documents}`;
  }

  async database(): Promise<DataSource> {
    return openDataSource({
      ...{ service: 'mesh-signalling', logger: SILENT },
      migrations: [MeshDocument1765600000000, DocumentEpochs1767000000000, AddressBytes1767400000000],
      ...this.postgres.urlsFor('mesh-signalling'),
      url: this.postgres.urlFor('mesh-signalling'),
      tableRights: DOCUMENT_RIGHTS,
    });
  }

  async replica(options: ReplicaOptions = {}): Promise<ReplicaUnderTest> {
    const { intervalMs = 3_600_000, updatesMin = 1_000_000, bus = this.memory, logger = SILENT } = options;
    const dataSource = await this.database();
    const store =
      options.store?.(dataSource, this.documentName) ?? new DocumentStore(dataSource, this.documentName);
    const link = openBusLink(bus, 'mesh-signalling', logger);
    await link.connect();
    const replica = new DocumentReplica(store, logger, options);
    const compactor = new DocumentCompactor(store, { updatesMin, logger });
    const nodeId = `node-${randomUUID()}`;
    const sync = new ReplicaSync({ link, nodeId, replica, compactor, intervalMs, logger });
    const documents = new SharedDocuments(replica, sync, logger);
    await documents.onModuleInit();
    const opened: ReplicaUnderTest = {
      ...{ documents, replica, store, dataSource, sync, compactor },
      close: async () => {
        const at = this.open.indexOf(opened);
        if (at < 0) return;
        this.open.splice(at, 1);
        await documents.onModuleDestroy();
        await link.close();
        await dataSource.destroy();
      },
    };
    this.open.push(opened);
    return opened;
  }

  async stop(): Promise<void> {
    await this.closeAll();
    await this.postgres.stop();
  }

  private async closeAll(): Promise<void> {
    for (const each of [...this.open]) await each.close();
  }
}

/** A peer by a name, verified where nothing else is said. */
export function peerOf(name: string, identity: Peer['identity'] = 'verified'): Peer {
  const publicKey = createHash('sha256').update(`key of ${name}`).digest('hex');
  const keyHash = createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex');
  return { publicKey, keyHash, identity };
}

export interface Refusal {
  readonly code: string;
  readonly closes: boolean;
  readonly max?: number;
  readonly got?: number;
}

/** A peer with a document of its own on a channel to a replica; the messages of either side arrive in their order, later. */
export class PeerUnderTest {
  document = new PeerDocument();
  readonly refusals: Refusal[] = [];
  channel: DocumentChannel | undefined;
  session: SyncSession | undefined;
  /** How often it was told that the document was begun anew. */
  renewals = 0;
  /** What came from the service and the peer could not take. */
  readonly faults: string[] = [];
  /** Messages of the service, of each kind. */
  readonly heard: number[] = [0, 0, 0, 0];

  constructor(readonly peer: Peer) {}

  connect(to: SharedDocuments | Pick<ReplicaUnderTest, 'documents'>): this {
    const documents = to instanceof SharedDocuments ? to : to.documents;
    const incoming: Uint8Array[] = [];
    const deliver = () => {
      for (const message of incoming.splice(0)) this.take(message);
    };
    this.channel = documents.open(this.peer, {
      send: message => {
        this.heard[message[0]] += 1;
        if (incoming.push(message) === 1) setImmediate(deliver);
        return true;
      },
      refused: ({ code, closes, max, got }) => {
        // It is told in its place among the messages, too.
        if (code !== 'RENEWED')
          this.refusals.push({ code, closes, ...(max !== undefined && { max, got: got! }) });
      },
    });
    this.openSession();
    return this;
  }

  private openSession(): void {
    const { channel } = this;
    this.session = this.document.open(message => channel?.receive(message));
  }

  /** As when its connection breaks. */
  disconnect(): void {
    if (this.session) this.document.close(this.session);
    this.channel?.close();
    this.session = undefined;
  }

  private take(message: Uint8Array): void {
    try {
      if (this.session?.receive(message).kind !== 'renewed') return;
      this.renewals += 1;
      this.document.close(this.session);
      this.document = this.document.renewed();
      this.openSession();
    } catch (error) {
      if (!(error instanceof UpdateRefused)) throw error;
      this.faults.push(error.code);
    }
  }
}

/** Waits until it holds. @throws Error where it hangs */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + HANGS_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it hangs: ${what}`);
    await delay(5);
  }
}

/** Waits until all of them say the same. @returns what they say */
export async function untilEqual(...all: readonly (ReplicaUnderTest | PeerUnderTest)[]): Promise<string> {
  const hashOf = (each: ReplicaUnderTest | PeerUnderTest) =>
    'replica' in each ? each.replica.document.stateHash : each.document.stateHash;
  await until(() => new Set(all.map(hashOf)).size === 1, 'equal state hashes');
  return hashOf(all[0]);
}

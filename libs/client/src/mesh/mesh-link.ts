import { type CarriedChange, PeerDocument, type SyncSession, UpdateRefused } from '@svc/mesh';
import { ConnectionError, ProblemError, SvcError } from '../errors.js';
import { wait } from '../retry-budget.js';
import { backoffMs, randomShare } from './backoff.js';
import type { ControlMessage } from './control-message.js';
import { bytesOf, openWithTries, trySend } from './data-channels.js';
import { MeshConnectionError } from './mesh-error.js';
import { MeshEvents } from './mesh-events.js';
import { Pings } from './pings.js';
import { connectToService, type ConnectionMeans, type SuperPeerConnection } from './super-peer-connection.js';

/** The connection of now, and what was verified before it was made. */
export interface MeshSessionView {
  readonly sessionId: string;
  /** The replica of the service that holds it. */
  readonly nodeId: string;
  readonly identity: 'verified' | 'unverified';
  /** SHA-256 of this side's certificate, which its proof is of. */
  readonly fingerprint: string;
  /** SHA-256 of the service's certificate, which its answer is signed with. */
  readonly serviceFingerprint: string;
  /** The published key that signed the answer, hex. */
  readonly servicePublicKey: string;
}

export type MeshPeerState = 'connecting' | 'open' | 'closed';

/** What a peer tells of itself. */
export interface MeshPeerEvents {
  state: MeshPeerState;
  /** A connection is open, the first or another. */
  open: MeshSessionView;
  /** The service will close the connection; another is being made. */
  draining: { readonly reconnectWithinMs: number };
  /** The connection is gone, or another could not be made; it is tried again after `retryInMs`. */
  lost: { readonly error?: unknown; readonly retryInMs: number };
  /**
   * A change of the document is not taken, by the rules of the service here or by the service; `max` and `got` where it is past a
   * bound. It is undone: `documentRenewed` comes next.
   */
  refused: {
    readonly code: string;
    readonly detail: string;
    readonly max?: number;
    readonly got?: number;
  };
  /**
   * Another document has taken the place of the one before: without a change that was refused, or the one that the service has
   * begun anew. What is still set or deleted in `shared` of the one before is set in this one.
   */
  documentRenewed: PeerDocument;
  /** Every message of the service on `ctl`. */
  control: ControlMessage;
  /** For good: by `close`, or by an error that another try does not mend. */
  closed: { readonly error?: unknown };
}

/** How soon a link does again what it does again and again. */
export interface Pace {
  /** Bound of the first wait before a lost connection is made anew. */
  readonly backoffMs: number;
  /** Least time between two pings. */
  readonly pingMsMin: number;
}

/** A connection in use. */
interface Use {
  readonly made: SuperPeerConnection;
  sync: { readonly document: PeerDocument; readonly session: SyncSession };
  readonly pings: Pings;
  /** Resolves when it is to be left: because it is gone, or because the service drains. */
  readonly over: Promise<{ readonly reconnectWithinMs?: number }>;
  readonly drain: (reconnectWithinMs: number) => void;
}

/** Bytes that may wait to be sent on `crdt`: more than a whole document. A connection that does not get rid of them is lost. */
const WAITING_BYTES_MAX = 16_777_216;
/** Of the time that a draining service gives, the part in which its peers leave it, each at another moment. */
const DRAIN_SPREAD = 0.5;

/** Keeps one connection to the service at a time, and the document in step over it. */
export class MeshLink {
  readonly events = new MeshEvents<MeshPeerEvents>();
  document = new PeerDocument({
    onRefused: ({ code, detail, max, got }) => {
      this.renewDocument(before => before.withoutRefused());
      this.events.emit('refused', { code, detail, ...(max !== undefined && { max, got }) });
      this.events.emit('documentRenewed', this.document);
    },
    onOutdated: change => this.outdated(change),
  });
  state: MeshPeerState = 'connecting';
  private use: Use | undefined;
  private lastFailure: unknown;
  private readonly ending = new AbortController();

  constructor(
    private made: ConnectionMeans,
    private readonly pace: Pace,
  ) {}

  get means(): ConnectionMeans {
    return this.made;
  }

  get identity() {
    return this.made.identity;
  }

  get session(): MeshSessionView | undefined {
    if (this.use === undefined) return undefined;
    const { answer, welcome, fingerprint } = this.use.made;
    return {
      sessionId: answer.sessionId,
      nodeId: welcome.nodeId,
      identity: welcome.identity,
      fingerprint,
      serviceFingerprint: answer.fingerprint,
      servicePublicKey: answer.servicePublicKey,
    };
  }

  /** Makes the first connection, whose failure is the caller's, and goes on by itself from there. */
  async start(signal?: AbortSignal): Promise<void> {
    try {
      const either = this.within(signal);
      await openWithTries(() => this.connect(either));
    } catch (error) {
      this.ending.abort(error);
      throw error;
    }
    void this.keepUp();
  }

  /** A signal that aborts with the caller's, or with this link. */
  within(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.ending.signal : AbortSignal.any([signal, this.ending.signal]);
  }

  echo(bytes: Uint8Array): Promise<Uint8Array> {
    return this.use?.made.echo.send(bytes) ?? Promise.reject(disconnected());
  }

  ping(): Promise<number> {
    return this.use?.pings.ping() ?? Promise.reject(disconnected());
  }

  async close(): Promise<void> {
    const { use } = this;
    if (this.state !== 'closed') this.end(undefined);
    if (use === undefined) return;
    await this.made.client.closeMeshSession(use.made.answer.sessionId).catch(() => undefined);
    use.made.connection.close();
  }

  /** One connection after the other. */
  private async keepUp(): Promise<void> {
    try {
      for (;;) {
        const use = this.use!;
        const { reconnectWithinMs } = await use.over;
        this.ending.signal.throwIfAborted();
        // One that drains serves until another is there, or until it is gone.
        void use.made.gone.then(() => this.lose(use));
        if (reconnectWithinMs === undefined) this.lose(use);
        else await wait(randomShare() * DRAIN_SPREAD * reconnectWithinMs, this.ending.signal);
        await this.reconnect(reconnectWithinMs === undefined);
      }
    } catch (error) {
      if (!this.ending.signal.aborted) this.end(error);
    }
  }

  /** @throws what another try does not mend */
  private async reconnect(isLost: boolean): Promise<void> {
    for (let failures = 0; ; failures++) {
      // Whoever lost a connection with all the others waits as the others do, each for another while.
      if (isLost || failures > 0) {
        const retryInMs = backoffMs(failures, this.lastFailure, this.pace.backoffMs);
        this.events.emit('lost', { error: this.lastFailure, retryInMs });
        await wait(retryInMs, this.ending.signal);
      }
      try {
        await this.connect(this.ending.signal);
        this.lastFailure = undefined;
        return;
      } catch (error) {
        if (this.ending.signal.aborted || !isTemporary(error)) throw error;
        this.lastFailure = error;
      }
    }
  }

  private async connect(signal: AbortSignal): Promise<void> {
    // What comes before the connection is in use waits for it.
    const early: (() => void)[] = [];
    const begun: { use?: Use } = {};
    const later = (take: (use: Use) => void) =>
      begun.use ? take(begun.use) : void early.push(() => take(begun.use!));
    const made = await connectToService(
      this.made,
      {
        control: message => later(current => this.takeControl(current, message)),
        crdt: data => later(current => this.takeDocument(current, data)),
      },
      signal,
    );
    if (signal.aborted) {
      made.connection.close();
      throw signal.reason;
    }
    const before = this.use;
    if (before) this.leave(before);
    this.made = { ...this.made, iceServers: made.iceServers };
    this.use = begun.use = this.begin(made);
    for (const take of early) take();
    this.turn('open');
    this.events.emit('open', this.session!);
  }

  private begin(made: SuperPeerConnection): Use {
    let drain: Use['drain'] = () => undefined;
    const draining = new Promise<{ reconnectWithinMs: number }>(resolve => {
      drain = reconnectWithinMs => resolve({ reconnectWithinMs });
    });
    const pings = new Pings(
      made.ctl,
      made.welcome.idleMs,
      () => made.connection.close(),
      this.pace.pingMsMin,
    );
    const gone = Promise.race([made.gone, pings.silent]).then(() => ({}));
    return { made, pings, drain, over: Promise.race([draining, gone]), sync: this.openDocument(made) };
  }

  private openDocument({ crdt, connection }: SuperPeerConnection): Use['sync'] {
    const { document } = this;
    const session = document.open(message => {
      if (crdt.bufferedAmount > WAITING_BYTES_MAX) connection.close();
      else trySend(crdt, message);
    });
    return { document, session };
  }

  private takeDocument(use: Use, data: unknown): void {
    const bytes = bytesOf(data);
    if (bytes === undefined || use !== this.use) return;
    try {
      if (use.sync.session.receive(bytes).kind !== 'renewed') return;
      this.renewDocument(before => before.renewed());
      this.events.emit('documentRenewed', this.document);
    } catch (error) {
      if (!(error instanceof UpdateRefused)) throw error;
      if (use.sync.session.wantsToBeClosed) use.made.connection.close();
    }
  }

  private takeControl(use: Use, message: ControlMessage): void {
    if (use !== this.use) return;
    this.events.emit('control', message);
    if (message.type === 'pong') use.pings.pong(message.id);
    if (message.type === 'draining') {
      this.events.emit('draining', { reconnectWithinMs: message.reconnectWithinMs });
      use.drain(message.reconnectWithinMs);
    }
    if (message.type === 'refused') this.refused(use, message);
  }

  /** What was refused stays in this replica, and all that is written after it would build on it: it begins anew. */
  private refused(use: Use, { type: _, ...refusal }: Extract<ControlMessage, { type: 'refused' }>): void {
    this.events.emit('refused', refusal);
    // What was missing there has been asked for again, and comes; a document that was begun anew is told on `crdt` too, in its place.
    if (['INCOMPLETE', 'RENEWED'].includes(refusal.code) || this.use !== use) return;
    this.renewDocument(before => before.asServed());
    this.events.emit('documentRenewed', this.document);
  }

  /** Goes on with another document, on the connection that there is. */
  private renewDocument(next: (before: PeerDocument) => PeerDocument): void {
    const { use } = this;
    use?.sync.document.close(use.sync.session);
    this.document = next(this.document);
    if (use) use.sync = this.openDocument(use.made);
  }

  /** What is written in a document that is another by now; what is changed inside of a value would take others' changes back. */
  private outdated(change: CarriedChange): void {
    const inside = new Set(change.keysInside);
    const { document } = this;
    document.document.transact(() =>
      change.writeTo(
        document.shared,
        change.keys.filter(key => !inside.has(key)),
      ),
    );
    const keys = [...inside].map(key => JSON.stringify(key)).join(', ');
    if (keys)
      this.events.emit('refused', {
        code: 'RENEWED',
        detail: `a change inside of ${keys} of a document that another has taken the place of`,
      });
  }

  private lose(use: Use): void {
    if (this.use !== use) return;
    this.leave(use);
    this.use = undefined;
    this.turn('connecting');
  }

  /** By both ways: what was last written on a channel may not get out before it is closed. */
  private leave(use: Use): void {
    this.takeLeave(use);
    use.made.connection.close();
    void this.made.client.closeMeshSession(use.made.answer.sessionId).catch(() => undefined);
  }

  private takeLeave({ made, pings, sync }: Use): void {
    sync.document.close(sync.session);
    pings.close();
    trySend(made.ctl, JSON.stringify({ type: 'bye' }));
  }

  private end(error: unknown): void {
    const { use } = this;
    this.use = undefined;
    if (use) this.takeLeave(use);
    this.ending.abort(error ?? new MeshConnectionError('CLOSED', 'the peer was closed'));
    this.turn('closed');
    this.events.emit('closed', { error });
  }

  private turn(state: MeshPeerState): void {
    if (this.state === state) return;
    this.state = state;
    this.events.emit('state', state);
  }
}

const disconnected = () => new MeshConnectionError('DISCONNECTED', 'there is no connection to the service');

/** Whether another try may do better: nobody answered, or not now. What is not believed is not tried again. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status >= 500 || [408, 409, 429].includes(error.status);
  if (error instanceof MeshConnectionError) return error.code === 'NOT_OPENED';
  return error instanceof ConnectionError || !(error instanceof SvcError);
}

import {
  connect,
  headers,
  type Msg,
  type NatsConnection,
  NoRespondersError,
  PermissionViolationError,
  RequestError,
  type Subscription,
  TimeoutError,
} from '@nats-io/transport-node';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { problem, ProblemError } from '../problem-details/problem-error.js';
import type { BusLink, InboundRequest, RequestOptions } from './bus-link.js';
import { type DecodedEnvelope, decodeEnvelope, encodeEnvelope } from './envelope.js';

const RECONNECT_WAIT_MS = 250;
const CONNECT_TIMEOUT_MS = 5_000;
/** A peer that is silent for two pings is gone, also behind a half-open connection. */
const PING_INTERVAL_MS = 10_000;
const PINGS_UNANSWERED_MAX = 2;
/** Header that says for whom a call comes. */
const TURN_HEADER = 'svc-turn';

export interface NatsSettings {
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
}

/**
 * One service's connection to NATS: it waits for the server at the start, reconnects for ever, and
 * drains at the end. Replies come back on `_INBOX.<service>.>`, so that subject permissions can keep
 * services from reading one another's answers.
 */
export class NatsLink implements BusLink {
  private connection: NatsConnection | undefined;
  private readonly subscriptions: Subscription[] = [];
  private readonly closing = new AbortController();
  private up = false;
  private onLost: (() => void) | undefined;

  constructor(
    private readonly settings: NatsSettings,
    private readonly service: string,
    private readonly logger: Logger,
  ) {}

  get connected(): boolean {
    return this.up;
  }

  /** The connection itself, for what else speaks over it. @throws ProblemError SERVICE_UNAVAILABLE while it is lost */
  get nats(): NatsConnection {
    return this.usable();
  }

  /** Of all subjects that answers to this service come back on. */
  get inboxPrefix(): string {
    return `_INBOX.${this.service}`;
  }

  async connect(): Promise<void> {
    let reported = '';
    while (!this.connection) {
      this.closing.signal.throwIfAborted();
      try {
        this.connection = await this.dial();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== reported) this.logger.warn({ reason }, 'NATS is away; waiting for it');
        reported = reason;
        await delay(RECONNECT_WAIT_MS, undefined, { signal: this.closing.signal });
      }
    }
    if (this.closing.signal.aborted) {
      await this.connection.close();
      this.closing.signal.throwIfAborted();
    }
    this.up = true;
    void this.watch(this.connection);
  }

  async request(subject: string, payload: unknown, options: RequestOptions): Promise<DecodedEnvelope> {
    options.signal?.throwIfAborted();
    const connection = this.usable();
    const envelope = encodeEnvelope(payload);
    assertFits(connection, subject, envelope);
    const traced = headers();
    traced.set('traceparent', options.traceparent);
    if (options.turn !== undefined) traced.set(TURN_HEADER, options.turn);
    const answer = connection
      .request(subject, envelope, { timeout: options.timeoutMs, headers: traced })
      .then(message => decodeEnvelope(message.data))
      .catch((error: unknown) => {
        throw this.asProblem(error, subject, options.timeoutMs);
      });
    return options.signal ? raceAbort(answer, options.signal) : answer;
  }

  listen(subject: string, queue: string, onRequest: (request: InboundRequest) => void): void {
    const connection = this.usable();
    const callback = (error: Error | null, message: Msg) => {
      if (error) return this.logger.error({ err: error, subject }, 'The subscription failed');
      return onRequest({
        subject,
        payload: decodeEnvelope(message.data),
        traceparent: message.headers?.get('traceparent') || undefined,
        turn: message.headers?.get(TURN_HEADER) || undefined,
        respond: reply => {
          const envelope = encodeEnvelope(reply);
          assertFits(connection, subject, envelope);
          message.respond(envelope);
        },
      });
    };
    this.subscriptions.push(connection.subscribe(subject, { queue, callback }));
  }

  tell(subject: string, envelope: Uint8Array): void {
    const connection = this.usable();
    assertFits(connection, subject, envelope);
    // Sent later: what the caller does to its bytes meanwhile is not.
    connection.publish(subject, envelope.slice());
  }

  hear(subject: string, onNotice: (envelope: Uint8Array) => void): void {
    const callback = (error: Error | null, message: Msg) => {
      if (error) return this.logger.error({ err: error, subject }, 'The subscription failed');
      return onNotice(message.data);
    };
    // Not among those that a drain ends: the connection's end ends it.
    this.usable().subscribe(subject, { callback });
  }

  async flush(): Promise<void> {
    await this.usable().flush();
  }

  async stopListening(): Promise<void> {
    const subscriptions = this.subscriptions.splice(0);
    // A drain needs the server; with the server away there is nothing left to come in.
    if (this.up) await this.unlessLost(Promise.all(subscriptions.map(each => each.drain())));
  }

  async close(): Promise<void> {
    this.closing.abort(problem('SERVICE_UNAVAILABLE', 'The bus is closed', { retryAfterSeconds: 1 }));
    const connection = this.connection;
    if (!connection || connection.isClosed()) return;
    if (this.up) await this.unlessLost(connection.drain());
    if (!connection.isClosed()) await connection.close();
    this.up = false;
  }

  private dial(): Promise<NatsConnection> {
    const { url, user, password, token } = this.settings;
    return connect({
      servers: url.split(',').map(server => server.trim()),
      ...(user === undefined ? {} : { user, pass: password }),
      ...(token === undefined ? {} : { token }),
      name: `${this.service}-${process.pid}`,
      inboxPrefix: this.inboxPrefix,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      ignoreAuthErrorAbort: true,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: PINGS_UNANSWERED_MAX,
      noAsyncTraces: true,
    });
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        this.up = false;
        this.onLost?.();
        this.logger.warn('NATS is away; reconnecting');
      } else if (status.type === 'reconnect') {
        this.up = true;
        this.logger.info('NATS is back');
      } else if (status.type === 'error') {
        this.logger.error({ reason: status.error.message }, 'NATS reports an error');
      }
    }
    this.up = false;
    this.onLost?.();
  }

  /** Waits for work that only a server can finish, but not for a server that goes away meanwhile. */
  private async unlessLost(work: Promise<unknown>): Promise<void> {
    const lost = new Promise<void>(resolve => (this.onLost = resolve));
    await Promise.race([work.catch(() => undefined), lost]);
  }

  private usable(): NatsConnection {
    if (this.connection && this.up && !this.connection.isClosed()) return this.connection;
    throw problem('SERVICE_UNAVAILABLE', 'The message bus is away', { retryAfterSeconds: 1 });
  }

  private asProblem(error: unknown, subject: string, timeoutMs: number): ProblemError {
    const cause = error instanceof RequestError ? (error.cause ?? error) : error;
    if (cause instanceof NoRespondersError)
      return problem('SERVICE_UNAVAILABLE', `No service answers ${subject}`, { retryAfterSeconds: 1 });
    if (cause instanceof TimeoutError)
      return problem('TIMEOUT', `${subject} did not answer within ${timeoutMs} ms`);
    if (cause instanceof PermissionViolationError)
      return problem('INTERNAL', `${this.service} has no permission to call ${subject}`, { cause });
    return problem('SERVICE_UNAVAILABLE', 'The message bus is away', { retryAfterSeconds: 1, cause });
  }
}

function assertFits(connection: NatsConnection, subject: string, envelope: Uint8Array): void {
  const payloadBytesMax = connection.info?.max_payload ?? Infinity;
  if (envelope.length <= payloadBytesMax) return;
  throw problem(
    'BODY_TOO_LARGE',
    `A message of ${subject} has ${envelope.length} bytes; the bus carries at most ${payloadBytesMax}`,
  );
}

function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

import { BaseRpcContext, type CustomTransportStrategy, Server, Transport } from '@nestjs/microservices';
import type { ServiceName } from '@svc/contracts';
import type { Logger } from 'pino';
import { isObservable, lastValueFrom } from 'rxjs';
import { Hop } from '../observability/hop.js';
import { problem } from '../problem-details/problem-error.js';
import { runInScope } from '../runtime/call-scope.js';
import { readTurn } from '../runtime/caller-turn.js';
import type { BusLink, InboundRequest } from './bus-link.js';
import type { DecodedEnvelope } from './envelope.js';
import { problemPayloadOf, type Reply } from './wire.js';

/** What a handler may learn of the message beside its payload: inject it with Nest's `@Ctx()`. */
export class BusContext extends BaseRpcContext<[subject: string]> {
  getSubject(): string {
    return this.getArgByIndex(0);
  }
}

/**
 * The transport of Nest's microservices here, over either {@link BusLink}. Nest's own NATS server
 * ends by waiting for a fixed time and loses a reply that is larger than the server carries; this
 * one drains, finishes what it has taken, and answers every request.
 */
export class BusServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Transport.NATS;
  private inFlight = 0;
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly link: BusLink,
    private readonly service: ServiceName,
    private readonly log: Logger,
  ) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    this.link
      .connect()
      .then(() => {
        for (const subject of this.messageHandlers.keys()) {
          this.link.listen(subject, this.service, request => void this.take(request));
        }
        return this.link.flush();
      })
      .then(() => callback())
      .catch(callback);
  }

  /** Takes no new requests and resolves when every one that was taken has been answered. */
  async close(): Promise<void> {
    await this.link.stopListening();
    if (this.inFlight > 0) await new Promise<void>(resolve => (this.onIdle = resolve));
  }

  on(): never {
    throw new Error('The bus reports its state through readiness, not through events');
  }

  unwrap<T>(): T {
    return this.link as T;
  }

  private async take(request: InboundRequest): Promise<void> {
    this.inFlight++;
    try {
      const scope = { hop: new Hop(request.traceparent), turn: readTurn(request.turn) };
      await runInScope(scope, () => this.answer(request));
    } catch (error) {
      this.log.error({ err: error, subject: request.subject }, 'A reply could not be sent');
    } finally {
      this.inFlight--;
      if (this.inFlight === 0) this.onIdle?.();
    }
  }

  private async answer({ subject, payload, respond }: InboundRequest): Promise<void> {
    let reply: Reply;
    try {
      reply = { value: (await this.handle(subject, payload)) ?? null };
    } catch (error) {
      reply = { problem: problemPayloadOf(error, subject, this.log) };
    }
    try {
      respond(reply);
    } catch (error) {
      // A reply that the bus cannot carry: the caller gets the reason instead of a silence.
      respond({ problem: problemPayloadOf(error, subject, this.log) });
    }
    this.log.debug({ subject }, 'answered');
  }

  private async handle(subject: string, payload: DecodedEnvelope): Promise<unknown> {
    if (!payload.ok) throw problem('VALIDATION_FAILED', `The message cannot be read: ${payload.reason}`);
    // Not by pattern: Nest parses and sorts that as JSON on each call, and a subject is always text.
    const handler = this.messageHandlers.get(subject);
    if (!handler) throw problem('SERVICE_UNAVAILABLE', `No handler for ${subject}`, { retryAfterSeconds: 1 });
    const result: unknown = await handler(payload.value, new BusContext([subject]));
    return isObservable(result) ? lastValueFrom(result, { defaultValue: null }) : result;
  }
}

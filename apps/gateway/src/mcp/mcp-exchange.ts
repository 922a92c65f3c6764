import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { AnswerStream } from './answer-stream.js';
import { isRecord, type MessageId, type RequestMessage, type ResponseMessage } from './json-rpc.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What the client of a request reads (`Accept`). */
export interface AcceptedTypes {
  readonly json: boolean;
  readonly stream: boolean;
}

/** That a client reads nothing that is sent here. @param said what it should read */
export function unreadable(accept: string, said: string): Error {
  return problem('VALIDATION_FAILED', `Accept: ${said}`, {
    errors: [{ path: 'Accept', message: 'names nothing that is sent here', got: accept.slice(0, 80) }],
  });
}

/**
 * One request of the Streamable HTTP transport and its answer: JSON where the answer is all there is to say, else a stream
 * of server-sent events that begins with the first message before it, and ends with the answer.
 */
export class McpExchange implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private readonly controller = new AbortController();
  private readonly ended: Promise<void>;
  private end: () => void = () => undefined;
  /** Of a client that reads streams: another hears nothing before the answer. */
  private readonly stream: AnswerStream | undefined;
  private isEnded = false;
  private isCancelled = false;
  /** Requests of ours to the client that it has not answered, by the id they were sent with. */
  private readonly asked = new Map<string, MessageId>();

  constructor(
    private readonly request: RequestMessage,
    private readonly reply: FastifyReply,
    private readonly accepted: AcceptedTypes,
    /** What tells our requests of one exchange from those of another in the same session. */
    private readonly name: string,
    keepAliveMs: number,
  ) {
    this.stream = accepted.stream ? new AnswerStream(reply, keepAliveMs) : undefined;
    this.ended = new Promise(resolve => (this.end = resolve));
  }

  /** Aborts when the client cancels the request, or hangs up before it has its answer. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async start(): Promise<void> {}

  /**
   * Hands the request in, and resolves when it has been worked on to its end: also where its client hung up, so that
   * what was paid for it is recorded.
   */
  async run(): Promise<void> {
    const { raw } = this.reply;
    const onClose = () => this.abort('The client hung up');
    if (raw.destroyed) onClose();
    else raw.once('close', onClose);
    this.stream?.start();
    try {
      this.onmessage?.(this.request);
      await this.ended;
    } finally {
      this.stream?.stop();
      this.onclose?.();
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.isEnded) return;
    if (!('method' in message)) return this.answer(JSON.stringify(message));
    if ('id' in message) {
      const id = `${this.name}:${message.id}`;
      this.asked.set(id, message.id);
      return this.stream?.tell(JSON.stringify({ ...message, id }));
    }
    return this.stream?.tell(JSON.stringify(message));
  }

  /** Whether this is an answer to what was asked within this exchange; it is handed in then. */
  takeResponse(response: ResponseMessage): boolean {
    const id = this.asked.get(String(response.id));
    if (id === undefined) return false;
    this.asked.delete(String(response.id));
    this.onmessage?.({ ...response, id } as JSONRPCMessage);
    return true;
  }

  /** Ends the work on the request, whose client wants no answer any more. */
  cancel(): void {
    this.isCancelled = true;
    this.abort('The client cancelled the request');
  }

  private abort(reason: string): void {
    if (!this.isEnded) this.controller.abort(problem('CONFLICT', reason));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  private answer(text: string): void {
    this.isEnded = true;
    if (this.isCancelled) this.endUnanswered();
    else if (this.stream && (this.stream.isOpen || !this.accepted.json)) this.stream.end(text);
    else void this.reply.header('content-type', JSON_TYPE).send(text);
    this.end();
  }

  private endUnanswered(): void {
    if (this.stream) this.stream.end();
    else void this.reply.status(202).send();
  }
}

/** The request that a notification cancels. */
export function cancelledIdOf(params: Record<string, unknown> | undefined): MessageId | undefined {
  const id = isRecord(params) ? params.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

import type {
  McpHttpHandler,
  RequestMethod,
  Server,
  ServerCapabilities,
  ServerContext,
} from '@modelcontextprotocol/server';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { addressOf, EventStreams, hangUpSignal, keepOfLongBody } from '@svc/edge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadableStream } from 'node:stream/web';
import { isRecord, type readMessage } from './json-rpc.js';
import { AnswerStream, eventOf, KEEP_ALIVE_MS } from './answer-stream.js';
import { answerOf, declaresPayment } from './mcp-answering.js';
import type { McpCall, McpCatalogue } from './mcp-catalogue.js';
import {
  CHANGE_STREAMS,
  CHANGE_STREAMS_MAX,
  type ChangeEvents,
  LIST_CHANGED,
  ListedTools,
} from './listed-tools.js';
import { type AcceptedTypes, unreadable } from './mcp-exchange.js';
import { McpSessions } from './mcp-sessions.js';

/** Versions of the protocol without `initialize`: each request says for itself what it speaks. */
export const MODERN_VERSIONS = ['2026-07-28'];
/** Keys below `_meta` of such a request. */
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';
const VERSION_HEADER = 'mcp-protocol-version';
const SUBSCRIBE = 'subscriptions/listen';
/** The SDK wants an address; what was called is in nothing that it says. */
const ADDRESS = 'https://localhost/mcp';
/** With which the SDK answers an exchange that was given up. */
const GIVEN_UP = 499;

/** A message that was read as one of JSON-RPC. */
type Message = ReturnType<typeof readMessage>['message'];

/** One POST, what answers it, and what its client reads. */
interface ModernPost {
  readonly catalogue: McpCatalogue;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly accepted: AcceptedTypes;
}

/** One request on its way through the SDK. */
interface ModernCall extends ModernPost {
  readonly method: string;
  readonly declaresPayment: boolean;
  /** The work on it, which goes on to its end where the client has gone. */
  work?: Promise<unknown>;
}

/** Whether a message is of the protocol since 2026-07-28, as it says itself or as its header does. */
export function isModern(body: unknown, { headers }: FastifyRequest): boolean {
  return VERSION_META in metaOf(body) || MODERN_VERSIONS.includes(String(headers[VERSION_HEADER]));
}

/**
 * The Model Context Protocol since 2026-07-28, by the SDK's handler for it: no session, and no word from us but the answer and what
 * belongs to it. Its module is loaded with the first such request: it is large, and older clients have no use of it.
 */
@Injectable()
export class ModernMcp {
  private readonly logger = new Logger('ModernMcp');
  private readonly calls = new WeakMap<Request, ModernCall>();
  private handler: Promise<McpHttpHandler> | undefined;

  constructor(
    private readonly sessions: McpSessions,
    private readonly tools: ListedTools,
    private readonly streams: EventStreams,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
  ) {}

  /**
   * Answers one POST.
   * @throws ProblemError OVERLOADED, RATE_LIMITED where so many requests are in flight, or so many subscriptions
   */
  async answer(message: Message, post: ModernPost): Promise<void> {
    if ('method' in message && message.method === SUBSCRIBE) return this.subscribe(message, post);
    const done = this.sessions.begin(addressOf(post.request));
    try {
      await this.answerInPlace(message, post);
    } finally {
      done();
    }
  }

  /**
   * A subscription has its place among the streams of changes, for as long as its client keeps it. The SDK reads the message and answers it
   * as if nothing ever changed: with an acknowledgement, and the end. What there is to tell goes between the two.
   * @throws ProblemError OVERLOADED, RATE_LIMITED where so many are open; VALIDATION_FAILED where its client reads no streams
   */
  private async subscribe(message: Message, { request, reply, ...post }: ModernPost): Promise<void> {
    this.streams.requireRoom(request, CHANGE_STREAMS, CHANGE_STREAMS_MAX);
    const handler = await this.loaded();
    const asked = new Request(ADDRESS, { method: 'POST', headers: forwarded(request) });
    this.calls.set(asked, { ...post, request, reply, method: SUBSCRIBE, declaresPayment: false });
    const response = await handler.fetch(asked, { parsedBody: message });
    if (!isStream(response) || !wantsToolChanges(message)) return send(reply, response, undefined);
    if (!post.accepted.stream)
      throw unreadable(String(request.headers.accept), 'changes are told in text/event-stream alone');
    const events = changesBetween(await response.text());
    // It is kept for as long as its client likes: what it came with is not.
    keepOfLongBody(request, 0);
    request.body = undefined;
    const source = (signal: AbortSignal) => this.tools.changes(signal, events);
    await this.streams.send(reply, CHANGE_STREAMS, source, CHANGE_STREAMS_MAX);
  }

  private async answerInPlace(message: Message, post: ModernPost): Promise<void> {
    const { request, reply } = post;
    const handler = await this.loaded();
    const call: ModernCall = {
      ...post,
      method: 'method' in message ? message.method : '',
      declaresPayment: declaresPayment(metaOf(message)[CAPABILITIES_META]),
    };
    const asked = new Request(ADDRESS, {
      method: 'POST',
      headers: forwarded(request),
      signal: hangUpSignal(reply),
    });
    this.calls.set(asked, call);
    const stream = post.accepted.stream ? new AnswerStream(reply, this.keepAliveMs) : undefined;
    stream?.start();
    try {
      const response = await handler.fetch(asked, { parsedBody: message });
      // A client that has gone is answered when the work is done: a close waits until then.
      if (reply.raw.destroyed || response.status === GIVEN_UP) await call.work;
      await send(reply, response, stream);
      await call.work;
    } catch (error) {
      stream?.stop();
      throw error;
    }
  }

  private loaded(): Promise<McpHttpHandler> {
    this.handler ??= this.load().catch((error: unknown) => {
      this.handler = undefined;
      throw error;
    });
    return this.handler;
  }

  private async load(): Promise<McpHttpHandler> {
    const sdk = await import('@modelcontextprotocol/server');
    return sdk.createMcpHandler(({ requestInfo }) => this.serverOf(sdk, this.calls.get(requestInfo!)!), {
      legacy: 'reject',
      onerror: error => this.logger.debug(error.message),
    });
  }

  /** Of a request that names it, one method is all that its server needs. */
  private serverOf(sdk: typeof import('@modelcontextprotocol/server'), call: ModernCall): Server {
    const { serverInfo, capabilities, instructions, methods } = call.catalogue;
    const server = new sdk.Server(serverInfo, {
      capabilities: (call.method === SUBSCRIBE ? {} : capabilities) as ServerCapabilities,
      ...(instructions !== undefined && { instructions }),
    });
    if (!Object.hasOwn(methods, call.method)) return server;
    server.setRequestHandler(
      call.method as RequestMethod,
      (async (asked: unknown, { mcpReq }: ServerContext) => {
        const params = isRecord(asked) && isRecord(asked.params) ? asked.params : {};
        const meta = (mcpReq._meta ?? {}) as McpCall['meta'];
        const work = answerOf(methods[call.method], {
          ...{ params, meta, request: call.request, reply: call.reply, signal: mcpReq.signal },
          declaresPayment: call.declaresPayment,
          ...(meta.progressToken === undefined
            ? {}
            : { progressToken: meta.progressToken as McpCall['progressToken'] }),
          // Who reads no streams gets the answer alone.
          notify: async notification =>
            call.accepted.stream ? mcpReq.notify(notification as never) : undefined,
          ask: () => Promise.reject(new TypeError('a client of this version is asked nothing')),
        });
        call.work = work.catch(() => undefined);
        return work;
      }) as never,
    );
    return server;
  }
}

/** Whether a subscription, which the SDK has read, is one to changes of the tools. */
function wantsToolChanges(message: Message): boolean {
  const { notifications } = ('params' in message && message.params) || {};
  return isRecord(notifications) && notifications.toolsListChanged === true;
}

/** The events of a subscription to changes of the tools. @param answered what the SDK answered: an acknowledgement of nothing, and the end */
function changesBetween(answered: string): ChangeEvents {
  const messages = answered.split('\n').filter(line => line.startsWith('data: '));
  const [acknowledged, complete] = messages.map(
    line => JSON.parse(line.slice('data: '.length)) as { params: { _meta: object } },
  );
  const { params } = acknowledged;
  const told = { toolsListChanged: true };
  return {
    begin: eventOf(JSON.stringify({ ...acknowledged, params: { ...params, notifications: told } })),
    changed: eventOf(JSON.stringify({ ...LIST_CHANGED, params: { _meta: params._meta } })),
    end: eventOf(JSON.stringify(complete)),
  };
}

function metaOf(body: unknown): Record<string, unknown> {
  const params = isRecord(body) ? body.params : undefined;
  const meta = isRecord(params) ? params._meta : undefined;
  return isRecord(meta) ? meta : {};
}

/** What the SDK holds against the message: its own headers, and what the client reads. */
function forwarded({ headers }: FastifyRequest): Record<string, string> {
  const isOfMcp = ([name]: [string, unknown]) =>
    name.startsWith('mcp-') || name === 'accept' || name === 'content-type';
  return Object.fromEntries(
    Object.entries(headers)
      .filter(isOfMcp)
      .map(([name, value]) => [name, String(value)]),
  );
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false;

/** Fields that the connection has of its own. */
const OF_CONNECTION = new Set(['connection', 'content-length']);

async function send(
  reply: FastifyReply,
  response: Response,
  stream: AnswerStream | undefined,
): Promise<void> {
  const { body, headers, status } = response;
  if (stream && body && isStream(response) && !reply.raw.destroyed) {
    void stream.pass(body as ReadableStream<Uint8Array>).catch(() => undefined);
    return;
  }
  // Its status and headers are sent: it says the rest, as a stream of the versions before does.
  if (stream?.isOpen) return stream.end(body ? await response.text() : undefined);
  stream?.stop();
  if (reply.raw.destroyed) return void reply.send();
  reply.status(status);
  for (const [name, value] of headers) if (!OF_CONNECTION.has(name)) reply.header(name, value);
  return void reply.send(body ? Buffer.from(await response.arrayBuffer()) : undefined);
}

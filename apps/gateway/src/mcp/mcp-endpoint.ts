import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { safeParse } from '@modelcontextprotocol/sdk/server/zod-compat.js';
import {
  InitializeRequestSchema,
  JSONRPCRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { addressOf, EventStreams, STREAM_BEGIN } from '@svc/edge';
import { problem, problemDetails } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { INVALID_PARAMS, isRecord, type JsonRpcFault, readMessage, type RequestMessage } from './json-rpc.js';
import { eventOf, KEEP_ALIVE_MS } from './answer-stream.js';
import { answerOf, contextOf, declaresPayment } from './mcp-answering.js';
import type { McpCall, McpCatalogue, McpMethod } from './mcp-catalogue.js';
import { CHANGE_STREAMS, CHANGE_STREAMS_MAX, LIST_CHANGED, ListedTools } from './listed-tools.js';
import { type AcceptedTypes, cancelledIdOf, McpExchange, unreadable } from './mcp-exchange.js';
import { checkOrigin, type McpOriginSettings } from './mcp-origins.js';
import { McpSessions, newSession, type McpSession, sessionOf } from './mcp-sessions.js';
import { isModern, MODERN_VERSIONS, ModernMcp } from './modern-mcp.js';

export const MCP_ORIGINS = Symbol('MCP_ORIGINS');
const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';

const CHANGES = { begin: STREAM_BEGIN, changed: eventOf(JSON.stringify(LIST_CHANGED)) };

/** Faults of one message that are named. */
const FAULTS_MAX = 8;

interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** Nothing here asks a client for a form; the SDK would make a validator for that with each server. */
const NO_FORMS = {
  getValidator: () => {
    throw new TypeError('no form is asked for here');
  },
};

/**
 * The Streamable HTTP transport of the Model Context Protocol: every request has a server of its own, and nothing is kept
 * between two of them. It speaks the versions up to 2025-11-25 itself; what says that it is of a later one goes to {@link ModernMcp}.
 */
@Injectable()
export class McpEndpoint {
  private readonly logger = new Logger('McpEndpoint');
  private exchanges = 0;
  /** By session, ends the stream of changes that it has. */
  private readonly following = new Map<string, AbortController>();

  constructor(
    private readonly sessions: McpSessions,
    private readonly modern: ModernMcp,
    private readonly tools: ListedTools,
    private readonly streams: EventStreams,
    @Inject(MCP_ORIGINS) private readonly origins: McpOriginSettings,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
  ) {}

  /**
   * Answers one POST.
   * @throws ProblemError of the request itself, before any of it is worked on
   */
  async answer(
    body: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    catalogue: McpCatalogue,
  ): Promise<void> {
    reply.header('cache-control', 'no-store');
    checkOrigin(request, this.origins);
    const modern = isModern(body, request);
    if (!modern) checkVersion(request, [...MODERN_VERSIONS, ...SUPPORTED_PROTOCOL_VERSIONS]);
    const accepted = acceptedBy(request);
    const { kind, message } = readMessage(body);
    if (modern) return this.modern.answer(message, { accepted, request, reply, catalogue });
    const session = sessionOf(request.headers[SESSION_HEADER]);
    if (kind === 'request') return this.run(message, session, accepted, request, reply, catalogue);
    if (kind === 'response') {
      if (session) this.sessions.respond(session, message);
    } else if (message.method === 'notifications/cancelled' && session) {
      const id = cancelledIdOf(message.params);
      if (id !== undefined) this.sessions.cancel(session, id);
    }
    void reply.status(202).send();
  }

  /**
   * Opens the stream of a client of the versions up to 2025-11-25 (a GET), which is told when the list of tools has changed.
   * @throws ProblemError VALIDATION_FAILED, NOT_FOUND of the request; OVERLOADED, RATE_LIMITED where so many are open
   */
  async follow(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    checkOrigin(request, this.origins);
    checkVersion(request, SUPPORTED_PROTOCOL_VERSIONS);
    // Clients of the protocol name it. Crawlers, which take anything, would wait for an end that never comes.
    if (!acceptedBy(request).stream)
      throw unreadable(
        request.headers.accept ?? '*/*',
        'name text/event-stream: changes are told in that alone',
      );
    const session = sessionOf(request.headers[SESSION_HEADER]);
    const source = (signal: AbortSignal) => this.tools.changes(this.onlyOf(session, signal), CHANGES);
    await this.streams.send(reply, CHANGE_STREAMS, source, CHANGE_STREAMS_MAX);
  }

  /**
   * A session has one such stream, since each message is said in one: a newer ends the one before it, of which its client may not know yet
   * that it broke.
   */
  private onlyOf(session: McpSession | undefined, signal: AbortSignal): AbortSignal {
    if (!session) return signal;
    const replaced = new AbortController();
    this.following.get(session.id)?.abort();
    this.following.set(session.id, replaced);
    const forget = () => {
      if (this.following.get(session.id) === replaced) this.following.delete(session.id);
    };
    if (signal.aborted) forget();
    else signal.addEventListener('abort', forget, { once: true });
    return AbortSignal.any([signal, replaced.signal]);
  }

  private async run(
    message: RequestMessage,
    shown: McpSession | undefined,
    accepted: AcceptedTypes,
    request: FastifyRequest,
    reply: FastifyReply,
    catalogue: McpCatalogue,
  ): Promise<void> {
    checkRequest(message);
    const fault = paramsFault(message, catalogue, request);
    let session = shown;
    if (message.method === 'initialize' && !fault) {
      session = newSession(declaresPayment(message.params?.capabilities));
      reply.header(SESSION_HEADER, session.id);
    }
    const name = `r${(this.exchanges += 1)}`;
    const exchange = new McpExchange(withoutTask(message), reply, accepted, name, this.keepAliveMs);
    if (fault) return exchange.send({ jsonrpc: '2.0', id: message.id, error: fault });
    const named = session && { session, id: message.id, exchange };
    const done = this.sessions.begin(addressOf(request), named);
    try {
      const server = this.serverOf(catalogue, message.method, {
        ...{ request, reply, exchange },
        declaresPayment: session?.declaresPayment ?? false,
      });
      await server.connect(exchange);
      await exchange.run();
    } finally {
      done();
    }
  }

  private serverOf(
    { serverInfo, methods, ...options }: McpCatalogue,
    name: string,
    parts: CallParts,
  ): Server {
    const server = new Server(serverInfo, { ...options, jsonSchemaValidator: NO_FORMS });
    // Of a request that names it, one method is all that its server needs.
    if (Object.hasOwn(methods, name)) this.serve(server, methods[name], parts);
    server.onerror = error => this.logger.debug(error.message);
    return server;
  }

  private serve(server: Server, method: McpMethod, { exchange, ...parts }: CallParts): void {
    server.setRequestHandler(method.schema as never, async (asked: unknown, extra) => {
      const params = isRecord(asked) && isRecord(asked.params) ? asked.params : {};
      const meta = extra._meta ?? {};
      return (await answerOf(method, {
        ...parts,
        ...{ params, meta, signal: exchange.signal, progressToken: meta.progressToken },
        notify: notification => extra.sendNotification(notification),
        ask: (question, result) => extra.sendRequest(question, result as never) as never,
      })) as never;
    });
  }
}

type CallParts = Pick<McpCall, 'declaresPayment' | 'request' | 'reply'> & { readonly exchange: McpExchange };

/**
 * Holds a request against what the SDK takes for one: others it drops without a word, and nobody would ever be answered.
 * @throws ProblemError VALIDATION_FAILED, naming the member
 */
function checkRequest(message: RequestMessage): void {
  const errors = faultsOf(JSONRPCRequestSchema, message);
  if (errors.length > 0) throw problem('VALIDATION_FAILED', textOf(errors), { errors });
}

/** What is wrong with the params of a method; the SDK would call it a fault of ours. */
function paramsFault(
  message: RequestMessage,
  { methods }: McpCatalogue,
  request: FastifyRequest,
): Pick<JsonRpcFault, 'code' | 'message' | 'data'> | undefined {
  const { method } = message;
  const own = Object.hasOwn(methods, method) ? methods[method].schema : undefined;
  const schema = method === 'initialize' ? InitializeRequestSchema : own;
  const errors = schema ? faultsOf(schema, message) : [];
  if (errors.length === 0) return undefined;
  const refusal = problem('VALIDATION_FAILED', textOf(errors), { errors });
  const details = problemDetails(refusal, contextOf(request));
  return { code: INVALID_PARAMS, message: details.detail, data: { problem: details } };
}

function faultsOf(schema: McpMethod['schema'], message: unknown): FieldFault[] {
  const parsed = safeParse(schema, message);
  if (parsed.success) return [];
  const { issues } = parsed.error as { issues: readonly { path: PropertyKey[]; message: string }[] };
  return issues.slice(0, FAULTS_MAX).map(({ path, message: text }) => ({
    path: path.map(String).join('.'),
    message: text,
  }));
}

/** A server that declares no tasks works on a request as if it asked for none (2025-11-25, tasks); the SDK would refuse it. */
function withoutTask(message: RequestMessage): RequestMessage {
  if (message.params?.task === undefined) return message;
  const { task: _ignored, ...params } = message.params;
  return { ...message, params };
}

const textOf = ([{ path, message }]: readonly FieldFault[]): string => `${path || 'The message'}: ${message}`;

/** @throws ProblemError VALIDATION_FAILED */
function checkVersion({ headers }: FastifyRequest, spoken: readonly string[]): void {
  const version = headers[VERSION_HEADER];
  if (version === undefined) return;
  if (typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return;
  const got = String(version).slice(0, 80);
  throw problem('VALIDATION_FAILED', 'MCP-Protocol-Version: not a version that is spoken here', {
    errors: [
      {
        ...{ path: 'MCP-Protocol-Version', message: 'is unknown', got },
        bound: [...spoken],
      },
    ],
  });
}

/** @throws ProblemError VALIDATION_FAILED where nothing that is sent here could be read */
function acceptedBy({ headers: { accept = '*/*' } }: FastifyRequest): AcceptedTypes {
  const stream = /text\/event-stream/i.test(accept);
  const json = /application\/(json|\*)|\*\/\*/i.test(accept);
  if (stream || json) return { stream, json };
  throw unreadable(accept, 'name application/json, text/event-stream or both');
}

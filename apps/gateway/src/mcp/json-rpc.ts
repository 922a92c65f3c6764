import { PROBLEMS, type ProblemCode } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';

/** Error codes of JSON-RPC 2.0 (section 5.1). */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** Of MCP: there is no such resource. */
export const RESOURCE_NOT_FOUND = -32_002;
/** Of the `Payment` scheme over JSON-RPC (draft-payment-transport-mcp section 10.1). */
export const PAYMENT_REQUIRED = -32_042;
export const PAYMENT_VERIFICATION_FAILED = -32_043;
/** Any other refusal: which one, `data.problem.code` says. */
const REFUSED = -32_000;

/** Characters of the longest id and method that are read. */
const NAME_CHARS_MAX = 128;

export type MessageId = string | number;

interface Envelope {
  readonly jsonrpc: '2.0';
}
export interface RequestMessage extends Envelope {
  readonly id: MessageId;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}
export type NotificationMessage = Omit<RequestMessage, 'id'>;
/** An answer of the client to what a tool asked of it. */
export interface ResponseMessage extends Envelope {
  readonly id: MessageId;
  readonly result?: unknown;
  readonly error?: unknown;
}
export type Message =
  | { readonly kind: 'request'; readonly message: RequestMessage }
  | { readonly kind: 'notification'; readonly message: NotificationMessage }
  | { readonly kind: 'response'; readonly message: ResponseMessage };

/** An error that is answered as it is: a code of JSON-RPC, and what the caller can make of it. */
export class JsonRpcFault extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'JsonRpcFault';
  }
}

/**
 * Reads one message of JSON-RPC.
 * @throws ProblemError VALIDATION_FAILED, naming the member
 */
export function readMessage(body: unknown): Message {
  if (Array.isArray(body)) throw invalid('', 'is a batch; send one message a request');
  if (!isRecord(body)) throw invalid('', 'must be a JSON-RPC message');
  if (body.jsonrpc !== '2.0') throw invalid('jsonrpc', 'must be "2.0"');
  const { id, method, params } = body;
  if (id !== undefined && !isId(id)) {
    throw invalid('id', `must be an integer, or a string of at most ${NAME_CHARS_MAX} characters`);
  }
  if (method === undefined) {
    if (id === undefined || !('result' in body || 'error' in body)) throw invalid('method', 'is missing');
    return { kind: 'response', message: body as unknown as ResponseMessage };
  }
  if (typeof method !== 'string' || method.length > NAME_CHARS_MAX) {
    throw invalid('method', `must be a string of at most ${NAME_CHARS_MAX} characters`);
  }
  if (params !== undefined && !isRecord(params)) throw invalid('params', 'must be an object');
  return id === undefined
    ? { kind: 'notification', message: body as unknown as NotificationMessage }
    : { kind: 'request', message: body as unknown as RequestMessage };
}

/** The error of JSON-RPC that stands for a problem: the problem is its `data`. */
export function jsonRpcErrorOf(details: { readonly code: ProblemCode; readonly detail: string }): {
  code: number;
  message: string;
  data: unknown;
} {
  return { code: codeOf(details.code), message: details.detail, data: { problem: details } };
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function codeOf(code: ProblemCode): number {
  if (code === 'MALFORMED_JSON') return PARSE_ERROR;
  if (code === 'VALIDATION_FAILED' || code === 'BODY_TOO_LARGE' || code === 'UNSUPPORTED_MEDIA_TYPE') {
    return INVALID_REQUEST;
  }
  return PROBLEMS[code].status === 500 ? INTERNAL_ERROR : REFUSED;
}

const isId = (id: unknown): id is MessageId =>
  typeof id === 'string' ? id.length <= NAME_CHARS_MAX : Number.isSafeInteger(id);

function invalid(path: string, message: string): ProblemError {
  return problem('VALIDATION_FAILED', `${path || 'The message'}: ${message}`, {
    errors: [{ path, message }],
  });
}

import { problem } from '@svc/platform';
import { setBodyDigest } from '@svc/edge';
import { canonicalJson, encodeBase64, encodeBase64Url, JcsError } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isRecord } from './json-rpc.js';

/** Keys below `_meta` of a call: its payment in either binding, and what makes retries of a purchase one. */
export const PAYMENT_CREDENTIAL_META = 'org.paymentauth/credential';
export const X402_PAYMENT_META = 'x402/payment';
export const IDEMPOTENCY_META = 'svc/idempotency-key';
/** What the caller pays at most, decimal dollars. */
export const MAX_PRICE_META = 'svc/max-price';
/** How much of the answer a call wants: `inline` is all of it. It is no part of the purchase. */
export const EVIDENCE_META = 'svc/evidence';

type Header = readonly [name: string, value: string];

/**
 * The request that a call of a tool stands for: as its own HTTP request came, with the address and the inputs of the tool, and with
 * what its `_meta` says of the payment as the headers that say the same over HTTP.
 * @throws ProblemError PAYMENT_MALFORMED, VALIDATION_FAILED
 */
export function toolRequest(
  request: FastifyRequest,
  path: string,
  input: unknown,
  meta: Readonly<Record<string, unknown>>,
): FastifyRequest {
  const added = metaHeaders(meta);
  const raw = Object.create(request.raw, {
    url: { value: path },
    headers: { value: { ...request.raw.headers, ...Object.fromEntries(added) } },
    rawHeaders: { value: [...request.raw.rawHeaders, ...added.flat()] },
  }) as IncomingMessage;
  // What the edge has noted of the caller stands on the request itself.
  const call = Object.create(request, {
    raw: { value: raw },
    url: { value: path },
    headers: { value: raw.headers },
    body: { value: input, writable: true },
  }) as FastifyRequest;
  setBodyDigest(call, inputDigest(input));
  return call;
}

/** Of a client that has no body of HTTP before it: the digest of the canonical JSON (RFC 8785) of its arguments. */
function inputDigest(input: unknown): string {
  try {
    return hash('sha256', canonicalJson(input ?? {}), 'hex');
  } catch (error) {
    // What has none is refused before it is paid for.
    if (!(error instanceof JcsError)) throw error;
    return hash('sha256', '', 'hex');
  }
}

/** Id of the challenge that a credential answers, where one came. */
export function challengeIdOf(meta: Readonly<Record<string, unknown>>): string | undefined {
  const credential = meta[PAYMENT_CREDENTIAL_META];
  const challenge = isRecord(credential) ? credential.challenge : undefined;
  return isRecord(challenge) && typeof challenge.id === 'string' ? challenge.id : undefined;
}

/**
 * Whether a call wants the whole answer.
 * @throws ProblemError VALIDATION_FAILED for a wish that is none
 */
export function wantsWholeAnswer({ [EVIDENCE_META]: wish }: Readonly<Record<string, unknown>>): boolean {
  if (wish === undefined || wish === 'inline') return wish === 'inline';
  const message = 'must be "inline", or left out';
  const fault = {
    path: `_meta["${EVIDENCE_META}"]`,
    message,
    bound: 'inline',
    got: String(wish).slice(0, 80),
  };
  throw problem('VALIDATION_FAILED', `${EVIDENCE_META}: ${message}`, { errors: [fault] });
}

function metaHeaders(meta: Readonly<Record<string, unknown>>): Header[] {
  const headers: Header[] = [];
  const credential = meta[PAYMENT_CREDENTIAL_META];
  if (credential !== undefined)
    headers.push(['payment-authorization', `Payment ${encodeCredential(credential)}`]);
  const payment = meta[X402_PAYMENT_META];
  if (payment !== undefined) headers.push(['payment-signature', encodePayment(payment)]);
  const key = meta[IDEMPOTENCY_META];
  if (key !== undefined) headers.push(['idempotency-key', idempotencyKey(key)]);
  const maxPrice = meta[MAX_PRICE_META];
  if (maxPrice !== undefined) headers.push(['x-svc-max-price', maxPriceText(maxPrice)]);
  return headers;
}

/** Over JSON-RPC the request of a challenge is JSON as it is; in a header it is base64url of its canonical form. */
function encodeCredential(credential: unknown): string {
  const challenge = isRecord(credential) ? credential.challenge : undefined;
  if (!isRecord(credential) || !isRecord(challenge)) throw malformed(`${PAYMENT_CREDENTIAL_META}.challenge`);
  const { request } = challenge;
  const encoded = isRecord(request) ? encodeBase64Url(canonicalJson(request)) : request;
  const { source, payload } = credential;
  return encodeBase64Url(
    JSON.stringify({
      challenge: { ...challenge, request: encoded },
      payload,
      ...(source === undefined ? {} : { source }),
    }),
  );
}

function encodePayment(payment: unknown): string {
  if (!isRecord(payment)) throw malformed(X402_PAYMENT_META);
  return encodeBase64(JSON.stringify(payment));
}

function idempotencyKey(key: unknown): string {
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const message = 'must be 1 to 255 printable characters';
  throw problem('VALIDATION_FAILED', `${IDEMPOTENCY_META}: ${message}`, {
    errors: [{ path: `_meta["${IDEMPOTENCY_META}"]`, message }],
  });
}

/** As text alone: a number of JSON has spellings that are no dollars, as 1e-3. */
function maxPriceText(price: unknown): string {
  if (typeof price === 'string') return price;
  const message = 'must be a text with a decimal number of dollars, as "0.01"';
  throw problem('VALIDATION_FAILED', `${MAX_PRICE_META}: ${message}`, {
    errors: [{ path: `_meta["${MAX_PRICE_META}"]`, message, got: String(price).slice(0, 80) }],
  });
}

const malformed = (path: string) => problem('PAYMENT_MALFORMED', `_meta: ${path} must be an object`);

/** What the answer of a tool sets on its reply, kept apart: the reply of MCP is the answer to the whole message. */
export class ToolReplyHead {
  statusCode = 200;
  private readonly lines = new Map<string, string | string[]>();

  /** @param reply whose connection the answer is for */
  constructor(private readonly reply: FastifyReply) {}

  /** As a reply of Fastify, of which no more is used here than this. */
  asReply(): FastifyReply {
    return this as unknown as FastifyReply;
  }

  get raw(): FastifyReply['raw'] {
    return this.reply.raw;
  }

  header(name: string, value: string | number | string[]): this {
    this.lines.set(name.toLowerCase(), Array.isArray(value) ? value : String(value));
    return this;
  }

  getHeader(name: string): string | string[] | undefined {
    return this.lines.get(name.toLowerCase());
  }

  /** The one line of a header. */
  line(name: string): string | undefined {
    const value = this.getHeader(name);
    return Array.isArray(value) ? value[0] : value;
  }

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  code(code: number): this {
    return this.status(code);
  }
}

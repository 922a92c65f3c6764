import type { ProblemDetails } from './api-types.js';
import { ConnectionError, ProblemError, UnexpectedResponseError } from './errors.js';
import { retryAfterSeconds } from './retry-budget.js';

export type Fetch = typeof globalThis.fetch;

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Longest problem body that is read as one, bytes. */
const PROBLEM_BYTES_MAX = 262_144;

async function readBounded(response: Response, bytesMax: number): Promise<Uint8Array> {
  const tooLong = () =>
    new UnexpectedResponseError(`the answer is longer than ${bytesMax} bytes`, response.status);
  if (response.body === null) return new Uint8Array();
  const announced = Number(response.headers.get('content-length') ?? 0);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    if (announced > bytesMax) throw tooLong();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > bytesMax) throw tooLong();
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** `fetch` says only that it failed; the cause knows why. Aggregated causes have a code alone. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || String(error);
}

/**
 * One request and its whole answer, within a time and a size. Redirects are not followed: a
 * credential goes to the address that it was made for, and nowhere else.
 *
 * @throws {ConnectionError} no answer, or not in time
 * @throws {UnexpectedResponseError} a redirect, or a body above the bound
 * @throws the reason of `signal` when the caller gave up
 */
export async function exchange(fetch: Fetch, request: HttpRequest): Promise<HttpAnswer> {
  request.signal?.throwIfAborted();
  const controller = new AbortController();
  const cancel = () => controller.abort(request.signal?.reason);
  request.signal?.addEventListener('abort', cancel, { once: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, request.timeoutMs);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      redirect: 'manual',
      signal: controller.signal,
    });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw new UnexpectedResponseError(`the address redirects; give the final one`, response.status);
    return {
      status: response.status,
      headers: response.headers,
      body: await readBounded(response, request.responseBytesMax),
    };
  } catch (error) {
    if (error instanceof UnexpectedResponseError) throw error;
    request.signal?.throwIfAborted();
    if (late)
      throw new ConnectionError(
        'TIMED_OUT',
        `no answer from ${originOf(request.url)} in ${request.timeoutMs} ms`,
      );
    throw new ConnectionError(
      'UNREACHABLE',
      `${originOf(request.url)} cannot be reached: ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', cancel);
  }
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Reads a JSON object from an answer's body; undefined for anything else. */
export function jsonObjectOf(answer: HttpAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The error that an answer outside 2xx stands for. */
export function errorOf(answer: HttpAnswer): ProblemError | UnexpectedResponseError {
  const body = answer.body.length <= PROBLEM_BYTES_MAX ? jsonObjectOf(answer) : undefined;
  if (body === undefined || typeof body['code'] !== 'string' || typeof body['detail'] !== 'string')
    return new UnexpectedResponseError(
      `status ${answer.status} without problem details: is this the address of the gateway?`,
      answer.status,
    );
  const problem = { type: 'about:blank', title: '', traceId: '', ...body, status: answer.status };
  return new ProblemError(
    problem as unknown as ProblemDetails,
    retryAfterSeconds(answer.headers, Date.now()),
  );
}

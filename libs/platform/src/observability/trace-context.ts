import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** Where a piece of work stands in a W3C trace (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, the same in every service that the request touches. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits of this hop. */
  readonly spanId: string;
  /** `00-<traceId>-<spanId>-<flags>`: the header to send onwards. */
  readonly traceparent: string;
}

interface Scope extends TraceContext {
  /** The service whose handler runs; several share a process in the embedded default. */
  readonly service?: string;
}

const storage = new AsyncLocalStorage<Scope>();
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = '01';

/**
 * Runs `fn` inside a trace: the caller's when its `traceparent` is valid, else a fresh one. Each
 * call is a hop and gets a span id of its own.
 */
export function runWithTrace<T>(traceparent: string | undefined, fn: () => T, service?: string): T {
  const parent = parseTraceparent(traceparent);
  const scope = makeTrace(parent?.traceId ?? freshTraceId(), parent?.flags ?? SAMPLED);
  return storage.run(service === undefined ? scope : { ...scope, service }, fn);
}

/** The trace of the running work; a fresh one, kept nowhere, outside of any. */
export function currentTrace(): TraceContext {
  return storage.getStore() ?? makeTrace(freshTraceId(), SAMPLED);
}

/** The trace and the service of the running work, or undefined outside of any. */
export function activeScope(): Scope | undefined {
  return storage.getStore();
}

/**
 * Reads a `traceparent` header as W3C Trace Context section 3.2 says: version ff and all-zero ids
 * are invalid, members after the flags are allowed from version 01 on.
 */
export function parseTraceparent(header: string | undefined): { traceId: string; flags: string } | undefined {
  if (header === undefined || header.length > 512) return undefined;
  const match = TRACEPARENT.exec(header);
  if (!match) return undefined;
  const [, version, traceId, spanId, flags, rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, flags };
}

function makeTrace(traceId: string, flags: string): TraceContext {
  const spanId = freshSpanId();
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

// From randomUUID, because node draws its randomness for many at once: an id costs no system call.
const freshTraceId = () => randomUUID().replaceAll('-', '');
const freshSpanId = () => {
  const uuid = randomUUID();
  return uuid.slice(24) + uuid.slice(0, 4);
};

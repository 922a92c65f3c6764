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

/** A hop of a trace, whose ids are made when somebody asks for them: most hops send and log nothing. */
export class Hop implements TraceContext {
  private made: TraceContext | undefined;

  /** @param parent the caller's `traceparent`; a fresh trace begins where there is none, or it is not valid */
  constructor(private readonly parent: string | undefined) {}

  get traceId(): string {
    return this.ids.traceId;
  }

  get spanId(): string {
    return this.ids.spanId;
  }

  get traceparent(): string {
    return this.ids.traceparent;
  }

  private get ids(): TraceContext {
    if (this.made) return this.made;
    const parent = parseTraceparent(this.parent);
    return (this.made = makeTrace(parent?.traceId ?? freshTraceId(), parent?.flags ?? SAMPLED));
  }
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = '01';

/** A trace that begins here. */
export const freshTrace = (): TraceContext => makeTrace(freshTraceId(), SAMPLED);

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

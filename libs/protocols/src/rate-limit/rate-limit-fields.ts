/** Largest integer of a structured field (RFC 9651 section 3.3.1). */
const INTEGER_MAX = 999_999_999_999_999;
const FIELD_CHARS_MAX = 1_024;
const ITEMS_MAX = 16;

/** How a client stands with one policy. */
export interface RateLimitState {
  /** Name of the policy: lower-case letters, digits, `-`, `_`. */
  readonly policy: string;
  /** Requests that the policy allows in a window. */
  readonly quota: number;
  readonly remaining: number;
  /** Length of the window; for a calendar month, of this month. */
  readonly windowSeconds: number;
  /** Seconds until requests are allowed again that are used up. */
  readonly resetSeconds: number;
}

/** The two fields of an answer. */
export interface RateLimitFields {
  readonly 'RateLimit-Policy': string;
  readonly RateLimit: string;
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10 sections 3 and 4): lists of one item, whose
 * value is the policy's name. An unlimited plan has neither.
 *
 * @throws {RangeError} for a name or a number that no structured field can hold
 * @example
 * rateLimitFields({ policy: 'month', quota: 1_000, remaining: 999, windowSeconds: 2_592_000, resetSeconds: 60 });
 * // { 'RateLimit-Policy': '"month";q=1000;w=2592000', RateLimit: '"month";r=999;t=60' }
 */
export function rateLimitFields(state: RateLimitState): RateLimitFields {
  const { policy, quota, remaining, windowSeconds, resetSeconds } = state;
  if (!/^[a-z0-9_-]{1,64}$/.test(policy))
    throw new RangeError(`policy must be a name, got ${JSON.stringify(policy)}`);
  return {
    'RateLimit-Policy': `"${policy}";q=${integer('quota', quota)};w=${integer('windowSeconds', windowSeconds, 1)}`,
    RateLimit: `"${policy}";r=${integer('remaining', remaining)};t=${integer('resetSeconds', resetSeconds)}`,
  };
}

/** The policy of a plan's calendar month (UTC), at a time. */
export function monthlyRateLimit(
  plan: { readonly limit: number; readonly used: number; readonly resetsAt: string },
  nowMs: number,
): RateLimitState {
  const endMs = Date.parse(plan.resetsAt);
  const end = new Date(endMs);
  const beginMs = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1);
  return {
    policy: 'month',
    quota: plan.limit,
    remaining: Math.max(0, plan.limit - plan.used),
    windowSeconds: Math.round((endMs - beginMs) / 1_000),
    // Rounded up: who waits so long finds the new month begun.
    resetSeconds: Math.max(0, Math.ceil((endMs - nowMs) / 1_000)),
  };
}

/** What a `RateLimit` field says of a policy. */
export interface RateLimitItem {
  readonly policy: string;
  readonly remaining: number;
  readonly resetSeconds?: number;
}

/**
 * Reads `RateLimit`; `undefined` when it is malformed, as the draft wants it ignored then. Parameters that it does not
 * define are comments.
 */
export function parseRateLimit(field: string): RateLimitItem[] | undefined {
  if (field.length > FIELD_CHARS_MAX) return undefined;
  const items = field.split(',').map(parseItem);
  if (items.length > ITEMS_MAX || items.includes(undefined)) return undefined;
  return items as RateLimitItem[];
}

function parseItem(text: string): RateLimitItem | undefined {
  const [name, ...parameters] = text.trim().split(';');
  const policy = /^"([\x20\x21\x23-\x5b\x5d-\x7e]*)"$/.exec(name)?.[1];
  if (policy === undefined) return undefined;
  let remaining: number | undefined;
  let resetSeconds: number | undefined;
  for (const parameter of parameters) {
    const [, key, value] = /^ *([a-z*][a-z0-9_.*-]*)(?:=(\S+))?$/.exec(parameter) ?? [];
    if (key === undefined) return undefined;
    if (key !== 'r' && key !== 't') continue;
    if (value === undefined || !/^[0-9]{1,15}$/.test(value)) return undefined;
    if (key === 'r') remaining = Number(value);
    else resetSeconds = Number(value);
  }
  if (remaining === undefined) return undefined;
  return { policy, remaining, ...(resetSeconds === undefined ? {} : { resetSeconds }) };
}

function integer(name: string, value: number, least = 0): number {
  if (Number.isInteger(value) && value >= least && value <= INTEGER_MAX) return value;
  throw new RangeError(`${name} must be an integer from ${least} to ${INTEGER_MAX}, got ${value}`);
}

import { createHash } from 'node:crypto';

/** Members of an ask or of an answer, as tools/history/history-lines.mjs has them. */
export type LineMembers = Readonly<Record<string, unknown>>;

const MICRO_USD_PER_SAT = 500;
/** Bitcoin of each multiplier of an invoice, in satoshis. */
const SATS_OF: Readonly<Record<string, number>> = { m: 100_000, u: 100, n: 0.1, p: 0.0001 };

export const digestOf = (value: string | Uint8Array): string =>
  createHash('sha256').update(value).digest('hex');

/** What a request says of its payment, by headers alone; nothing where it brings none. */
export function paymentMembers(headers: Headers): LineMembers {
  const idempotency = headers.get('idempotency-key');
  const payment = paymentOf(headers) ?? keyOf(headers);
  return {
    ...(payment === undefined ? {} : { payment }),
    ...(idempotency === null ? {} : { idempotency: digestOf(idempotency) }),
  };
}

/** What makes the payment unique, however its header is spelled. */
function paymentOf(headers: Headers): string | undefined {
  const [scheme = '', value = ''] = (headers.get('authorization') ?? '').split(' ');
  if (/^(l402|lsat)$/i.test(scheme)) return lightning(value.split(':').at(-1)!);
  if (/^payment$/i.test(scheme)) {
    const { payload = {} } = jsonOf(Buffer.from(value, 'base64url'));
    const { preimage, spt } = payload as { preimage?: string; spt?: string };
    return preimage === undefined ? `card:${digestOf(spt ?? value)}` : lightning(preimage);
  }
  const token = headers.get('payment-credential');
  if (token !== null) return `card:${digestOf(token.split(' ').at(-1)!)}`;
  const signed = headers.get('payment-signature') ?? headers.get('x-payment');
  if (signed === null) return undefined;
  const { payload = {} } = jsonOf(Buffer.from(signed, 'base64'));
  const { from, nonce } =
    (payload as { authorization?: { from?: string; nonce?: string } }).authorization ?? {};
  return from && nonce ? `chain:${from}:${nonce}`.toLowerCase() : `chain:${digestOf(signed)}`;
}

function keyOf(headers: Headers): string | undefined {
  const key = headers.get('x-svc-key');
  return key === null ? undefined : `key:${keyId(key)}`;
}

/** The part of a key that may be told; of what is no key a digest. */
export const keyId = (key: string): string => key.split('_')[2] ?? digestOf(key);

export const lightning = (preimage: string) => `lightning:${digestOf(Buffer.from(preimage, 'hex'))}`;

/** Digest of a body, of JSON however its members are ordered. */
export function bodyDigest(text: string): string {
  const value = jsonOf(text);
  return digestOf(Object.keys(value).length > 0 ? JSON.stringify(ordered(value)) : text);
}

/** What an answer says of its payment. */
export function answerMembers({ status, headers }: Response, bytes: Uint8Array): LineMembers {
  const json = jsonOf(bytes);
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  const { code, charged, retry, priceUsd } = json;
  const receipt = jsonOf(Buffer.from(headers.get('payment-receipt') ?? '', 'base64url')).reference;
  return {
    ...{ status, body: digestOf(bytes) },
    ...(receipt === undefined ? {} : { receipt }),
    ...(isProblem ? { code, charged, retry } : {}),
    ...(status < 300 && charged === false ? { uncharged: true } : {}),
    ...(priceUsd === undefined ? {} : { price: Math.round(Number(priceUsd) * 1e6) }),
  };
}

/** What an invoice asks for, micro-USD. */
export function invoiceAmount(invoice: string): number {
  const [, amount, multiplier] = /^lnbc(?:rt)?(\d+)([munp])1/.exec(invoice) ?? [];
  if (amount === undefined) throw new Error(`the invoice ${invoice.slice(0, 20)} names no amount`);
  return Math.round(Number(amount) * SATS_OF[multiplier] * MICRO_USD_PER_SAT);
}

/** An object that is read, and an empty one for whatever is none. */
export function jsonOf(text: string | Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text).toString('utf8'));
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

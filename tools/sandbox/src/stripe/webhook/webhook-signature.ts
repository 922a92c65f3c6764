import { createHmac, timingSafeEqual } from 'node:crypto';

/** Age at which a signature no longer counts. */
const TOLERANCE_SECONDS = 300;

/**
 * `Stripe-Signature` of a body: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`.
 *
 * @example
 * headers['Stripe-Signature'] = webhookSignature(body, 'whsec_…', 1_700_000_000);
 */
export function webhookSignature(body: string, secret: string, timestamp: number): string {
  return `t=${timestamp},v1=${digest(body, secret, String(timestamp))}`;
}

/** Whether a header signs the body, in time; any of several `v1` may match, other schemes are skipped. */
export function signatureHolds(body: string, header: string, secret: string, nowSeconds: number): boolean {
  const fields = header.split(',').map(field => {
    const split = field.indexOf('=');
    return [field.slice(0, split), field.slice(split + 1)];
  });
  const timestamp = fields.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const wanted = Buffer.from(digest(body, secret, timestamp));
  return fields.some(([name, value]) => {
    const given = Buffer.from(value);
    return name === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function digest(body: string, secret: string, timestamp: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

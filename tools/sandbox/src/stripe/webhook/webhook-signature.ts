import { createHmac } from 'node:crypto';

/**
 * `Stripe-Signature` of a body: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. The receiver takes
 * the time into account, so that a webhook that was overheard is of no use later.
 *
 * @param body the very bytes that are sent, as text
 * @param secret of the receiver, `whsec_…`
 * @param timestamp unix seconds, signed together with the body
 * @example
 * headers['Stripe-Signature'] = webhookSignature(body, 'whsec_…', 1_700_000_000);
 */
export function webhookSignature(body: string, secret: string, timestamp: number): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}

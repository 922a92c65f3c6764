import fc from 'fast-check';
import Stripe from 'stripe';
import { webhookSignature } from './webhook-signature.js';

const NOW = 1_800_000_000;
const SECRET = 'whsec_0123456789abcdef';
const stripe = new Stripe('sk_test_0123456789abcdef');
const body = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });

/** stripe-node's opinion of a header: the oracle. */
function isBelieved(payload: string, header: string, nowSeconds = NOW, secret = SECRET): boolean {
  try {
    return stripe.webhooks.signature!.verifyHeader(
      payload,
      header,
      secret,
      300,
      undefined,
      nowSeconds * 1_000,
    );
  } catch {
    return false;
  }
}

it('is believed by stripe-node for any body, within five minutes', () => {
  fc.assert(
    fc.property(body, fc.integer({ min: 0, max: 600 }), (payload, ageSeconds) => {
      const header = webhookSignature(payload, SECRET, NOW - ageSeconds);
      expect(isBelieved(payload, header)).toBe(ageSeconds <= 300);
    }),
  );
});

it('is not believed for a body, secret, time or signature with one character changed', () => {
  const change = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1);
  fc.assert(
    fc.property(body, fc.nat(), (payload, position) => {
      const header = webhookSignature(payload, SECRET, NOW);
      expect(isBelieved(payload, header)).toBe(true);
      expect(isBelieved(change(payload, position % payload.length), header)).toBe(false);
      expect(isBelieved(payload, header, NOW, change(SECRET, position % SECRET.length))).toBe(false);
      expect(isBelieved(payload, change(header, header.indexOf('v1=') + 3 + (position % 64)))).toBe(false);
      expect(isBelieved(payload, header.replace(String(NOW), String(NOW + 1 + (position % 9))))).toBe(false);
    }),
  );
});

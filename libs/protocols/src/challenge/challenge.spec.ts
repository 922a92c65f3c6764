import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Challenge } from 'mppx';
import { parseAcceptPayment, rankByPreference } from '../mpp/accept-payment.js';
import { PaymentRefusal } from '../payment-refusal.js';
import { openChallengeToken, signChallengeToken } from './challenge-token.js';
import { composeChallenge, type ChallengeOffer } from './compose-challenge.js';

const key = new Uint8Array(32).fill(3);
const token = {
  jti: 'jti-1',
  operationId: 'zk.prove',
  amountMicroUsd: 1_000,
  amountSats: 2,
  paymentHash: 'ab'.repeat(32),
  exp: 1_900_000_000,
};

describe('challenge token', () => {
  it('opens to what was signed, for routes and for tools', () => {
    expect(openChallengeToken(key, signChallengeToken(key, token))).toEqual(token);
    const tool = { ...token, operationId: 'tool.arena_challenge', paymentHash: undefined };
    expect(openChallengeToken(key, signChallengeToken(key, tool))).toEqual(tool);
  });

  it('names route or tool, amount, satoshis, payment hash and end in canonical JSON', () => {
    const [version, content] = signChallengeToken(key, token).split('.');
    expect(version).toBe('v1');
    expect(Buffer.from(content, 'base64url').toString()).toBe(
      `{"amountMicroUsd":1000,"exp":1900000000,"jti":"jti-1","paymentHash":"${token.paymentHash}","route":"zk.prove","sats":2}`,
    );
  });

  it('does not open under another key, nor with any character changed', () => {
    const text = signChallengeToken(key, token);
    expect(() => openChallengeToken(new Uint8Array(32), text)).toThrow(PaymentRefusal);
    for (let index = 0; index < text.length - 1; index++) {
      const changed = text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1);
      expect(() => openChallengeToken(key, changed)).toThrow(PaymentRefusal);
    }
  });

  it('meets any text with nothing but a typed refusal', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.tuple(fc.base64String(), fc.base64String()).map(([a, b]) => `v1.${a}.${b}`),
      fc.constant('v1.'.repeat(3_000)),
    );
    fc.assert(
      fc.property(texts, text => expect(() => openChallengeToken(key, text)).toThrow(PaymentRefusal)),
    );
  });
});

const l402: ChallengeOffer = {
  rail: 'l402',
  scheme: 'L402',
  wwwAuthenticate: 'L402 macaroon="t", invoice="lnbcrt1", version="0", token="t"',
  body: { invoice: 'lnbcrt1' },
};
const payment = (method: string): ChallengeOffer => ({
  rail: `mpp-${method}`,
  scheme: 'Payment',
  method,
  intent: 'charge',
  wwwAuthenticate: `Payment id="${method}", realm="r", method="${method}", intent="charge", request="e30"`,
});
const x402: ChallengeOffer = {
  rail: 'x402',
  scheme: 'x402',
  headers: { 'PAYMENT-REQUIRED': 'e30=' },
  body: { accepts: [{ scheme: 'exact' }] },
};
const challenge = (offers: ChallengeOffer[]) => ({
  challengeToken: 'v1.a.b',
  amountMicroUsd: 50_000,
  amountSats: 100,
  expiresAt: '2030-01-01T00:00:00.000Z',
  offers,
});
const authenticate = (offers: ChallengeOffer[], accept?: string) =>
  composeChallenge(challenge(offers), accept)
    .headers.filter(([name]) => name === 'WWW-Authenticate')
    .map(([, value]) => /method="(\w+)"/.exec(value)?.[1] ?? value.split(' ')[0]);

describe('composed challenge', () => {
  const all = [payment('lightning'), x402, payment('stripe'), l402];

  it('offers L402, then card, then Lightning to a client that states no preference', () => {
    expect(authenticate(all)).toEqual(['L402', 'stripe', 'lightning']);
  });

  it.each([
    ['lightning/charge', ['lightning', 'L402']],
    ['stripe/*;q=0.5, lightning/charge', ['lightning', 'stripe', 'L402']],
    ['*/*', ['stripe', 'lightning', 'L402']],
    ['stripe/charge;q=0, */*', ['lightning', 'L402']],
  ])('puts what Accept-Payment: %s asks for first and L402 last', (accept, expected) => {
    expect(authenticate(all, accept)).toEqual(expected);
  });

  it.each([
    '',
    ',',
    'lightning',
    'lightning/charge;q=2',
    'UPPER/charge',
    'a/b/c',
    'x'.repeat(2_000),
    'tempo/charge',
  ])('ignores an Accept-Payment that cannot be read, or matches nothing: %j', accept => {
    expect(authenticate(all, accept)).toEqual(['L402', 'stripe', 'lightning']);
  });

  it('gives each challenge a header line of its own, never cached', () => {
    const { headers } = composeChallenge(challenge(all));
    expect(headers.filter(([name]) => name === 'WWW-Authenticate')).toHaveLength(3);
    expect(headers).toContainEqual(['X-402-Challenge', 'v1.a.b']);
    expect(headers).toContainEqual(['Cache-Control', 'no-store']);
    expect(headers).toContainEqual(['PAYMENT-REQUIRED', 'e30=']);
  });

  it('is read by mppx also when a proxy joins the lines', () => {
    const joined = composeChallenge(challenge(all), '*/*')
      .headers.filter(([name]) => name === 'WWW-Authenticate')
      .map(([, value]) => value)
      .join(', ');
    expect(Challenge.deserializeList(joined).map(({ method }) => method)).toEqual(['stripe', 'lightning']);
  });

  it('states price, invoice, rails and end in its body, and accepts only with an x402 rail', () => {
    expect(composeChallenge(challenge([l402, payment('lightning')])).body).toEqual({
      challengeToken: 'v1.a.b',
      priceUsd: '0.05',
      priceSats: 100,
      invoice: 'lnbcrt1',
      expiresAt: '2030-01-01T00:00:00.000Z',
      rails: ['l402', 'mpp-lightning'],
    });
    expect(composeChallenge(challenge(all)).body).toHaveProperty('accepts');
  });
});

describe('Accept-Payment', () => {
  it('is ranked as its definition says: the specific entry decides, then the order offered', () => {
    const offers = [
      { method: 'a', intent: 'charge' },
      { method: 'b', intent: 'charge' },
      { method: 'c', intent: 'session' },
    ];
    const ranked = rankByPreference(offers, parseAcceptPayment('*/*;q=0.1, */charge;q=0.5, a/charge;q=0.2')!);
    expect(ranked.map(({ method }) => method)).toEqual(['b', 'a', 'c']);
  });

  it('never throws, and states only qualities from 0 to 1', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z*\/;,=q.0-9 ]*$/)), header => {
        for (const { quality } of parseAcceptPayment(header) ?? []) {
          expect(quality).toBeGreaterThanOrEqual(0);
          expect(quality).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

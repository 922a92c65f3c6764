import { describe, expect, it, jest } from '@jest/globals';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { Challenge, Credential } from 'mppx';
import { Mppx, stripe } from 'mppx/client';
import { CARD_BUNDLE_MICRO_USD_MIN } from '../pricing/plans.js';
import { PaymentRefusal } from '../payment-refusal.js';
import { verifyLightningCharge } from './lightning-charge.js';
import { paymentChallengeHeader } from './payment-challenge.js';
import { parsePaymentCredential } from './payment-credential.js';
import { cardChargeMicroUsd, issueStripeCharge, verifyStripeCharge } from './stripe-charge.js';

const secretKey = 'a secret that both implementations use';
const key = utf8ToBytes(secretKey);
const charge = {
  operationId: 'zk.prove',
  chargeMicroUsd: 500_000,
  description: 'STARK proof of an execution trace',
  networkId: 'profile_test_1',
  paymentMethodTypes: ['card', 'link'],
  metadata: { jti: 'jti-1' },
  realm: 'svc.example',
  expiresAtMs: Date.UTC(2030, 0, 1),
} as const;
const issued = issueStripeCharge(key, charge);
const spt = 'spt_1TestToken';

/** The credential that a client makes which echoes the challenge as it read it. */
function credentialOf(payload: Record<string, unknown>, challenge = issued) {
  const echoed = Challenge.deserialize(paymentChallengeHeader(challenge));
  const text = Credential.serialize(Credential.from({ challenge: echoed, payload }));
  return parsePaymentCredential(text.replace(/^Payment /, ''));
}

describe('stripe charge', () => {
  it('asks in whole cents for what draft-stripe-charge names, under an id that mppx computes too', () => {
    const theirs = Challenge.deserialize(paymentChallengeHeader(issued));
    expect(Challenge.verify(theirs, { secretKey })).toBe(true);
    expect(theirs.method).toBe('stripe');
    expect(theirs.request).toEqual({
      amount: '50',
      currency: 'usd',
      description: charge.description,
      externalId: 'zk.prove',
      methodDetails: {
        networkId: 'profile_test_1',
        paymentMethodTypes: ['card', 'link'],
        metadata: { jti: 'jti-1' },
      },
    });
  });

  it('is paid by the unmodified client of mppx, whose wallet is asked for just that amount', async () => {
    const createToken = jest.fn(async (_asked: object) => spt);
    let verified: ReturnType<typeof verifyStripeCharge> | undefined;
    const server: typeof globalThis.fetch = async (input, init) => {
      const authorization = new Request(input, init).headers.get('authorization');
      if (!authorization) {
        const headers = { 'WWW-Authenticate': paymentChallengeHeader(issued) };
        return new Response('{}', { status: 402, headers });
      }
      const credential = parsePaymentCredential(authorization.replace(/^Payment /, ''));
      verified = verifyStripeCharge(key, credential);
      return new Response('{}', { status: 200 });
    };
    const client = Mppx.create({
      fetch: server,
      polyfill: false,
      methods: [stripe.charge({ createToken, paymentMethod: 'pm_card_visa' })],
    });
    const answer = await client.fetch('https://svc.example/v1/zk/prove', { method: 'POST' });
    expect(answer.status).toBe(200);
    expect(createToken).toHaveBeenCalledTimes(1);
    expect(createToken).toHaveBeenCalledWith(
      expect.objectContaining({
        amount: '50',
        currency: 'usd',
        networkId: 'profile_test_1',
        paymentMethod: 'pm_card_visa',
        expiresAt: charge.expiresAtMs / 1_000,
      }),
    );
    expect(verified).toEqual({
      challengeId: issued.id,
      operationId: 'zk.prove',
      chargeMicroUsd: 500_000,
      sharedPaymentToken: spt,
      metadata: { jti: 'jti-1' },
      expiresAtMs: charge.expiresAtMs,
    });
  });

  it('is another at the same instant for another payer: its id is paid once', () => {
    const other = issueStripeCharge(key, { ...charge, metadata: { jti: 'jti-2' } });
    expect(other.expires).toBe(issued.expires);
    expect(other.id).not.toBe(issued.id);
  });

  it('carries its metadata there and back', () => {
    const withMetadata = issueStripeCharge(key, { ...charge, metadata: { jti: 'j', order: '7' } });
    expect(verifyStripeCharge(key, credentialOf({ spt }, withMetadata)).metadata).toEqual({
      jti: 'j',
      order: '7',
    });
  });

  it('is refused when any member of its challenge was changed, or the payment is said to be for another', () => {
    const { request } = issued;
    for (const change of [
      { realm: 'other.example' },
      { request: { ...request, amount: '1' } },
      { request: { ...request, externalId: 'agent.coi-verify' } },
      {
        request: { ...request, methodDetails: { networkId: 'profile_other', paymentMethodTypes: ['card'] } },
      },
      { expires: '2040-01-01T00:00:00.000Z' },
      { id: 'x' },
    ]) {
      const changed = { challenge: { ...issued, ...change }, payload: { spt } };
      expect(() => verifyStripeCharge(key, changed)).toThrow(
        expect.objectContaining({ code: 'PAYMENT_INVALID' }),
      );
    }
    const elsewhere = credentialOf({ spt, externalId: 'agent.coi-verify' });
    expect(() => verifyStripeCharge(key, elsewhere)).toThrow('externalId');
    expect(() => verifyStripeCharge(utf8ToBytes('another'), credentialOf({ spt }))).toThrow(PaymentRefusal);
  });

  it('is no lightning charge, and a lightning charge is none of it', () => {
    const credential = credentialOf({ spt, preimage: 'ab'.repeat(32) });
    const unsupported = expect.objectContaining({ code: 'PAYMENT_METHOD_UNSUPPORTED' });
    expect(() => verifyLightningCharge(key, credential)).toThrow(unsupported);
    const { challenge, payload } = credential;
    const lightning = { challenge: { ...challenge, method: 'lightning' }, payload };
    expect(() => verifyStripeCharge(key, lightning)).toThrow(unsupported);
    // The id binds the method: renaming it does not make the one the other.
    expect(() => verifyLightningCharge(key, lightning)).toThrow(
      expect.objectContaining({ code: 'PAYMENT_INVALID' }),
    );
  });

  it.each([undefined, 7, '', 'spt 1', 'spt_1&amount=1', 'spt_é', 'a'.repeat(256), { id: spt }, [spt]])(
    'with the token %j is refused as malformed, and the token is not repeated',
    token => {
      try {
        verifyStripeCharge(key, credentialOf({ spt: token }));
        throw new Error('it was accepted');
      } catch (error) {
        expect(error).toMatchObject({ code: 'PAYMENT_MALFORMED' });
        if (typeof token === 'string' && token !== '') expect((error as Error).message).not.toContain(token);
      }
    },
  );

  it('charges whole cents, at least the price, and at least what a card can be charged', () => {
    expect([1_000, 50_000, 500_000, 500_001, 1_234_567].map(cardChargeMicroUsd)).toEqual([
      500_000, 500_000, 500_000, 510_000, 1_240_000,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000_000 }), price => {
        const charged = cardChargeMicroUsd(price);
        expect(charged % 10_000).toBe(0);
        expect(charged).toBeGreaterThanOrEqual(Math.max(price, CARD_BUNDLE_MICRO_USD_MIN));
        expect(charged - price).toBeLessThan(Math.max(10_000, CARD_BUNDLE_MICRO_USD_MIN));
        const challenge = issueStripeCharge(key, { ...charge, chargeMicroUsd: charged });
        expect(verifyStripeCharge(key, { challenge, payload: { spt } }).chargeMicroUsd).toBe(charged);
      }),
    );
  });

  it.each([0, -500_000, 500_001, 0.5, Number.NaN, Infinity])(
    'is not issued for %d micro-USD',
    chargeMicroUsd => {
      expect(() => issueStripeCharge(key, { ...charge, chargeMicroUsd })).toThrow(RangeError);
    },
  );
});

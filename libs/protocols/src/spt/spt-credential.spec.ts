import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { signChallengeToken } from '../challenge/challenge-token.js';
import { PaymentRefusal } from '../payment-refusal.js';
import { sharedPaymentTokenOffer, verifySharedPaymentToken } from './spt-credential.js';

const key = new Uint8Array(32).fill(5);
const challenge = {
  jti: 'jti-1',
  operationId: 'zk.prove',
  amountMicroUsd: 1_000,
  amountSats: 2,
  exp: 1_900_000_000,
};
const challengeToken = signChallengeToken(key, challenge);
const spt = 'spt_1TestToken';

describe('shared payment token', () => {
  it('pays the challenge that it comes with, and a card is charged the bundle', () => {
    expect(verifySharedPaymentToken(key, ` ${spt} `, challengeToken)).toEqual({
      sharedPaymentToken: spt,
      jti: 'jti-1',
      operationId: 'zk.prove',
      amountMicroUsd: 1_000,
      amountSats: 2,
      chargeMicroUsd: 500_000,
      expiresAtMs: 1_900_000_000_000,
    });
  });

  it('alone is bound to no price and refused', () => {
    expect(() => verifySharedPaymentToken(key, spt, undefined)).toThrow('X-402-Challenge');
    expect(() => verifySharedPaymentToken(key, spt, '')).toThrow(PaymentRefusal);
  });

  it('with a challenge of another deployment, or one that was changed, is refused', () => {
    const foreign = signChallengeToken(new Uint8Array(32), challenge);
    expect(() => verifySharedPaymentToken(key, spt, foreign)).toThrow(
      expect.objectContaining({ code: 'PAYMENT_INVALID' }),
    );
    const [version, content, signature] = challengeToken.split('.');
    const fields = JSON.parse(Buffer.from(content, 'base64url').toString());
    const cheaper = Buffer.from(JSON.stringify({ ...fields, amountMicroUsd: 1 })).toString('base64url');
    expect(() => verifySharedPaymentToken(key, spt, `${version}.${cheaper}.${signature}`)).toThrow(
      PaymentRefusal,
    );
  });

  it('meets any two texts with nothing but a typed refusal that does not repeat the token', () => {
    const tokens = fc.oneof(
      fc.string(),
      fc.constantFrom(spt, ''),
      fc.string({ unit: 'binary', maxLength: 400 }),
    );
    const challenges = fc.oneof(
      fc.string(),
      fc.constantFrom(undefined, challengeToken, 'v1.e30.AA'),
      fc.base64String(),
    );
    fc.assert(
      fc.property(tokens, challenges, (token, text) => {
        try {
          expect(verifySharedPaymentToken(key, token, text).jti).toBe('jti-1');
        } catch (error) {
          expect(error).toBeInstanceOf(PaymentRefusal);
          if (token.trim().length > 12) expect((error as Error).message).not.toContain(token.trim());
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is asked of a wallet with amount, currency, receiver and end', () => {
    const terms = { networkId: 'profile_1', paymentMethodTypes: ['card'] };
    expect(
      sharedPaymentTokenOffer({ ...terms, priceMicroUsd: 1_000, expiresAtMs: Date.UTC(2030, 0, 1) }),
    ).toEqual({
      amount: '50',
      currency: 'usd',
      networkId: 'profile_1',
      paymentMethodTypes: ['card'],
      expiresAt: '2030-01-01T00:00:00.000Z',
    });
  });
});

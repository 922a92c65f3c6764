import { describe, expect, it } from '@jest/globals';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { isPaymentRequiredV1, isPaymentRequiredV2 } from '@x402/core/schemas';
import { Challenge } from 'mppx';
import { l402ChallengeHeader } from '../l402/l402.js';
import { issueEvmCharge } from '../mpp/evm-charge.js';
import { issueLightningCharge } from '../mpp/lightning-charge.js';
import { type IssuedPaymentChallenge, paymentChallengeHeader } from '../mpp/payment-challenge.js';
import { issueStripeCharge } from '../mpp/stripe-charge.js';
import { sharedPaymentTokenOffer } from '../spt/spt-credential.js';
import { findX402Network } from '../x402/network.js';
import { offerX402 } from '../x402/payment-required.js';
import { type ChallengeOffer, composeChallenge } from './compose-challenge.js';

const key = new Uint8Array(32).fill(1);
const expiresAtMs = Date.UTC(2030, 0, 1);
const common = { operationId: 'zk.prove', description: 'STARK proof', realm: 'svc.example', expiresAtMs };
const card = { networkId: 'profile_1', paymentMethodTypes: ['card'] };
const { caip2, usdc } = findX402Network('base-sepolia')!;
const invoice = 'lnbcrt20n1example';

const payment = (challenge: IssuedPaymentChallenge): ChallengeOffer => ({
  rail: `mpp-${challenge.method}`,
  scheme: 'Payment',
  method: challenge.method,
  intent: challenge.intent,
  wwwAuthenticate: paymentChallengeHeader(challenge),
});
const lightning = payment(
  issueLightningCharge(key, {
    ...common,
    amountSats: 2,
    invoice,
    paymentHash: 'ab'.repeat(32),
    network: 'regtest',
  }),
);
const stripe = payment(
  issueStripeCharge(key, { ...common, ...card, chargeMicroUsd: 500_000, metadata: { jti: 'j' } }),
);
const l402: ChallengeOffer = {
  rail: 'l402',
  scheme: 'L402',
  wwwAuthenticate: l402ChallengeHeader('AgJC', invoice),
  body: { invoice },
};
const x402: ChallengeOffer = {
  rail: 'x402',
  scheme: 'x402',
  ...offerX402(
    {
      network: caip2,
      asset: usdc,
      payTo: `0x${'aa'.repeat(20)}`,
      amountMicroUsd: 1_000,
      maxTimeoutSeconds: 120,
    },
    { url: 'https://svc.example/v1/zk/prove', description: 'STARK proof', mimeType: 'application/json' },
  ),
};
const spt: ChallengeOffer = {
  rail: 'spt',
  scheme: 'SPT',
  body: { sharedPaymentToken: sharedPaymentTokenOffer({ ...card, priceMicroUsd: 1_000, expiresAtMs }) },
};
const onchain = payment(
  issueEvmCharge(key, {
    ...common,
    ...{ network: caip2, asset: usdc, payTo: `0x${'aa'.repeat(20)}`, amountMicroUsd: 1_000, jti: 'j' },
  }),
);
/** In an order that nobody wants. */
const offers = [spt, lightning, onchain, x402, stripe, l402];

const compose = (acceptPayment?: string, some = offers, besideLogin = false) =>
  composeChallenge(
    {
      challengeToken: 'v1.a.b',
      amountMicroUsd: 1_000,
      amountSats: 2,
      expiresAt: '2030-01-01T00:00:00.000Z',
      offers: some,
    },
    acceptPayment,
    { besideLogin },
  );
const linesOf = ({ headers }: ReturnType<typeof compose>) =>
  headers.filter(([name]) => name === 'WWW-Authenticate').map(([, value]) => value);
const header = ({ headers }: ReturnType<typeof compose>, name: string) =>
  headers.find(([given]) => given === name)?.[1];

describe('one 402 for all rails', () => {
  it('begins with L402, card and Lightning for clients that take the first challenge they know', () => {
    const lines = linesOf(compose());
    expect(lines.map(line => /^L402|method="\w+"/.exec(line)?.[0])).toEqual([
      'L402',
      'method="stripe"',
      'method="lightning"',
      'method="evm"',
    ]);
    const rails = ['l402', 'mpp-stripe', 'mpp-lightning', 'mpp-evm', 'x402', 'spt'];
    expect(compose().body.rails).toEqual(rails);
  });

  it('names the field of the payment for a client whose Authorization is taken', () => {
    const lines = linesOf(compose(undefined, offers, true));
    expect(lines.filter(line => line.startsWith('L402'))).toEqual(linesOf(compose(undefined, [l402])));
    const challenges = Challenge.deserializeList(lines.join(', '));
    expect(challenges.map(({ header: field }) => field)).toEqual(Array(3).fill('Payment-Authorization'));
  });

  it('gives a client whose Accept-Payment matches nothing what there is', () => {
    expect(linesOf(compose('tempo/charge, solana/charge'))).toEqual(linesOf(compose()));
    expect(compose('tempo/charge').body.rails).toEqual(compose().body.rails);
  });

  it.each([
    ['stripe/charge', ['stripe']],
    ['evm/charge', ['evm']],
    ['lightning/charge, stripe/charge;q=0.5', ['lightning', 'stripe']],
  ])(
    'gives a client that sends Accept-Payment: %s what it can pay first, and L402 last',
    (accept, methods) => {
      const composed = compose(accept);
      const lines = linesOf(composed);
      expect(lines.at(-1)).toMatch(/^L402 /);
      const joined = lines.join(', ');
      expect(Challenge.deserializeList(joined).map(({ method }) => method)).toEqual(methods);
      // Rails that are not in WWW-Authenticate are no matter of that header.
      expect(header(composed, 'PAYMENT-REQUIRED')).toBe(x402.headers!['PAYMENT-REQUIRED']);
      expect(composed.body).toHaveProperty('accepts');
      expect(composed.body).toHaveProperty('sharedPaymentToken');
    },
  );

  it('shows x402 its version 2 in the header and its version 1 in the body, and the body is the others’ too', () => {
    const composed = compose();
    expect(isPaymentRequiredV2(decodePaymentRequiredHeader(header(composed, 'PAYMENT-REQUIRED')!))).toBe(
      true,
    );
    expect(isPaymentRequiredV1(composed.body)).toBe(true);
    expect(composed.body).toMatchObject({
      x402Version: 1,
      challengeToken: 'v1.a.b',
      invoice,
      priceUsd: '0.001',
      priceSats: 2,
      sharedPaymentToken: { amount: '50', currency: 'usd', networkId: 'profile_1' },
    });
  });

  it('has one price on every rail, but for the least that a card can be charged', () => {
    const { accepts, sharedPaymentToken } = compose().body as {
      accepts: { maxAmountRequired: string }[];
      sharedPaymentToken: { amount: string };
    };
    const two = decodePaymentRequiredHeader(header(compose(), 'PAYMENT-REQUIRED')!);
    expect(accepts[0].maxAmountRequired).toBe('1000');
    expect(two.accepts[0].amount).toBe('1000');
    const charges = Challenge.deserializeList(linesOf(compose('*/*')).join(', '));
    expect(charges.map(({ request }) => [request.amount, request.currency])).toEqual([
      [sharedPaymentToken.amount, 'usd'],
      ['2', 'sat'],
      ['1000', usdc.address],
    ]);
  });

  it('says nothing of a rail that is not offered', () => {
    const { body, headers } = compose(undefined, [l402]);
    expect(headers.map(([name]) => name)).toEqual(['WWW-Authenticate', 'X-402-Challenge', 'Cache-Control']);
    for (const member of ['accepts', 'x402Version', 'sharedPaymentToken'])
      expect(body).not.toHaveProperty(member);
  });
});

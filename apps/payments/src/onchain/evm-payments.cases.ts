import { describe, expect, it } from '@jest/globals';
import type { PaymentCredential } from '@svc/contracts';
import type { ProblemError } from '@svc/platform';
import { findPrice, findX402Network, type Price } from '@svc/protocols';
import { Challenge } from 'mppx';
import { evm } from 'mppx/client';
import { privateKeyToAccount } from 'viem/accounts';
import type { Quote } from '../rail/rail.js';
import type { AuthorizationFate } from './evm-chain.js';
import { AUTHORIZATION_SECONDS, type OnchainRail } from './onchain-rail.js';

const { usdc } = findX402Network('eip155:84532')!;
const price = findPrice('zk.prove')!;
const TX = `0x${'77'.repeat(32)}` as const;
const transferred: AuthorizationFate = { fate: 'transferred', transaction: TX };
const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** What the suite of the rail has: the rail over a scripted chain, and payments of x402. */
interface OfTheRail {
  readonly railWith: (change?: { fates?: AuthorizationFate[] }) => Promise<{
    rail: OnchainRail;
    script: {
      questions: string[];
      recovered: number;
      wallet: boolean;
      isSignedBy?: (from: string) => boolean;
    };
  }>;
  readonly credentialOf: (version: 1 | 2) => PaymentCredential;
  readonly quote: Quote;
}

/** The credential that mppx makes of the rail's challenge. */
async function evmCredential(rail: OnchainRail, quote: Quote) {
  const { offers } = await rail.quote(quote);
  const challenge = Challenge.deserialize(offers[1].wwwAuthenticate!);
  const account = privateKeyToAccount(`0x${'22'.repeat(32)}`);
  const client = evm.charge({ account, authorization: { name: usdc.name, version: usdc.version } });
  const text = await client.createCredential({ challenge: challenge as never, context: {} });
  const credential = { scheme: 'Payment' as const, value: text.replace(/^Payment /, '') };
  return { credential, challenge, payer: account.address };
}
/** The authorization of a credential of MPP, as a client of x402 would show it. */
function asX402({ value }: PaymentCredential, like: PaymentCredential): PaymentCredential {
  const { payload } = JSON.parse(Buffer.from(value, 'base64url').toString());
  const { type: _type, signature, ...authorization } = payload;
  const shown = JSON.parse(Buffer.from(like.value, 'base64').toString());
  const json = { ...shown, payload: { authorization, signature } };
  return { scheme: 'x402' as const, value: Buffer.from(JSON.stringify(json)).toString('base64') };
}

/** Payments by MPP over the rail of x402. */
export function describeEvmPayments({ railWith, credentialOf, quote }: OfTheRail): void {
  describe('a payment by evm/charge', () => {
    it('ends with its challenge, which ends when an authorization of x402 does', async () => {
      const { rail } = await railWith();
      const before = nowSeconds();
      const { credential, challenge } = await evmCredential(rail, quote);
      const endsAtMs = Date.parse(challenge.expires!);
      expect(endsAtMs / 1_000).toBeGreaterThanOrEqual(before + AUTHORIZATION_SECONDS);
      expect(endsAtMs / 1_000).toBeLessThan(nowSeconds() + AUTHORIZATION_SECONDS + 1);
      const { expiresAtMs } = await rail.verify(credential, price);
      expect(expiresAtMs).toBeLessThanOrEqual(endsAtMs);
      expect(expiresAtMs).toBeGreaterThan(endsAtMs - 10_000);
    });

    it('is the money of the same authorization shown as x402, and another credential', async () => {
      const { rail } = await railWith();
      const { credential, challenge, payer } = await evmCredential(rail, quote);
      const payment = await rail.verify(credential, price);
      expect(payment).toMatchObject({
        ...{ rail: 'mpp-evm', method: 'evm', challengeId: challenge.id, publicOnceSettled: false },
        ...{ payer: `x402:${payer.toLowerCase()}`, chargeMicroUsd: 1_000, amountMicroUsd: 1_000 },
      });
      for (const version of [1, 2] as const) {
        const shown = await rail.verify(asX402(credential, credentialOf(version)), price);
        expect(shown.proofKey).toBe(payment.proofKey);
        expect(shown.credentialDigest).not.toBe(payment.credentialDigest);
      }
      expect(rail.known(credential, price)).toMatchObject({ credentialDigest: payment.credentialDigest });
      expect(rail.operationOf(credential)).toBe('zk.prove');
    });

    it('settles without the headers of x402, as its claim does when it is asked about later', async () => {
      const { rail } = await railWith({ fates: [transferred] });
      const { credential } = await evmCredential(rail, quote);
      const payment = await rail.verify(credential, price);
      const settled = await rail.settle(payment);
      expect(settled).toMatchObject({ outcome: 'settled', reference: TX, chargedMicroUsd: 1_000 });
      const evidence = JSON.parse(JSON.stringify(payment.evidence));
      const claim = { claimId: 'c', proofKey: payment.proofKey, evidence, claimedAtMs: Date.now() };
      expect(await rail.enquire(claim)).toEqual(settled);
      expect((settled as { headers?: object }).headers).toBeUndefined();
    });

    it('pays for what its challenge was made for alone, at its price', async () => {
      const { rail } = await railWith();
      const { credential } = await evmCredential(rail, quote);
      const other = findPrice('stark.prove-m31')!;
      await expect(rail.verify(credential, other)).rejects.toMatchObject({ code: 'PAYMENT_BOUND_ELSEWHERE' });
      const risen: Price = { ...price, amountMicroUsd: 1_001 };
      await expect(rail.verify(credential, risen)).rejects.toMatchObject({ code: 'PAYMENT_INSUFFICIENT' });
      expect(() => rail.requireOffered(credential, risen)).toThrow('1001');
      // What it pays too much after a price has fallen becomes credit.
      const fallen: Price = { ...price, amountMicroUsd: 400 };
      expect(await rail.verify(credential, fallen)).toMatchObject({
        ...{ amountMicroUsd: 400, chargeMicroUsd: 1_000 },
      });
    });

    it.each(['evm first', 'x402 first'])(
      'does not vouch for another payment that the same value is, %s',
      async order => {
        const signedBy: string[] = [];
        const { rail, script } = await railWith();
        const { credential, payer } = await evmCredential(rail, quote);
        const json = JSON.parse(Buffer.from(credential.value, 'base64url').toString());
        const victim = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
        const { type: _type, signature: _signature, ...authorization } = json.payload;
        const nonce = `0x${'ab'.repeat(32)}`;
        Object.assign(json, { x402Version: 1, scheme: 'exact', network: 'base-sepolia' });
        json.payload.authorization = { ...authorization, from: victim, nonce };
        const value = Buffer.from(JSON.stringify(json)).toString('base64url');
        script.isSignedBy = from => {
          signedBy.push(from);
          return from === payer;
        };
        script.wallet = false;
        const outcome = async (scheme: 'Payment' | 'x402') =>
          rail.verify({ scheme, value }, price).then(
            payment => payment.payer,
            (error: ProblemError) => error.code,
          );
        const schemes =
          order === 'evm first' ? (['Payment', 'x402'] as const) : (['x402', 'Payment'] as const);
        const outcomes = Object.fromEntries(
          await Promise.all(schemes.map(async scheme => [scheme, await outcome(scheme)] as const)),
        );
        expect(outcomes).toEqual({ Payment: `x402:${payer.toLowerCase()}`, x402: 'PAYMENT_INVALID' });
        expect(signedBy.sort()).toEqual([payer, victim].sort());
      },
    );

    it('for a challenge of somebody else is refused before anybody is asked', async () => {
      const { rail, script } = await railWith();
      const { credential } = await evmCredential(rail, quote);
      const json = JSON.parse(Buffer.from(credential.value, 'base64url').toString());
      json.challenge.realm = 'other.example';
      const value = Buffer.from(JSON.stringify(json)).toString('base64url');
      await expect(rail.verify({ scheme: 'Payment', value }, price)).rejects.toMatchObject({
        code: 'PAYMENT_INVALID',
      });
      expect([script.questions, script.recovered]).toEqual([[], 0]);
    });
  });
}

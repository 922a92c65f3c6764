import { describe, expect, it } from '@jest/globals';
import { ProblemError, problemOf, runInTurn } from '@svc/platform';
import { decodeX402Response, findPrice, findX402Network } from '@svc/protocols';
import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import fc from 'fast-check';
import type { AuthorizationFate } from './evm-chain.js';
import { describeEvmPayments } from './evm-payments.cases.js';
import { FacilitatorAway, NONCE_USED, type Transfer, type Verification } from './facilitator.js';
import { describeLeastAmount } from './least-amount.cases.js';
import type { OnchainOptions } from './onchain-options.js';
import {
  AUTHORIZATION_SECONDS,
  OnchainRail,
  VERIFYING_MAX,
  VERIFYING_PARTS,
  VERIFYING_WAITING_MAX,
} from './onchain-rail.js';

const { usdc, caip2 } = findX402Network('eip155:84532')!;
const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const FROM = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const NONCE = `0x${'ab'.repeat(32)}`;
const TX = `0x${'77'.repeat(32)}` as const;
const price = findPrice('zk.prove')!;
const nowSeconds = () => Math.floor(Date.now() / 1_000);

const authorizationOf = (change: object = {}) => ({
  from: FROM,
  to: PAY_TO,
  value: String(price.amountMicroUsd),
  validAfter: '0',
  validBefore: String(nowSeconds() + 60),
  nonce: NONCE,
  ...change,
});
/** A credential of version 2 or 1; whether its signature is good, a script says. */
function credentialOf(version: 1 | 2 = 2, change: object = {}, accepted: object = {}) {
  const payload = { authorization: authorizationOf(change), signature: `0x${'11'.repeat(65)}` };
  const extra = { name: usdc.name, version: usdc.version };
  const requirement = {
    scheme: 'exact',
    network: caip2,
    amount: String(price.amountMicroUsd),
    asset: usdc.address,
    payTo: PAY_TO,
    maxTimeoutSeconds: AUTHORIZATION_SECONDS,
    extra,
    ...accepted,
  };
  const json =
    version === 2
      ? { x402Version: 2, accepted: requirement, payload }
      : { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload };
  return { scheme: 'x402' as const, value: Buffer.from(JSON.stringify(json)).toString('base64') };
}

/** What the two ends that a rail speaks with do in a test. */
interface Script {
  verification: Verification | Error;
  transfer: Transfer;
  /** One after another; the last one stays. */
  fates: (AuthorizationFate | Error)[];
  signed: boolean;
  /** Says more than `signed`, where it is there. */
  isSignedBy?: (from: string) => boolean;
  wallet: boolean;
  used: boolean;
  funds: boolean;
  trusted: boolean;
  settled: number;
  /** Signatures that were recovered. */
  recovered: number;
  /** Of the node and the facilitator, to verify. */
  questions: string[];
  /** Until it resolves, no question is answered. */
  answering?: Promise<void>;
}

async function railWith(change: Partial<Script> = {}, options: Partial<OnchainOptions> = {}) {
  const script: Script = {
    verification: { valid: true },
    transfer: { outcome: 'done', transaction: TX },
    fates: [{ fate: 'open' }],
    signed: true,
    wallet: true,
    used: false,
    funds: true,
    trusted: true,
    settled: 0,
    recovered: 0,
    questions: [],
    ...change,
  };
  const asked = async <T>(question: string, answer: T): Promise<T> => {
    script.questions.push(question);
    await script.answering;
    return answer;
  };
  const rail = new OnchainRail({
    terms: { network: caip2, asset: usdc, payTo: PAY_TO },
    challengeKey: new Uint8Array(32).fill(7),
    sandbox: true,
    ...options,
    checkMs: 20,
    connect: async () => ({
      facilitator: {
        trusted: script.trusted,
        kinds: async () => [{ x402Version: 2, scheme: 'exact', network: caip2 }],
        verify: async () => {
          await asked('verify', undefined);
          if (script.verification instanceof Error) throw script.verification;
          return script.verification;
        },
        settle: async () => {
          script.settled++;
          return script.transfer;
        },
        isReady: async () => true,
      },
      chain: {
        isUsable: async () => true,
        isSignedByKey: async ({ from }) => {
          script.recovered++;
          return script.isSignedBy?.(from) ?? script.signed;
        },
        canBeWallets: () => asked('wallet', script.wallet),
        isUsed: () => asked('used', script.used),
        hasFunds: () => asked('funds', script.funds),
        fateOf: async () => {
          const fate = script.fates.length > 1 ? script.fates.shift()! : script.fates[0];
          if (fate instanceof Error) throw fate;
          return fate;
        },
      },
    }),
  });
  await rail.open();
  await rail.close();
  return { rail, script };
}

const transferred: AuthorizationFate = { fate: 'transferred', transaction: TX };
const settleWith = async (change: Partial<Script>, version: 1 | 2 = 2) => {
  const { rail, script } = await railWith(change);
  const payment = await rail.verify(credentialOf(version), price);
  return { settlement: await rail.settle(payment), script };
};
const claimOf = async (rail: OnchainRail, claimedAtMs = Date.now()) => {
  const { proofKey, evidence, expiresAtMs } = await rail.verify(credentialOf(), price);
  // As it comes back from the table.
  const kept = JSON.parse(JSON.stringify(evidence)) as Record<string, unknown>;
  return { claimId: 'c', proofKey, evidence: kept, claimedAtMs, expiresAtMs };
};

const quote = {
  price,
  description: 'a proof',
  realm: 'svc.example',
  resource: 'https://svc.example/v1/zk/prove',
  jti: 'x',
  expiresAtMs: Date.now() + 600_000,
};

describe('an offer of x402', () => {
  it('is what the public schemas of both versions describe, at the price', async () => {
    const { rail } = await railWith();
    const { offers } = await rail.quote(quote);
    expect(offers.map(offer => offer.rail)).toEqual(['x402', 'mpp-evm']);
    const header = JSON.parse(Buffer.from(offers[0].headers!['PAYMENT-REQUIRED'], 'base64').toString());
    expect(PaymentRequiredV2Schema.parse(header).accepts[0]).toMatchObject({
      amount: '1000',
      payTo: PAY_TO,
      network: caip2,
      maxTimeoutSeconds: AUTHORIZATION_SECONDS,
      extra: { jti: 'x', operationId: 'zk.prove' },
    });
    expect(PaymentRequiredV1Schema.parse(offers[0].body).accepts[0]).toMatchObject({
      maxAmountRequired: '1000',
      network: 'base-sepolia',
      resource: quote.resource,
    });
    const elsewhere = await rail.quote({ ...quote, resource: '/v1/zk/prove' });
    const { resource } = JSON.parse(
      Buffer.from(elsewhere.offers[0].headers!['PAYMENT-REQUIRED'], 'base64').toString(),
    );
    expect(resource.url).toBe('https://svc.example/');
  });
});

describeLeastAmount({ railWith, credentialOf, quote });

describeEvmPayments({ railWith, credentialOf, quote });

describe('a presented x402 payment', () => {
  it.each([1, 2] as const)('is known by token, payer and nonce, in version %i', async version => {
    const { rail } = await railWith();
    const payment = await rail.verify(credentialOf(version), price);
    expect(payment).toMatchObject({
      rail: 'x402',
      proofKey: `${caip2}:${usdc.address}:${FROM}:${NONCE}`.toLowerCase(),
      payer: `x402:${FROM.toLowerCase()}`,
      chargeMicroUsd: 1_000,
    });
    expect(JSON.stringify(payment.evidence)).not.toContain('1111');
  });

  it('is known by all the world once it is settled, unless it echoes the id of its offer', async () => {
    const { rail } = await railWith();
    const isPublic = async (version: 1 | 2, extra?: unknown) =>
      (await rail.verify(credentialOf(version, {}, { extra }), price)).publicOnceSettled;
    expect(await isPublic(1)).toBe(true);
    expect(await isPublic(2)).toBe(true);
    expect(await isPublic(2, null)).toBe(true);
    expect(await isPublic(2, { jti: 'short' })).toBe(true);
    expect(await isPublic(2, { name: 'USDC', version: '2', jti: 'a'.repeat(22) })).toBe(false);
  });

  it('is the same credential by the id of its offer, and in no form that lacks it', async () => {
    const { rail } = await railWith();
    const digestOf = async (version: 1 | 2, extra?: unknown, spelling?: (text: string) => string) => {
      const credential = credentialOf(version, {}, { extra });
      const json = Buffer.from(credential.value, 'base64').toString('utf8');
      const value = spelling ? Buffer.from(spelling(json)).toString('base64') : credential.value;
      return (await rail.verify({ ...credential, value }, price)).credentialDigest;
    };
    const jti = 'a'.repeat(22);
    const spaced = (json: string) => JSON.stringify(JSON.parse(json), null, 1);
    const first = await digestOf(2, { jti });
    expect(await digestOf(2, { jti }, spaced)).toBe(first);
    const others = [
      digestOf(1),
      digestOf(1, undefined, spaced),
      digestOf(2),
      digestOf(2, { jti: 'b'.repeat(22) }),
    ];
    expect(new Set([first, ...(await Promise.all(others))]).size).toBe(5);
  });

  it.each([
    ['to another receiver', { to: FROM }, 'PAYMENT_INVALID'],
    ['of less', { value: '999' }, 'PAYMENT_INSUFFICIENT'],
    ['of more', { value: '1001' }, 'PAYMENT_INVALID'],
    ['that begins later', { validAfter: String(nowSeconds() + 60) }, 'PAYMENT_INVALID'],
  ])('%s is refused before anybody is asked', async (_name, change, code) => {
    const { rail } = await railWith({ verification: new Error('was asked') });
    await expect(rail.verify(credentialOf(2, change), price)).rejects.toMatchObject({ code });
    await expect(rail.verify(credentialOf(1, change), price)).rejects.toMatchObject({ code });
  });

  it('for another token, receiver or price than the offer says is refused, whatever it signs', async () => {
    const { rail } = await railWith();
    for (const accepted of [{ asset: FROM }, { payTo: FROM }, { amount: '1' }]) {
      await expect(rail.verify(credentialOf(2, {}, accepted), price)).rejects.toMatchObject({
        code: 'PAYMENT_INVALID',
      });
    }
  });

  it.each([
    ['insufficient_funds', 'PAYMENT_INSUFFICIENT'],
    ['invalid_exact_evm_insufficient_balance', 'PAYMENT_INSUFFICIENT'],
    ['invalid_exact_evm_payload_authorization_valid_before', 'PAYMENT_EXPIRED'],
    ['invalid_exact_evm_signature', 'PAYMENT_INVALID'],
    ['', 'PAYMENT_INVALID'],
  ])('that the facilitator refuses as %j is %s', async (reason, code) => {
    const { rail } = await railWith({ verification: { valid: false, reason } });
    await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject({ code });
  });

  it('by a payer without the money says so, whatever the facilitator calls it', async () => {
    const { rail } = await railWith({ verification: { valid: false, reason: 'simulation' }, funds: false });
    await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject({ code: 'PAYMENT_INSUFFICIENT' });
  });

  it.each(['invalid_exact_evm_transaction_simulation_failed', 'unexpected_verify_error'])(
    'that the node could not try (%s) is 503 with a wait, for whoever signed it, and costs no more questions at once',
    async reason => {
      for (const signed of [true, false]) {
        const { rail, script } = await railWith({ verification: { valid: false, reason }, signed });
        const refused = { payload: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5, charged: 'no' } };
        for (let turn = 0; turn < 3; turn++)
          await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject(refused);
        expect(script.questions.filter(question => question === 'verify')).toHaveLength(1);
        script.verification = { valid: true };
        const another = credentialOf(2, { nonce: `0x${'7'.repeat(64)}` });
        expect(await rail.verify(another, price)).toMatchObject({ rail: 'x402' });
      }
      const { settlement } = await settleWith({ transfer: { outcome: 'refused', reason } });
      expect(settlement).toMatchObject({ outcome: 'refused', code: 'SERVICE_UNAVAILABLE' });
    },
  );

  it('that nobody can be asked about is 503, and is not said to have cost nothing: it may have been sent before', async () => {
    const { rail } = await railWith({ verification: new FacilitatorAway('it is away') });
    const { payload } = await problemOf(rail.verify(credentialOf(), price));
    expect(payload).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 });
    expect(payload.charged).toBeUndefined();
  });

  it('that the node could not try since it is over by the clock of the chain is over', async () => {
    const reason = 'invalid_exact_evm_transaction_simulation_failed';
    const { rail } = await railWith({ verification: { valid: false, reason }, fates: [{ fate: 'over' }] });
    await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject({ code: 'PAYMENT_EXPIRED' });
  });

  it('by a signature that is neither the payer’s nor can be of its wallet asks the node one thing', async () => {
    const { rail, script } = await railWith({ signed: false, wallet: false });
    await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject({ code: 'PAYMENT_INVALID' });
    expect(script.questions).toEqual(['wallet']);
  });

  it('by a payer without the money is not tried, and one that was used all the same is found', async () => {
    const { rail, script } = await railWith({ funds: false });
    await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject({ code: 'PAYMENT_INSUFFICIENT' });
    expect(script.questions).toEqual(['funds', 'used']);
    script.used = true;
    expect((await rail.verify(credentialOf(2, {}, { extra: {} }), price)).evidence).toMatchObject({
      usedBefore: true,
    });
  });

  it('that was refused a moment ago is refused again without a question', async () => {
    const { rail, script } = await railWith({ verification: { valid: false, reason: 'insufficient_funds' } });
    for (let turn = 0; turn < 3; turn++)
      await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject({
        code: 'PAYMENT_INSUFFICIENT',
      });
    expect(script.questions).toEqual(['funds', 'verify', 'used']);
  });

  it('that was refused a moment ago has no signature recovered again, also where it is over', async () => {
    const { rail, script } = await railWith({ signed: false, wallet: false });
    for (const change of [{}, { validBefore: String(nowSeconds() - 5) }]) {
      script.recovered = 0;
      const credential = credentialOf(2, change);
      for (let turn = 0; turn < 5; turn++)
        await expect(rail.verify(credential, price)).rejects.toBeInstanceOf(ProblemError);
      expect(script.recovered).toBe(1);
    }
  });

  describe('while others are being verified', () => {
    let count = 0;
    let answer = () => undefined as void;
    /** A payment that nobody has presented. */
    const fresh = (change: object = {}) =>
      credentialOf(2, { nonce: `0x${(++count).toString(16).padStart(64, '0')}`, ...change });
    const started = async (change: Partial<Script> = {}) => {
      const answering = new Promise<void>(resolve => (answer = resolve));
      const { rail, script } = await railWith({ answering, ...change });
      const present = (subject: string) =>
        runInTurn({ subject, standing: 'claiming' }, () => rail.verify(fresh(), price));
      const under = async (questions: number) => {
        while (script.questions.length < questions) await new Promise(resolve => setImmediate(resolve));
        // Whatever else were to be asked would have been by now.
        for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
        return script.questions.length;
      };
      return { script, present, under };
    };
    const OWN_MAX = VERIFYING_MAX / VERIFYING_PARTS;

    it('one caller has a quarter of the places, and the rest of its payments wait, signatures too', async () => {
      const { script, present, under } = await started();
      const mallory = Array.from({ length: VERIFYING_WAITING_MAX / 2 }, () => present('mallory'));
      expect([await under(OWN_MAX), script.recovered]).toEqual([OWN_MAX, OWN_MAX]);
      const alice = present('alice');
      expect(await under(OWN_MAX + 1)).toBe(OWN_MAX + 1);
      answer();
      expect(await alice).toMatchObject({ rail: 'x402' });
      await Promise.all(mallory);
    });

    it('there is a place for another, however many callers fill theirs', async () => {
      const { present, under } = await started();
      const callers = Array.from({ length: 8 }, (_, i) => Array.from({ length: 8 }, () => present(`${i}`)));
      const settled = Promise.allSettled(callers.flat());
      const before = await under(VERIFYING_MAX - VERIFYING_PARTS);
      const alice = present('alice');
      expect(await under(before + 1)).toBe(before + 1);
      answer();
      expect(await alice).toMatchObject({ rail: 'x402' });
      await settled;
    });

    it('what does not find room to wait is 503 with a wait, has no signature recovered, and costs the node nothing', async () => {
      const { script, present, under } = await started();
      const one = Array.from({ length: OWN_MAX + VERIFYING_WAITING_MAX / 2 }, () => present('mallory'));
      await under(OWN_MAX);
      const refused = { payload: { code: 'OVERLOADED', retryAfterSeconds: 1 } };
      await expect(present('mallory')).rejects.toMatchObject(refused);
      expect([script.recovered, script.questions.length]).toEqual([OWN_MAX, OWN_MAX]);
      answer();
      await Promise.all(one);
      expect(await present('mallory')).toMatchObject({ rail: 'x402' });
    });
  });

  it('presented a hundred times at once is asked about once, and good each time', async () => {
    const { rail, script } = await railWith();
    const credential = credentialOf();
    const presented = await Promise.all(Array.from({ length: 100 }, () => rail.verify(credential, price)));
    expect(presented).toEqual(Array(100).fill(rail.known(credential, price)));
    expect(script.questions).toEqual(['funds', 'verify']);
  });

  it('is known without a question as what it is once it is verified', async () => {
    const { rail, script } = await railWith();
    for (const credential of [
      credentialOf(1),
      credentialOf(2),
      credentialOf(2, {}, { extra: { jti: 'a'.repeat(22) } }),
    ]) {
      const known = rail.known(credential, price);
      expect(script.questions).toEqual([]);
      expect(await rail.verify(credential, price)).toEqual(known);
      script.questions.length = 0;
    }
  });

  it('is known whatever is offered by now, and held against that for what it has not bought', async () => {
    const { rail } = await railWith();
    for (const other of [credentialOf(2, { to: FROM }), credentialOf(1, { value: '999999' })]) {
      expect(rail.known(other, price).proofKey).toBe(rail.known(credentialOf(), price).proofKey);
      expect(() => rail.requireOffered(other, price)).toThrow(ProblemError);
      await expect(rail.verify(other, price)).rejects.toThrow(ProblemError);
    }
    expect(() => rail.requireOffered(credentialOf(), price)).not.toThrow();
  });

  it('shows nothing of what a facilitator writes freely', async () => {
    const reason = 'Internal error at 10.0.0.7: key 0xdeadbeef';
    const { rail } = await railWith({ verification: { valid: false, reason } });
    const error = (await rail.verify(credentialOf(), price).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).not.toMatch(/10\.0\.0\.7|deadbeef/);
  });

  it('cannot be verified while the facilitator is away: 503, and no fresh 402', async () => {
    const { rail } = await railWith({ verification: new FacilitatorAway('gone') });
    await expect(rail.verify(credentialOf(), price)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('that is over, or was used, verifies by its signature alone, so that its answer can be read again', async () => {
    const over = { validBefore: String(nowSeconds() - 5) };
    const used: Verification = { valid: false, reason: NONCE_USED };
    const { rail } = await railWith({ verification: used, used: true });
    expect((await rail.verify(credentialOf(2, over), price)).expiresAtMs).toBeLessThan(Date.now());
    expect((await rail.verify(credentialOf(), price)).proofKey).toContain('abab');
    const forged = (await railWith({ verification: used, used: true, signed: false })).rail;
    await expect(forged.verify(credentialOf(2, over), price)).rejects.toMatchObject({
      code: 'PAYMENT_EXPIRED',
    });
    await expect(forged.verify(credentialOf(), price)).rejects.toMatchObject({ code: 'PAYMENT_INVALID' });
  });

  it('throws a problem for whatever comes as a credential', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json().map(text => Buffer.from(text).toString('base64')),
        ),
        async value => {
          const { rail } = await railWith();
          const thrown: unknown = await rail.verify({ scheme: 'x402', value }, price).catch(error => error);
          expect(thrown).toBeInstanceOf(ProblemError);
        },
      ),
      { numRuns: 100 },
    ));
});

describe('a settlement over x402', () => {
  it.each([1, 2] as const)('names its transaction in the header of version %i', async version => {
    const { settlement } = await settleWith({}, version);
    expect(settlement).toMatchObject({ outcome: 'settled', reference: TX, chargedMicroUsd: 1_000 });
    const headers = (settlement as { headers: Record<string, string> }).headers;
    const name = version === 2 ? 'PAYMENT-RESPONSE' : 'X-PAYMENT-RESPONSE';
    expect(decodeX402Response(headers[name])).toMatchObject({
      success: true,
      transaction: TX,
      network: caip2,
      payer: FROM,
    });
  });

  it('by another is believed when the chain says the same', async () => {
    const { settlement } = await settleWith({
      trusted: false,
      transfer: { outcome: 'done', transaction: '0xlie' },
      fates: [{ fate: 'open' }, transferred],
    });
    expect(settlement).toMatchObject({ outcome: 'settled', reference: TX });
  });

  it('that another makes up is unknown', async () => {
    const { settlement } = await settleWith({ trusted: false });
    expect(settlement.outcome).toBe('unknown');
  });

  it('that another denies is settled where the chain says so', async () => {
    const transfer: Transfer = { outcome: 'refused', reason: 'insufficient_funds' };
    const { settlement } = await settleWith({ trusted: false, transfer, fates: [transferred] });
    expect(settlement).toMatchObject({ outcome: 'settled', reference: TX });
  });

  it('that was done by a request whose answer was lost is this payment, and not a second', async () => {
    const transfer: Transfer = { outcome: 'refused', reason: NONCE_USED };
    expect((await settleWith({ transfer, fates: [transferred] })).settlement).toMatchObject({
      outcome: 'settled',
      reference: TX,
    });
  });

  it('that is in doubt is settled, or unknown, as the chain says; never refused', async () => {
    const transfer: Transfer = { outcome: 'in-doubt', detail: 'no answer' };
    expect((await settleWith({ transfer, fates: [transferred] })).settlement.outcome).toBe('settled');
    for (const fate of [{ fate: 'open' }, { fate: 'untraced' }, new Error('away')] as Script['fates']) {
      expect((await settleWith({ transfer, fates: [fate] })).settlement.outcome).toBe('unknown');
    }
  });

  it('refused for an empty wallet says so, in the header too', async () => {
    const reason = 'invalid_exact_evm_insufficient_balance';
    const { settlement } = await settleWith({ transfer: { outcome: 'refused', reason } });
    expect(settlement).toMatchObject({ outcome: 'refused', code: 'PAYMENT_INSUFFICIENT' });
    const { headers } = settlement as { headers: Record<string, string> };
    expect(decodeX402Response(headers['PAYMENT-RESPONSE'])).toMatchObject({
      success: false,
      errorReason: reason,
    });
  });

  it('of an authorization that was used before it came asks nobody to settle, and the chain where it went', async () => {
    const verification: Verification = { valid: false, reason: NONCE_USED };
    const paid = await settleWith({ verification, used: true, fates: [transferred] });
    expect([paid.settlement.outcome, paid.script.settled]).toEqual(['settled', 0]);
    for (const fate of [{ fate: 'cancelled' }, { fate: 'untraced' }] as AuthorizationFate[]) {
      const { settlement, script } = await settleWith({ verification, used: true, fates: [fate] });
      expect(settlement).toMatchObject({ outcome: 'refused', code: 'PAYMENT_INVALID' });
      expect(script.settled).toBe(0);
    }
  });
});

describe('an enquiry after a settlement that is unknown', () => {
  it.each<[AuthorizationFate | Error, string]>([
    [transferred, 'settled'],
    [{ fate: 'cancelled' }, 'refused'],
    [{ fate: 'over' }, 'refused'],
    [{ fate: 'open' }, 'unknown'],
    [{ fate: 'untraced' }, 'unknown'],
    [new Error('the node is away'), 'unknown'],
  ])('finds %j: %s, and settles nothing', async (fate, outcome) => {
    const { rail, script } = await railWith({ fates: [fate] });
    expect((await rail.enquire(await claimOf(rail))).outcome).toBe(outcome);
    expect(script.settled).toBe(0);
  });

  it('ends where a used authorization has no trace for two minutes', async () => {
    const { rail } = await railWith({ fates: [{ fate: 'untraced' }] });
    expect((await rail.enquire(await claimOf(rail, Date.now() - 121_000))).outcome).toBe('refused');
  });
});

describe('a payment that was offered for another operation', () => {
  const elsewhere = credentialOf(2, {}, { extra: { operationId: 'stark.prove-m31' } });

  it('is refused before its signature is looked at, and no node is asked', async () => {
    const { rail, script } = await railWith();
    const refused = { code: 'PAYMENT_BOUND_ELSEWHERE' };
    await expect(rail.verify(elsewhere, price)).rejects.toMatchObject(refused);
    expect(() => rail.requireOffered(elsewhere, price)).toThrow(
      /for stark\.prove-m31, and this is zk\.prove$/,
    );
    expect([script.recovered, script.questions, script.settled]).toEqual([0, [], 0]);
  });

  it('says so itself; what cannot be read, or is of version 1, says nothing', async () => {
    const { rail } = await railWith();
    expect(rail.operationOf(elsewhere)).toBe('stark.prove-m31');
    for (const credential of [credentialOf(1), credentialOf(), { scheme: 'x402' as const, value: '!' }])
      expect(rail.operationOf(credential)).toBeUndefined();
  });
});

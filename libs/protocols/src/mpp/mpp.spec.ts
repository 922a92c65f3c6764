import { describe, expect, it } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { Challenge, Credential, PaymentRequest, Receipt } from 'mppx';
import { encodeBase64Url } from '../encoding/base64.js';
import { PaymentRefusal } from '../payment-refusal.js';
import { issueLightningCharge, verifyLightningCharge } from './lightning-charge.js';
import { issuePaymentChallenge, paymentChallengeHeader, paymentChallengeId } from './payment-challenge.js';
import { isOwnChallenge, parsePaymentCredential } from './payment-credential.js';
import { decodeReceipt, encodeReceipt } from './payment-receipt.js';

const secretKey = 'a secret that both implementations use';
const key = utf8ToBytes(secretKey);
const preimage = 'ab'.repeat(32);
const paymentHash = bytesToHex(sha256(hexToBytes(preimage)));
const charge = {
  operationId: 'zk.prove',
  amountSats: 2,
  description: 'STARK proof of an execution trace',
  invoice: 'lnbcrt20n1example',
  paymentHash,
  network: 'regtest',
  realm: 'svc.example',
  expiresAtMs: Date.UTC(2030, 0, 1),
} as const;
const issued = issueLightningCharge(key, charge);

/** The credential that mppx sends after it read our header. */
function credentialOf(payload: Record<string, unknown>, header = paymentChallengeHeader(issued)): string {
  const challenge = Challenge.deserialize(header);
  return Credential.serialize(Credential.from({ challenge, payload })).replace(/^Payment /, '');
}

describe('Payment challenge', () => {
  it('verifies with the functions of mppx, and its request is what draft-lightning-charge names', () => {
    const theirs = Challenge.deserialize(paymentChallengeHeader(issued));
    expect(Challenge.verify(theirs, { secretKey })).toBe(true);
    expect(theirs.request).toEqual({
      amount: '2',
      currency: 'sat',
      description: charge.description,
      externalId: 'zk.prove',
      methodDetails: { invoice: charge.invoice, paymentHash, network: 'regtest' },
    });
    expect(theirs.expires).toBe('2030-01-01T00:00:00.000Z');
  });

  it('carries neither digest nor opaque, which clients in use do not echo', () => {
    expect(paymentChallengeHeader(issued)).toMatch(
      /^Payment id="[^"]+", realm="[^"]+", method="lightning", intent="charge", request="[^"]+", expires="[^"]+"$/,
    );
  });

  it('has the id that mppx computes, whatever the slots hold', () => {
    const slots = fc.record(
      {
        realm: fc.string({ minLength: 1 }),
        method: fc.constantFrom('lightning', 'stripe'),
        intent: fc.constantFrom('charge', 'session'),
        request: fc.dictionary(fc.string(), fc.jsonValue()).map(request => ({ ...request })),
        expires: fc.constantFrom('2030-01-01T00:00:00Z', '2031-01-01T00:00:00.000Z'),
        opaque: fc.string({ minLength: 1 }),
      },
      { requiredKeys: ['realm', 'method', 'intent', 'request'] },
    );
    fc.assert(
      fc.property(slots, parameters => {
        let theirs: Challenge.Challenge;
        try {
          PaymentRequest.serialize(parameters.request);
          theirs = Challenge.from({ ...parameters, secretKey });
        } catch {
          return; // what mppx cannot represent has no id to compare
        }
        expect(paymentChallengeId(key, parameters)).toBe(theirs.id);
      }),
      { numRuns: 300 },
    );
  });

  it('of mppx is known as our own under the same key, and only then', () => {
    const theirs = Challenge.from({
      realm: 'r',
      method: 'lightning',
      intent: 'charge',
      request: { amount: '1' },
      secretKey,
    });
    expect(isOwnChallenge(key, theirs)).toBe(true);
    expect(isOwnChallenge(utf8ToBytes('another'), theirs)).toBe(false);
    for (const change of [
      { realm: 's' },
      { request: { amount: '2' } },
      { expires: '2030-01-01T00:00:00Z' },
      { opaque: 'x' },
      { digest: 'sha-256=x' },
    ]) {
      expect(isOwnChallenge(key, { ...theirs, ...change })).toBe(false);
    }
  });

  it.each(['a|b', 'a"b', 'a\\b', 'a\r\nX: y', 'é'])(
    'is not issued for the realm %j, which would break header or slots',
    realm => {
      expect(() =>
        issuePaymentChallenge(key, { realm, method: 'lightning', intent: 'charge', request: {} }),
      ).toThrow(RangeError);
    },
  );
});

describe('Payment credential', () => {
  it('of mppx pays our challenge', () => {
    const credential = parsePaymentCredential(credentialOf({ preimage }));
    expect(verifyLightningCharge(key, credential)).toEqual({
      challengeId: issued.id,
      operationId: 'zk.prove',
      amountSats: 2,
      paymentHash,
      expiresAtMs: charge.expiresAtMs,
    });
  });

  it('is refused when any member of the challenge was changed', () => {
    const { challenge } = Credential.deserialize(`Payment ${credentialOf({ preimage })}`);
    const cheaper = { ...challenge.request, amount: '1' };
    for (const change of [
      { realm: 'x' },
      { request: cheaper },
      { expires: '2040-01-01T00:00:00.000Z' },
      { id: 'x' },
    ]) {
      const changed = Credential.serialize({ challenge: { ...challenge, ...change }, payload: { preimage } });
      const credential = parsePaymentCredential(changed.replace(/^Payment /, ''));
      expect(() => verifyLightningCharge(key, credential)).toThrow('not issued here or was altered');
    }
  });

  it.each([
    [{ preimage: 'cd'.repeat(32) }, 'PAYMENT_INVALID'],
    [{ preimage: 'AB'.repeat(32) }, 'PAYMENT_MALFORMED'],
    [{ preimage: 7 }, 'PAYMENT_MALFORMED'],
    [{}, 'PAYMENT_MALFORMED'],
  ])('with the payload %j is refused as %s', (payload, code) => {
    const credential = parsePaymentCredential(credentialOf(payload));
    expect(() => verifyLightningCharge(key, credential)).toThrow(expect.objectContaining({ code }));
  });

  it('for a method that is not offered is refused as such', () => {
    const card = Challenge.from({
      realm: 'r',
      method: 'stripe',
      intent: 'charge',
      request: { amount: '1' },
      secretKey,
    });
    const credential = parsePaymentCredential(credentialOf({ preimage }, Challenge.serialize(card)));
    expect(() => verifyLightningCharge(key, credential)).toThrow(
      expect.objectContaining({ code: 'PAYMENT_METHOD_UNSUPPORTED' }),
    );
  });

  it('meets any text with nothing but a typed refusal', () => {
    const encoded = fc.jsonValue().map(value => encodeBase64Url(utf8ToBytes(JSON.stringify(value))));
    const request = encodeBase64Url(utf8ToBytes('{"a":"\\ud800"}'));
    const near = fc
      .record(
        {
          challenge: fc.record(
            {
              id: fc.string(),
              realm: fc.string(),
              method: fc.constantFrom('lightning', 'x'),
              intent: fc.constant('charge'),
              request: fc.oneof(fc.constant(request), fc.base64String()),
              expires: fc.jsonValue(),
              digest: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
          payload: fc.oneof(fc.constant({ preimage }), fc.jsonValue()),
        },
        { requiredKeys: [] },
      )
      .map(value => encodeBase64Url(utf8ToBytes(JSON.stringify(value))));
    fc.assert(
      fc.property(fc.oneof(fc.string(), encoded, near), text => {
        try {
          verifyLightningCharge(key, parsePaymentCredential(text));
        } catch (error) {
          expect(error).toBeInstanceOf(PaymentRefusal);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is not read beyond its bound', () => {
    expect(() => parsePaymentCredential('A'.repeat(30_000))).toThrow(/16384 bytes/);
  });

  it('nested ten thousand deep is refused, not a stack overflow', () => {
    const request = encodeBase64Url(utf8ToBytes(`{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`));
    const challenge = { id: 'x', realm: 'r', method: 'lightning', intent: 'charge', request };
    const text = encodeBase64Url(utf8ToBytes(JSON.stringify({ challenge, payload: { preimage } })));
    expect(() => verifyLightningCharge(key, parsePaymentCredential(text))).toThrow(PaymentRefusal);
  });
});

describe('Payment receipt', () => {
  const receipt = {
    status: 'success',
    method: 'lightning',
    timestamp: '2030-01-01T00:00:00.000Z',
    reference: paymentHash,
    challengeId: 'c',
  } as const;

  it('reads with mppx, and those of mppx read here', () => {
    expect(Receipt.deserialize(encodeReceipt(receipt))).toEqual(receipt);
    expect(decodeReceipt(Receipt.serialize(Receipt.from(receipt)))).toEqual(receipt);
  });

  it('is undefined for any text that is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), text =>
        expect(decodeReceipt(text)).toBeUndefined(),
      ),
    );
  });
});

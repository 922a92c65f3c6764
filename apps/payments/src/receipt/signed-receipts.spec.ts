import { describe, expect, it } from '@jest/globals';
import { createLogger, signingSeedsOf } from '@svc/platform';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { LicenceKeys } from '../licence/licence-keys.js';
import { receiptFaults, receiptSettingsOf } from './receipt-config.js';
import type { SoldClaim } from './receipt-payload.js';
import { SignedReceipts } from './signed-receipts.js';

const OLD = 'an-old-secret-of-at-least-32-characters';
const NEW = 'the-new-secret-of-at-least-32-characters';
const SEALS = { storedAnswer: new Uint8Array(32).fill(7) };
const ORIGIN = 'https://svc.example:8443';
const called = { path: '/v1/zk/prove', requestHash: '12'.repeat(32) };
const at = (date: string) => Date.parse(`${date}T00:00:00Z`);

/** The receipts of a deployment with these seeds, and what they have logged. */
function receiptsOf(seeds: string, variables: Record<string, string> = {}) {
  const logged: string[] = [];
  const logger = createLogger('payments', {
    destination: { write: (line: string) => void logged.push(line) },
  });
  const known = { production: false, secrets: { LICENCE_SIGNING_SEEDS: seeds } };
  const settings = receiptSettingsOf(known, { PUBLIC_URL: `${ORIGIN}, https://desks.example`, ...variables });
  return { logged, keys: settings.keys, receipts: new SignedReceipts(settings, SEALS, { logger }) };
}
const answer = (text: string) => ({ status: 200, contentType: 'application/json', body: Buffer.from(text) });

function delivered(by: SignedReceipts, body = '{}', nowMs = Date.now()): SoldClaim {
  return {
    ...{ claimId: '6b0d3c1e-5f3a-4b7e-9a57-2f1d8c1f6e10', operationId: 'zk.prove', family: 'account' },
    ...{ funding: 'credit', payer: 'account:acct_a', chargedMicroUsd: 1_000 },
    receipt: {
      ...{ rail: 'svc-key', reference: 'r', amountMicroUsd: 1_000, amountSats: 2 },
      ...{ timestamp: '2026-04-02T00:00:00.000Z', headers: { 'Payment-Receipt': 'r' } },
      ...{ called: by.calledUrl(called), delivery: by.deliveryOf(answer(body), nowMs) },
    },
  };
}
const jwsOf = (by: SignedReceipts, claim: SoldClaim) => by.shown(claim).headers['SVC-Receipt'];
const partOf = (jws: string, part: 0 | 1) =>
  JSON.parse(Buffer.from(jws.split('.')[part], 'base64url').toString());

function isSigned(jws: string, { keys }: ReturnType<typeof receiptsOf>): boolean {
  const { kid } = partOf(jws, 0) as { kid: string };
  const key = keys.document().verificationMethod.find(({ id }) => id === kid)?.publicKeyJwk;
  if (!key) return false;
  const [header, payload, signature] = jws.split('.');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url'));
}

describe('signed receipts', () => {
  it('are one text for one delivery, under a key of the configured origin that signs no licence', () => {
    const one = receiptsOf(OLD);
    const claim = delivered(one.receipts);
    const jws = jwsOf(one.receipts, claim);
    expect(jwsOf(receiptsOf(OLD).receipts, claim)).toBe(jws);
    expect(isSigned(jws, one)).toBe(true);
    // No plain digest of what was asked or answered is in the row.
    const row = JSON.stringify(claim.receipt);
    for (const hash of [called.requestHash, createHash('sha256').update('{}').digest('hex')])
      for (const form of [hash, Buffer.from(hash, 'hex').toString('base64').slice(0, 40)])
        expect(row).not.toContain(form);
    const { alg, kid } = partOf(jws, 0);
    expect([alg, kid.split('#')[0]]).toEqual(['EdDSA', 'did:web:svc.example%3A8443']);
    expect(partOf(jws, 1)).toMatchObject({ resourceUrl: `${ORIGIN}/v1/zk/prove` });
    const licences = new LicenceKeys(signingSeedsOf('S', { S: OLD })).published();
    expect(one.keys.published()[0].publicKey).not.toBe(licences[0].publicKey);
  });

  it('state the satoshis that an invoice was over, also where the price has fallen since', () => {
    const { receipts } = receiptsOf(OLD);
    const paid: SoldClaim = { ...delivered(receipts), family: 'lightning', funding: 'rail' };
    const amountOf = (chargedMicroUsd?: number) =>
      partOf(jwsOf(receipts, { ...paid, chargedMicroUsd }), 1) as { amount: string };
    expect(amountOf(2_000)).toMatchObject({ amount: '4', decimals: 8, asset: 'BTC' });
    expect(amountOf(undefined)).toMatchObject({ amount: '2' });
  });

  it('stay the same text, and verify, when their key has a successor', () => {
    const before = receiptsOf(OLD);
    const claim = delivered(before.receipts);
    const jws = jwsOf(before.receipts, claim);
    const after = receiptsOf(`${OLD}:2025-01-01:2026-01-01,${NEW}:2026-01-01`);
    expect(jwsOf(after.receipts, claim)).toBe(jws);
    expect(isSigned(jws, after)).toBe(true);
    const next = jwsOf(after.receipts, delivered(after.receipts));
    expect(partOf(next, 0).kid).not.toBe(partOf(jws, 0).kid);
    expect(isSigned(next, after)).toBe(true);
  });

  it('verify no more by a key that was given up', () => {
    const before = receiptsOf(OLD);
    const jws = jwsOf(before.receipts, delivered(before.receipts));
    expect(isSigned(jws, receiptsOf(`${OLD}:revoked=2026-02-01,${NEW}`))).toBe(false);
  });

  it('that cannot be signed leave the answer without one, and say so without a secret', () => {
    const claim = delivered(receiptsOf(OLD).receipts);
    const other = receiptsOf(NEW);
    expect(other.receipts.shown(claim).headers).toEqual({ 'Payment-Receipt': 'r' });
    expect(other.logged.join('')).toContain('A receipt is not signed');
    const ended = receiptsOf(`${NEW}:2026-01-01:2120-01-01`);
    expect(ended.receipts.deliveryOf(answer('{}'), at('2121-01-01'))).toBeUndefined();
    expect(ended.logged.join('')).toContain('no key may sign now');
    expect(other.logged.join('') + ended.logged.join('')).not.toContain(NEW);
  });

  it('are not made of a claim that a plan has paid, or that does not say its request', () => {
    const { receipts } = receiptsOf(OLD);
    const claim = delivered(receipts);
    expect(jwsOf(receipts, { ...claim, funding: 'quota' })).toBeUndefined();
    expect(jwsOf(receipts, { ...claim, receipt: { ...claim.receipt, called: undefined } })).toBeUndefined();
    expect(jwsOf(receipts, { ...claim, receipt: { ...claim.receipt, delivery: undefined } })).toBeUndefined();
  });

  // Bytes of the test vectors of x402-foundation pull request 3186; a number that no double holds is hashed as it came.
  it.each(['{"id":18446744073709551615}', '', 'hello'])(
    'of version 2 bind the raw bytes of the answer as pull request 3186 has it: %j',
    body => {
      const { receipts } = receiptsOf(OLD, { RECEIPT_VERSION: '2' });
      const hash = createHash('sha256').update(body).digest('hex');
      expect(partOf(jwsOf(receipts, delivered(receipts, body)), 1)).toMatchObject({
        ...{ version: 2, responseHash: `0x${hash}`, responseHashAlg: 'sha256', responseHashEncoding: 'raw' },
      });
      const first = receiptsOf(OLD).receipts;
      const one = partOf(jwsOf(first, delivered(first, body)), 1);
      expect([one.version, 'responseHashAlg' in one]).toEqual([1, false]);
      // What was delivered under one version is shown so under the other.
      expect(partOf(jwsOf(receipts, delivered(first, body)), 1).version).toBe(1);
    },
  );

  it('need an address in production, and a version that there is', () => {
    expect(receiptFaults({ production: true }, {})).toEqual(['PUBLIC_URL: is not set, and receipts name it']);
    expect(receiptFaults({ production: true }, { PUBLIC_URL: ORIGIN })).toEqual([]);
    expect(receiptFaults({ production: false }, { RECEIPT_VERSION: '3' })[0]).toMatch(
      /^RECEIPT_VERSION: .*"3"$/,
    );
    expect(receiptFaults({ production: false }, { PUBLIC_URL: 'ftp://svc.example' })[0]).toMatch(
      /^PUBLIC_URL: /,
    );
  });
});

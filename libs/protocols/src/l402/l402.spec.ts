import { describe, expect, it } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import peer from 'macaroon';
import { decodeBase64, encodeBase64, encodeBase64Url } from '../encoding/base64.js';
import { attenuate, decodeMacaroon, encodeMacaroon } from '../macaroon/macaroon.js';
import { PaymentRefusal } from '../payment-refusal.js';
import { bundleGrantOf, grantOf } from './caveats.js';
import { IDENTIFIER_BYTES } from './identifier.js';
import {
  isAsIssued,
  isL402Bundle,
  l402ChallengeHeader,
  mintL402Bundle,
  mintL402Token,
  parseL402Credential,
  verifyL402,
  verifyL402Bundle,
} from './l402.js';

const secret = new Uint8Array(32).fill(9);
const preimage = '11'.repeat(32);
const content = {
  paymentHash: bytesToHex(sha256(hexToBytes(preimage))),
  tokenId: '22'.repeat(32),
  capabilities: ['zk.prove'],
  amountSats: 2,
  validUntil: 1_800_000_000,
  location: 'svc.example',
};
const token = mintL402Token(secret, content);
const tokenBytes = decodeBase64(token, 4_096)!;
const verify = (value: string) => verifyL402(secret, parseL402Credential(value));
const narrowed = (...caveats: string[]) =>
  encodeBase64(encodeMacaroon(caveats.reduce(attenuate, decodeMacaroon(tokenBytes))));

describe('L402 token', () => {
  it('holds the 66-byte identifier: version 0, payment hash, token id', () => {
    const { identifier } = decodeMacaroon(tokenBytes);
    expect(identifier).toHaveLength(IDENTIFIER_BYTES);
    expect(bytesToHex(identifier)).toBe(`0000${content.paymentHash}${content.tokenId}`);
  });

  it('states service, capability, amount and end of validity in its caveats', () => {
    expect(
      peer.importMacaroon(tokenBytes).caveats.map(caveat => new TextDecoder().decode(caveat.identifier)),
    ).toEqual([
      'services=svc:0',
      'svc_capabilities=zk.prove',
      'svc_amount_sats=2',
      'svc_valid_until=1800000000',
    ]);
  });

  it('is offered under both names that clients look for, in the order that they match by pattern', () => {
    expect(l402ChallengeHeader(token, 'lnbcrt1')).toBe(
      `L402 macaroon="${token}", invoice="lnbcrt1", version="0", token="${token}"`,
    );
  });

  it.each([
    ['standard base64', token],
    ['standard base64 without padding', token.replace(/=+$/, '')],
    ['base64url', encodeBase64Url(tokenBytes)],
    ['base64url with padding', token.replaceAll('+', '-').replaceAll('/', '_')],
  ])('is accepted as %s', (_name, encoded) => {
    expect(verify(`${encoded}:${preimage.toUpperCase()}`)).toMatchObject({
      paymentHash: content.paymentHash,
      tokenId: content.tokenId,
      capabilities: ['zk.prove'],
      amountSats: 2,
      validUntil: 1_800_000_000,
    });
  });

  it('is refused with another preimage, another secret, or swapped payment hash', () => {
    expect(() => verify(`${token}:${'12'.repeat(32)}`)).toThrow('does not open the payment hash');
    const other = mintL402Token(new Uint8Array(32).fill(8), content);
    expect(() => verify(`${other}:${preimage}`)).toThrow('not issued here');
    const swapped = { ...decodeMacaroon(tokenBytes) };
    const ownPreimage = '33'.repeat(32);
    swapped.identifier = swapped.identifier.slice();
    swapped.identifier.set(sha256(hexToBytes(ownPreimage)), 2);
    expect(() => verify(`${encodeBase64(encodeMacaroon(swapped))}:${ownPreimage}`)).toThrow(
      'not issued here',
    );
  });

  it('may be narrowed by its holder, also with conditions that others understand', () => {
    expect(
      verify(`${narrowed('svc_valid_until=1700000000', 'ip=10.0.0.1', 'free text')}:${preimage}`),
    ).toMatchObject({
      validUntil: 1_700_000_000,
    });
  });

  it.each([
    ['svc_valid_until=1800000001', /widens/],
    ['svc_capabilities=zk.prove,agent.coi-verify', /widens/],
    ['svc_capabilities=agent.coi-verify', /widens/],
    ['svc_amount_sats=500', /widens/],
    ['services=svc:0,other:0', /widens/],
    ['services=svc:1', /widens/],
    ['svc_valid_until=never', /no number/],
    ['svc_amount_sats=-1', /no number/],
  ])('cannot be widened by its holder: %s', (caveat, detail) => {
    expect(() => verify(`${narrowed(caveat)}:${preimage}`)).toThrow(detail);
  });

  it.each([
    ['svc_budget_sats=100', 'the caveat svc_budget_sats is not known here'],
    [' svc_ip = 10.0.0.1', 'the caveat svc_ip is not known here'],
    ['svc_frozen', 'the caveat svc_frozen is not known here'],
    ['SVC_valid_until=1', 'the caveat SVC_valid_until is not known here'],
    ['svc_valid_until', 'the valid_until caveat is no number'],
  ])('buys nothing under a condition of ours that is not known: %s', (caveat, detail) => {
    expect(() => verify(`${narrowed(caveat)}:${preimage}`)).toThrow(
      new PaymentRefusal('PAYMENT_INVALID', detail),
    );
  });

  it.each(['other_budget_sats=1', 'svc=1', 'svcx_y=1', 'my_svc_z=1', 'svc-budget=1', ''])(
    'is as good with a condition of others: %j',
    caveat => {
      expect(verify(`${narrowed(caveat)}:${preimage}`)).toEqual(verify(`${token}:${preimage}`));
    },
  );

  it('takes a repeated condition only when it is within all before, in any sequence', () => {
    const times = fc.array(fc.nat(4), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(times, sequence => {
        const caveats = [
          'services=svc:0',
          'svc_capabilities=a',
          'svc_amount_sats=1',
          ...sequence.map(time => `svc_valid_until=${time}`),
        ];
        const falls = sequence.every((time, index) => index === 0 || time <= sequence[index - 1]);
        if (falls) expect(grantOf(caveats).validUntil).toBe(sequence.at(-1));
        else expect(() => grantOf(caveats)).toThrow(PaymentRefusal);
      }),
    );
  });

  it.each([
    [['services=other:0', 'svc_capabilities=a', 'svc_amount_sats=1', 'svc_valid_until=1']],
    [['services=svc:0']],
    [[]],
  ])('is worth nothing without its own conditions: %j', caveats => {
    expect(() => grantOf(caveats)).toThrow(PaymentRefusal);
  });
});

describe('L402 bundle', () => {
  const bundle = mintL402Bundle(secret, {
    ...content,
    ...{ capabilities: ['zk.*', 'tool.arena_challenge'], budgetSats: 1_000 },
  });
  const handedOn = (...caveats: string[]) =>
    `${encodeBase64(encodeMacaroon(caveats.reduce(attenuate, decodeMacaroon(decodeBase64(bundle, 4_096)!))))}:${preimage}`;
  const verifyBundle = (value: string) => verifyL402Bundle(secret, parseL402Credential(value));
  const digests = (...caveats: string[]) =>
    verifyBundle(handedOn(...caveats)).budgets.map(({ digest }) => bytesToHex(digest));

  it('states budget, capabilities and end, as its issuer and as its holders have it', () => {
    const verified = verifyBundle(
      handedOn('svc_budget_sats=50', 'svc_capabilities=zk.prove', 'svc_valid_until=7'),
    );
    expect(verified).toMatchObject({
      paymentHash: content.paymentHash,
      issued: {
        ...{ capabilities: ['zk.*', 'tool.arena_challenge'], budgetSats: 1_000 },
        validUntil: content.validUntil,
      },
      ...{ capabilities: ['zk.prove'], validUntil: 7 },
      budgets: [{ sats: 1_000 }, { sats: 50 }],
    });
  });

  it('is told from a single-use token by what its issuer signed, and is as issued without further conditions', () => {
    const of = (value: string) => parseL402Credential(value);
    expect([
      isL402Bundle(of(handedOn())),
      isAsIssued(of(handedOn())),
      isAsIssued(of(handedOn('x=1'))),
    ]).toEqual([...[true, true], false]);
    expect(isL402Bundle(of(`${narrowed('svc_budget_sats=1')}:${preimage}`))).toBe(false);
    expect(() => verify(handedOn())).toThrow('the caveat svc_budget_sats is not known here');
    expect(() => verifyBundle(`${token}:${preimage}`)).toThrow(
      'the caveat svc_amount_sats is not known here',
    );
  });

  it('names each budget by the macaroon up to it: what follows changes nothing, what precedes does', () => {
    const [root, child] = digests('svc_budget_sats=50');
    expect(digests('svc_budget_sats=50', 'holder=a', 'svc_valid_until=7')).toEqual([root, child]);
    expect(digests('holder=a', 'svc_budget_sats=50')[0]).toBe(root);
    const others = [digests('holder=a', 'svc_budget_sats=50')[1], digests('svc_budget_sats=49')[1]];
    expect(new Set([root, child, ...others]).size).toBe(4);
  });

  it.each([
    ['svc_budget_sats=1001', /widens/],
    ['svc_budget_sats=0', /pays for nothing/],
    ['svc_budget_sats=-1', /no number/],
    ['svc_capabilities=*', /widens/],
    ['svc_capabilities=tool.*', /widens/],
    ['svc_capabilities=zk.prove,agent.coi-verify', /widens/],
    ['svc_valid_until=1800000001', /widens/],
    ['svc_frozen=1', /not known here/],
  ])('cannot be widened by its holder: %s', (caveat, detail) => {
    expect(() => verifyBundle(handedOn(caveat))).toThrow(detail);
  });

  it('is refused with another preimage or secret', () => {
    expect(() => verifyBundle(`${bundle}:${'12'.repeat(32)}`)).toThrow('does not open the payment hash');
    expect(() => verifyL402Bundle(new Uint8Array(32).fill(8), parseL402Credential(handedOn()))).toThrow(
      'not issued here',
    );
  });

  it('has budgets that only fall, in any sequence', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), sequence => {
        const caveats = [
          ...['services=svc:0', 'svc_capabilities=a', 'svc_valid_until=1'],
          ...sequence.map(sats => `svc_budget_sats=${sats}`),
        ];
        const falls = sequence.every((sats, index) => index === 0 || sats <= sequence[index - 1]);
        if (falls) expect(bundleGrantOf(caveats).budgets.map(({ sats }) => sats)).toEqual(sequence);
        else expect(() => bundleGrantOf(caveats)).toThrow(PaymentRefusal);
      }),
    );
  });
});

describe('L402 credential', () => {
  it.each([
    ['no colon', token, /<macaroon>:<preimage>/],
    ['a short preimage', `${token}:11`, /64 hexadecimal/],
    ['several macaroons', `${token},${token}:${preimage}`, /one macaroon, several/],
    ['no base64', `!!!:${preimage}`, /base64/],
    ['mixed base64 alphabets', `ab-c+d/_:${preimage}`, /base64/],
    ['an identifier of another length', '', /identifier has 2 bytes/],
    ['too many characters', 'A'.repeat(9_000), /9000 characters/],
  ])('is refused with a reason: %s', (name, value, detail) => {
    const text = name.startsWith('an identifier')
      ? `${encodeBase64(encodeMacaroon({ location: '', identifier: Uint8Array.of(1, 2), caveats: [], signature: new Uint8Array(32) }))}:${preimage}`
      : value;
    expect(() => parseL402Credential(text)).toThrow(detail);
  });

  it('meets any text with nothing but a typed refusal', () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 400 }),
      fc.base64String({ maxLength: 400 }).map(text => `${text}:${preimage}`),
      fc
        .uint8Array({ maxLength: 200 })
        .map(bytes => `${encodeBase64(Uint8Array.of(2, 2, ...bytes))}:${preimage}`),
    );
    fc.assert(
      fc.property(texts, text => {
        try {
          verify(text);
        } catch (error) {
          expect(error).toBeInstanceOf(PaymentRefusal);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

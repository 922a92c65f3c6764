import { describe, expect, it } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { openChallengeToken, signChallengeToken } from './challenge/challenge-token.js';
import {
  mintL402Bundle,
  mintL402Token,
  parseL402Credential,
  verifyL402,
  verifyL402Bundle,
} from './l402/l402.js';
import { parseLicenceKey } from './licence-key/licence-key.js';
import { evmOperationOf, issueEvmCharge, verifyEvmCharge } from './mpp/evm-charge.js';
import { issueLightningCharge, verifyLightningCharge } from './mpp/lightning-charge.js';
import { encodeRequest, type PaymentChallenge } from './mpp/payment-challenge.js';
import { parsePaymentCredential } from './mpp/payment-credential.js';
import { decodeReceipt } from './mpp/payment-receipt.js';
import { issueStripeCharge, verifyStripeCharge } from './mpp/stripe-charge.js';
import { PaymentRefusal } from './payment-refusal.js';
import { verifySharedPaymentToken } from './spt/spt-credential.js';
import { findX402Network } from './x402/network.js';
import { parseX402Payment, requireX402Terms, x402ProofKey } from './x402/payment-payload.js';
import { decodeX402Response } from './x402/payment-response.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 20_000 : 200;
const key = new Uint8Array(32).fill(9);
const preimage = 'ab'.repeat(32);
const paymentHash = bytesToHex(sha256(hexToBytes(preimage)));
const issuance = {
  operationId: 'zk.prove',
  description: 'd',
  realm: 'svc.example',
  expiresAtMs: 1_900_000_000_000,
};
const lightning = issueLightningCharge(key, {
  ...issuance,
  amountSats: 2,
  invoice: 'lnbcrt1',
  paymentHash,
  network: 'regtest',
});
const card = issueStripeCharge(key, {
  ...issuance,
  chargeMicroUsd: 500_000,
  networkId: 'profile_1',
  paymentMethodTypes: ['card'],
  metadata: { jti: 'j' },
});
const { caip2, usdc } = findX402Network('base-sepolia')!;
const terms = {
  network: caip2,
  asset: usdc,
  payTo: `0x${'aa'.repeat(20)}`,
  amountMicroUsd: 1_000,
  maxTimeoutSeconds: 60,
};
const authorization = {
  from: `0x${'bb'.repeat(20)}`,
  to: terms.payTo,
  value: '1000',
  validAfter: '0',
  validBefore: '2000000000',
  nonce: `0x${'0c'.repeat(32)}`,
};
const signature = `0x${'1d'.repeat(65)}`;
const onchain = issueEvmCharge(key, { ...issuance, ...terms, jti: 'j' });
const challengeHash = `0x${bytesToHex(keccak_256(utf8ToBytes(onchain.id + onchain.realm)))}`;
const accepted = { scheme: 'exact', network: caip2, amount: '1000', asset: usdc.address, payTo: terms.payTo };

/** One parser under attack: a credential that it takes, and what must hold of any text that it takes instead. */
interface Target {
  readonly name: string;
  /** What the credential is the base64 of, or the text itself. */
  readonly valid: object | string;
  readonly read: (text: string) => unknown;
  /** What was issued or signed: whatever else is accepted must be that. */
  readonly worth: (read: never) => unknown;
}

const echoed = (challenge: PaymentChallenge, payload: object) => ({
  challenge: { ...challenge, request: encodeRequest(challenge.request) },
  payload,
});
const token = mintL402Token(key, {
  location: 'svc.example',
  paymentHash,
  tokenId: '01'.repeat(32),
  capabilities: ['zk.prove'],
  amountSats: 2,
  validUntil: 1_900_000_000,
});
const bundle = mintL402Bundle(key, {
  ...{ location: 'svc.example', paymentHash, tokenId: '02'.repeat(32) },
  ...{ capabilities: ['zk.*'], budgetSats: 1_000, validUntil: 1_900_000_000 },
});
const challengeToken = signChallengeToken(key, {
  jti: 'j',
  operationId: 'zk.prove',
  amountMicroUsd: 1_000,
  amountSats: 2,
  exp: 1_900_000_000,
});

const targets: Target[] = [
  {
    name: 'L402',
    valid: `${token}:${preimage}`,
    read: text => verifyL402(key, parseL402Credential(text)),
    worth: ({ paymentHash: hash, amountSats, capabilities }: ReturnType<typeof verifyL402>) => [
      hash,
      amountSats,
      capabilities,
    ],
  },
  {
    name: 'L402 bundle',
    valid: `${bundle}:${preimage}`,
    read: text => verifyL402Bundle(key, parseL402Credential(text)),
    worth: ({ paymentHash: hash, issued, capabilities, budgets }: ReturnType<typeof verifyL402Bundle>) => [
      ...[hash, issued, capabilities],
      budgets.map(({ sats }) => sats),
    ],
  },
  {
    name: 'Payment lightning',
    valid: echoed(lightning, { preimage }),
    read: text => verifyLightningCharge(key, parsePaymentCredential(text)),
    worth: (charge: object) => charge,
  },
  {
    name: 'Payment stripe',
    valid: echoed(card, { spt: 'spt_1' }),
    read: text => verifyStripeCharge(key, parsePaymentCredential(text)),
    // The token is the payer's to choose: Stripe says what it is worth.
    worth: (charge: object) => ({ ...charge, sharedPaymentToken: '' }),
  },
  {
    name: 'Payment evm',
    valid: echoed(onchain, { type: 'authorization', ...authorization, nonce: challengeHash, signature }),
    read: text => {
      const credential = parsePaymentCredential(text);
      evmOperationOf(credential.challenge.request);
      return verifyEvmCharge(key, credential);
    },
    // Payer and times are covered by the signature, which is for the chain to look at.
    worth: ({ challengeId, operationId, payment }: ReturnType<typeof verifyEvmCharge>) => [
      ...[challengeId, operationId, payment.network, payment.authorization.value],
      ...[payment.authorization.to.toLowerCase(), payment.authorization.nonce.toLowerCase()],
    ],
  },
  {
    name: 'SPT',
    valid: challengeToken,
    read: text => verifySharedPaymentToken(key, 'spt_1', text),
    worth: (charge: object) => charge,
  },
  {
    name: 'challenge token',
    valid: challengeToken,
    read: text => openChallengeToken(key, text),
    worth: (opened: object) => opened,
  },
  ...[
    { x402Version: 2, accepted, payload: { authorization, signature } },
    { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { authorization, signature } },
  ].map(valid => ({
    name: `x402 v${valid.x402Version}`,
    valid,
    read: (text: string) => {
      const payment = parseX402Payment(text);
      requireX402Terms(payment, terms, 1_900_000_000_000);
      return payment;
    },
    // Payer, nonce and times are covered by the signature, which is the facilitator's to look at.
    worth: ({ network, authorization: { to, value } }: ReturnType<typeof parseX402Payment>) => [
      network,
      to.toLowerCase(),
      value,
    ],
  })),
];

const encode = (text: string) => Buffer.from(text).toString('base64url');
const validText = ({ valid }: Target) => (typeof valid === 'string' ? valid : encode(JSON.stringify(valid)));

/** Runs the parser: what it took, or `undefined` where it refused in the one way it may. */
function take(target: Target, text: string): unknown {
  try {
    return target.worth(target.read(text) as never);
  } catch (error) {
    if (!(error instanceof PaymentRefusal)) throw error;
    // A refusal goes to the caller: it does not carry his input back, whatever its size.
    expect(error.message.length).toBeLessThan(400);
    return undefined;
  }
}

/** JSON that is near a value: members left out, repeated, renamed, replaced by hostile ones, one deep inside. */
function hostileJson(value: unknown): fc.Arbitrary<string> {
  const paths = pathsOf(value);
  const hostile = fc.oneof(
    fc.jsonValue().map(other => JSON.stringify(other)),
    fc.constantFrom(
      '1e400',
      '-0',
      '9'.repeat(5_000),
      '[]',
      '{}',
      'null',
      '"\\u0000"',
      '"\\ud800"',
      '"１０００"',
      '"0x"',
      '"1e3"',
      '{"toString":1}',
      '{"__proto__":{"a":1}}',
      `${'['.repeat(3_000)}${']'.repeat(3_000)}`,
      `${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`,
      `"${'é'.repeat(2_000)}"`,
    ),
  );
  return fc
    .tuple(fc.constantFrom(...paths), hostile, fc.constantFrom('replace', 'repeat', 'add'))
    .map(([path, text, how]) => writeJson(value, path, text, how));
}

function pathsOf(value: unknown, prefix: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...prefix]];
  return [
    [...prefix],
    ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...prefix, name])),
  ];
}

/** Writes JSON with one member replaced by other text, or repeated before or after it. */
function writeJson(value: unknown, path: readonly string[], text: string, how: string): string {
  if (path.length === 0) return text;
  const [head, ...rest] = path;
  const members = Object.entries(value as object).flatMap(([name, member]) => {
    const plain = `${JSON.stringify(name)}:${JSON.stringify(member)}`;
    if (name !== head) return [plain];
    if (rest.length > 0) return [`${JSON.stringify(name)}:${writeJson(member, rest, text, how)}`];
    const hostile = `${JSON.stringify(name)}:${text}`;
    if (how === 'repeat') return [plain, hostile];
    return how === 'add' ? [hostile, plain] : [hostile];
  });
  return Array.isArray(value)
    ? `[${members.map(m => m.slice(m.indexOf(':') + 1)).join()}]`
    : `{${members.join()}}`;
}

/** Text that is near another: characters changed, left out, put in; parts doubled or swapped; more around it. */
const mutated = (text: string): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.nat(text.length),
        fc.constantFrom('change', 'drop', 'insert', 'double', 'truncate'),
        fc.oneof(
          fc.constantFrom('A', '=', '.', ':', ',', '+', '/', '-', '_', ' ', '\n', '\0', 'é', '💥'),
          fc.string(),
        ),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map(changes =>
      changes.reduce((now, [at, how, other]) => {
        const [before, after] = [now.slice(0, at), now.slice(at)];
        if (how === 'change') return before + other + after.slice(1);
        if (how === 'drop') return before + after.slice(1);
        if (how === 'insert') return before + other + after;
        return how === 'double' ? before + after + after : before;
      }, text),
    );

describe.each(targets)('$name credential', target => {
  const text = validText(target);
  const worth = take(target, text);

  it('is taken as it was issued', () => {
    expect(worth).toBeDefined();
  });

  it('however its text is changed is refused in one way, or worth what was issued', () => {
    fc.assert(
      fc.property(
        fc.oneof(mutated(text), fc.string(), fc.string({ unit: 'binary' }), fc.base64String()),
        changed => {
          const taken = take(target, changed);
          if (taken !== undefined) expect(taken).toEqual(worth);
        },
      ),
      { numRuns: RUNS },
    );
  });

  if (typeof target.valid === 'object') {
    it('however its JSON is changed is refused in one way, or worth what was issued', () => {
      fc.assert(
        fc.property(hostileJson(target.valid), json => {
          const taken = take(target, encode(json));
          if (taken !== undefined) expect(taken).toEqual(worth);
        }),
        { numRuns: RUNS },
      );
    });
  }

  it.each([
    ['a megabyte of one character', 'A'.repeat(1_000_000)],
    ['a megabyte of dots', '.'.repeat(1_000_000)],
    ['a megabyte of colons', ':'.repeat(1_000_000)],
    ['a megabyte of white space', ' '.repeat(1_000_000)],
    ['a megabyte of padding', '='.repeat(1_000_000)],
    ['arrays nested as deep as fit', encode('['.repeat(12_000))],
    ['objects nested as deep as fit', encode('{"a":'.repeat(2_400))],
    ['as many members as fit', encode(`{${Array.from({ length: 1_300 }, (_, i) => `"a${i}":1`).join()}}`)],
    ['a number of twelve thousand digits', encode(`{"x402Version":${'9'.repeat(12_000)}}`)],
    ['itself a hundred times', validText(target).repeat(100)],
    ['nothing', ''],
  ])('that is %s is refused', (_what, bomb) => {
    expect(take(target, bomb)).toBeUndefined();
  });
});

describe('any text', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.jsonValue().map(value => encode(JSON.stringify(value))),
  );

  it('is a receipt, a settlement or a licence key, or undefined, and never an error', () => {
    fc.assert(
      fc.property(texts, text => {
        for (const read of [decodeReceipt, decodeX402Response, parseLicenceKey])
          expect(() => read(text)).not.toThrow();
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the proof key of an x402 payment', () => {
  it('is the same for every way of writing one authorisation, and another for another', () => {
    const nonces = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => `0x${bytesToHex(bytes)}`);
    const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
    fc.assert(
      fc.property(nonces, nonces, (nonce, other) => {
        const keyOf = (given: string, from: string, version: 1 | 2) => {
          const payload = { authorization: { ...authorization, from, nonce: given }, signature };
          const payment =
            version === 2
              ? { x402Version: 2, accepted, payload }
              : { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload };
          return x402ProofKey(parseX402Payment(encode(JSON.stringify(payment))), usdc.address);
        };
        const one = keyOf(nonce, authorization.from, 2);
        expect(one).toBe(one.toLowerCase());
        expect(keyOf(upper(nonce), upper(authorization.from), 1)).toBe(one);
        if (other !== nonce) expect(keyOf(other, authorization.from, 2)).not.toBe(one);
      }),
    );
  });
});

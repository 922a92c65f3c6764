import { describe, expect, it } from '@jest/globals';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Challenge } from 'mppx';
import { evm, Mppx } from 'mppx/client';
import { verifyTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { PaymentRefusal } from '../payment-refusal.js';
import { findX402Network } from '../x402/network.js';
import { x402ProofKey } from '../x402/payment-payload.js';
import { issueEvmCharge, verifyEvmCharge } from './evm-charge.js';
import { paymentChallengeHeader } from './payment-challenge.js';
import { parsePaymentCredential, type PaymentCredential } from './payment-credential.js';

const secretKey = 'a secret that both implementations use';
const key = utf8ToBytes(secretKey);
const { usdc, caip2 } = findX402Network('base-sepolia')!;
const payTo = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const charge = {
  ...{ network: caip2, asset: usdc, payTo, amountMicroUsd: 1_000 },
  ...{ jti: 'jti-1', operationId: 'zk.prove', description: 'STARK proof of an execution trace' },
  ...{ realm: 'svc.example', expiresAtMs: Date.UTC(2030, 0, 1) },
};
const issued = issueEvmCharge(key, charge);

/** What the unmodified client of mppx brings, and in which field. */
async function broughtFor(line: string, headers: Record<string, string> = {}) {
  let brought: Headers | undefined;
  const server: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const pays = [...request.headers.values()].some(value => value.startsWith('Payment '));
    if (!pays) return new Response('{}', { status: 402, headers: { 'WWW-Authenticate': line } });
    brought = request.headers;
    return new Response('{}', { status: 200 });
  };
  const authorization = { name: usdc.name, version: usdc.version };
  const methods = [evm.charge({ account, authorization, networks: [84_532], maxAtomicAmount: '1000' })];
  const client = Mppx.create({ fetch: server, polyfill: false, methods });
  const answer = await client.fetch('https://svc.example/v1/zk/prove', { method: 'POST', headers });
  expect(answer.status).toBe(200);
  return brought!;
}
const credentialIn = (value: string | null) => parsePaymentCredential(value!.replace(/^Payment /, ''));
const paid = async () =>
  credentialIn((await broughtFor(paymentChallengeHeader(issued))).get('authorization'));

function refusalOf(credential: PaymentCredential, at = key) {
  try {
    return verifyEvmCharge(at, credential);
  } catch (error) {
    if (!(error instanceof PaymentRefusal)) throw error;
    return [error.code, error.message];
  }
}

describe('evm charge', () => {
  it('asks for what the draft names, under an id that mppx computes too', () => {
    const theirs = Challenge.deserialize(paymentChallengeHeader(issued));
    expect(Challenge.verify(theirs, { secretKey })).toBe(true);
    expect(theirs).toMatchObject({ method: 'evm', intent: 'charge', expires: '2030-01-01T00:00:00.000Z' });
    expect(theirs.request).toEqual({
      ...{ amount: '1000', currency: usdc.address, recipient: payTo, externalId: 'zk.prove#jti-1' },
      description: charge.description,
      methodDetails: {
        ...{ chainId: 84_532, credentialTypes: ['authorization'], decimals: 6 },
        permit2Address: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
      },
    });
  });

  it('is paid by the unmodified client of mppx with an authorisation of EIP-3009 that is for this challenge alone', async () => {
    const read = verifyEvmCharge(key, await paid());
    expect(read).toMatchObject({
      ...{ challengeId: issued.id, operationId: 'zk.prove', amountMicroUsd: 1_000 },
      expiresAtMs: charge.expiresAtMs,
      payment: { version: 2, network: caip2 },
    });
    const { authorization, signature } = read.payment;
    expect(authorization).toMatchObject({ from: account.address, to: payTo, value: '1000' });
    const { value, validAfter, validBefore } = authorization;
    const hex = (text: string) => text as `0x${string}`;
    const isSigned = await verifyTypedData({
      address: account.address,
      domain: {
        ...{ name: usdc.name, version: usdc.version, chainId: 84_532 },
        verifyingContract: hex(usdc.address),
      },
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'TransferWithAuthorization',
      message: {
        ...{ from: hex(authorization.from), to: hex(authorization.to), nonce: hex(authorization.nonce) },
        ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
      },
      signature: hex(signature),
    });
    expect(isSigned).toBe(true);
    // The same money, shown as x402, is the same payment.
    const shown = { network: caip2, authorization };
    expect(x402ProofKey(read.payment, usdc.address)).toBe(x402ProofKey(shown, usdc.address));
  });

  it('is brought beside a login in the field that the challenge names', async () => {
    const line = `${paymentChallengeHeader(issued)}, header="Payment-Authorization"`;
    const brought = await broughtFor(line, { authorization: 'Bearer of-somebody-else' });
    expect(brought.get('authorization')).toBe('Bearer of-somebody-else');
    expect(refusalOf(credentialIn(brought.get('payment-authorization')))).toMatchObject({
      operationId: 'zk.prove',
    });
  });

  it('is another challenge for each id, so that two of one instant are paid apart', () => {
    expect(issueEvmCharge(key, { ...charge, jti: 'jti-2' }).id).not.toBe(issued.id);
  });

  const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
  it.each<[string, (good: PaymentCredential) => PaymentCredential, string, string]>([
    ['the challenge of another key', good => good, 'PAYMENT_INVALID', 'the challenge was not issued here'],
    ...(
      [
        ['another nonce', { nonce: `0x${'ab'.repeat(32)}` }, 'PAYMENT_INVALID', 'payload.nonce'],
        ['another receiver', { to: other }, 'PAYMENT_INVALID', 'payload.to'],
        ['less', { value: '999' }, 'PAYMENT_INVALID', 'payload.value'],
        ['more', { value: '1001' }, 'PAYMENT_INVALID', 'payload.value'],
        ['a transaction', { type: 'transaction' }, 'PAYMENT_METHOD_UNSUPPORTED', 'payload.type'],
        ['no payer', { from: undefined }, 'PAYMENT_MALFORMED', 'payload.from'],
        ['no signature', { signature: '0x' }, 'PAYMENT_MALFORMED', 'payload.signature'],
        ['a time that is no number', { validBefore: '1e9' }, 'PAYMENT_MALFORMED', 'payload.validBefore'],
      ] as const
    ).map(
      ([what, change, code, member]) =>
        [
          what,
          (good: PaymentCredential) => ({ ...good, payload: { ...good.payload, ...change } }),
          code,
          member,
        ] as [string, (good: PaymentCredential) => PaymentCredential, string, string],
    ),
    [
      'the source of somebody else',
      good => ({ ...good, source: `did:pkh:${caip2}:${other}` }),
      'PAYMENT_INVALID',
      'source',
    ],
    [
      'the source of another chain',
      good => ({ ...good, source: `did:pkh:eip155:1:${account.address}` }),
      'PAYMENT_INVALID',
      'source',
    ],
    [
      'a challenge that asks for less',
      good => ({
        ...good,
        challenge: { ...good.challenge, request: { ...good.challenge.request, amount: '1' } },
      }),
      'PAYMENT_INVALID',
      'altered',
    ],
    [
      'another intent',
      good => ({ ...good, challenge: { ...good.challenge, intent: 'session' } }),
      'PAYMENT_METHOD_UNSUPPORTED',
      'evm/session',
    ],
  ])('refuses %s, naming it', async (what, change, code, member) => {
    const at = what === 'the challenge of another key' ? utf8ToBytes('another') : key;
    expect(refusalOf(change(await paid()), at)).toEqual([code, expect.stringContaining(member)]);
  });

  it('takes the hash of the challenge as pympp 0.16 makes it: of a list in JSON', async () => {
    // What `challenge_hash('an-id', 'svc.example')` of pympp says: keccak-256 of ["an-id","svc.example"].
    const said = '0xd13c058a03eb78766fcc81a56482b782d1f3dd7532b044ccef599910b1234f06';
    const text = JSON.stringify(['an-id', 'svc.example']);
    expect(`0x${bytesToHex(keccak_256(utf8ToBytes(text)))}`).toBe(said);
    const good = await paid();
    const nonce = `0x${bytesToHex(keccak_256(utf8ToBytes(JSON.stringify([issued.id, issued.realm]))))}`;
    expect(refusalOf({ ...good, payload: { ...good.payload, nonce } })).toMatchObject({
      challengeId: issued.id,
    });
    const other = `0x${bytesToHex(keccak_256(utf8ToBytes(JSON.stringify([issued.realm, issued.id]))))}`;
    expect(refusalOf({ ...good, payload: { ...good.payload, nonce: other } })).toMatchObject([
      'PAYMENT_INVALID',
      expect.stringContaining('payload.nonce'),
    ]);
  });

  it('takes the credential without a source, and however addresses are written', async () => {
    const { source: _source, ...good } = await paid();
    const payload = { ...good.payload, to: payTo.toLowerCase() };
    expect(refusalOf({ ...good, payload })).toMatchObject({ challengeId: issued.id });
  });
});

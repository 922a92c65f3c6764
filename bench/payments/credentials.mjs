import { Challenge, Credential } from 'mppx';
import { createHash, randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';

/**
 * Credentials, each good for one call, made before the clock runs: what a client does to pay is not what is measured.
 */

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (url, body, headers = {}) =>
  fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });

/** Makes `count` things, some at once. */
export async function make(count, one) {
  const made = [];
  for (let begin = 0; begin < count; begin += 16) {
    const batch = Array.from({ length: Math.min(16, count - begin) }, (_, i) => one(begin + i));
    made.push(...(await Promise.all(batch)));
  }
  return made;
}

async function challengeOf(url) {
  const response = await post(url, {});
  if (response.status !== 402) throw new Error(`${url} answered ${response.status}, not 402`);
  return { headers: response.headers, body: await response.json() };
}

/** L402 credentials, paid in the sandbox. */
export const l402Credentials = (gateway, path, count) =>
  make(count, async () => {
    const { headers } = await challengeOf(gateway + path);
    const line = headers.get('www-authenticate');
    const macaroon = /L402 [^,]*?macaroon="([^"]+)"/.exec(line)?.[1] ?? /macaroon="([^"]+)"/.exec(line)[1];
    const invoice = /invoice="([^"]+)"/.exec(line)[1];
    const { preimage } = await (await post(`${gateway}/dev/lightning/pay`, { invoice })).json();
    return { authorization: `L402 ${macaroon}:${preimage}` };
  });

/** Credentials of mppx's Lightning method, whose challenge is one for all. */
export async function peerLightningCredentials(url, count) {
  const { headers } = await challengeOf(url);
  const challenge = Challenge.fromHeadersList(headers).find(({ method }) => method === 'lightning');
  return Array.from({ length: count }, () => {
    const preimage = randomBytes(32);
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    const payload = { preimage: preimage.toString('hex'), paymentHash };
    return { authorization: Credential.serialize({ challenge, payload }) };
  });
}

/** MPP credentials by card: a token and a challenge each. */
export const cardCredentials = (url, count, stripe) =>
  make(count, async () => {
    const { headers } = await challengeOf(url);
    const challenge = Challenge.fromHeadersList(headers).find(({ method }) => method === 'stripe');
    return { authorization: Credential.serialize({ challenge, payload: { spt: await mintToken(stripe) } }) };
  });

async function mintToken({ url, secretKey }) {
  const form = new URLSearchParams({
    payment_method: 'pm_card_visa',
    'usage_limits[currency]': 'usd',
    'usage_limits[max_amount]': '50',
    'usage_limits[expires_at]': String(Math.floor(Date.now() / 1_000) + 3_600),
  });
  const response = await fetch(`${url}/v1/test_helpers/shared_payment/granted_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'stripe-version': '2026-07-29.preview' },
    body: form,
  });
  const token = await response.json();
  if (!token.id) throw new Error(`no token: ${JSON.stringify(token)}`);
  return token.id;
}

const AUTHORIZATION = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

/** x402 credentials, version 2: an authorization each, signed by one of the wallets. */
export const x402Credentials = (url, count, wallets) =>
  make(count, async i => {
    const { headers } = await challengeOf(url);
    const required = JSON.parse(Buffer.from(headers.get('payment-required'), 'base64').toString());
    const accepted = required.accepts[0];
    const account = privateKeyToAccount(wallets[i % wallets.length].privateKey);
    const authorization = {
      ...{ from: account.address, to: accepted.payTo, value: accepted.amount, validAfter: '0' },
      validBefore: String(Math.floor(Date.now() / 1_000) + Math.min(accepted.maxTimeoutSeconds, 120)),
      nonce: `0x${randomBytes(32).toString('hex')}`,
    };
    const signature = await account.signTypedData({
      domain: {
        ...{ name: accepted.extra.name, version: accepted.extra.version, chainId: 84_532 },
        verifyingContract: accepted.asset,
      },
      types: AUTHORIZATION,
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    });
    const payload = { x402Version: 2, payload: { authorization, signature }, accepted };
    if (required.resource) payload.resource = required.resource;
    return { 'payment-signature': Buffer.from(JSON.stringify(payload)).toString('base64') };
  });

/** Keys of an account with credit, and of one with a plan. */
export async function accountKeys(gateway, adminKey) {
  const admin = adminOf(gateway, adminKey);
  const credit = await admin('/accounts', {});
  for (let i = 0; i < 3; i++) {
    const grant = { amountMicroUsd: 10_000_000_000, reason: 'benchmark' };
    await admin(`/accounts/${credit.accountId}/credit`, grant);
  }
  const quota = await admin('/accounts', { plan: 'pro_agent' });
  const keyOf = async ({ accountId }) => (await admin(`/accounts/${accountId}/keys`, {})).key;
  return { credit: await keyOf(credit), quota: await keyOf(quota) };
}

/** Keys of so many accounts, each with credit of its own. */
export async function keysOfManyAccounts(gateway, adminKey, count, amountMicroUsd = 100_000) {
  const admin = adminOf(gateway, adminKey);
  const one = async () => {
    const { accountId } = await admin('/accounts', {});
    await admin(`/accounts/${accountId}/credit`, { amountMicroUsd, reason: 'benchmark' });
    return (await admin(`/accounts/${accountId}/keys`, {})).key;
  };
  const keys = [];
  const ABREAST = 16;
  while (keys.length < count) {
    const more = Math.min(ABREAST, count - keys.length);
    keys.push(...(await Promise.all(Array.from({ length: more }, one))));
  }
  return keys;
}

const adminOf = (gateway, adminKey) => async (path, body) => {
  const response = await post(`${gateway}/v1/admin${path}`, body, { 'x-svc-key': adminKey });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

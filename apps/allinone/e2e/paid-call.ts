import { expect } from '@jest/globals';

/** The answer to a call, its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** POSTs JSON, or nothing where the body is undefined. @param over another fetch, as one that writes down what it sees */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  over = fetch,
): Promise<Answer> {
  const response = await over(url, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

/** Pays with the gateway's sandbox; the preimage, hexadecimal. */
export async function payInvoice(address: string, invoice: string, over = fetch): Promise<string> {
  const paid = await post(`${address}/dev/lightning/pay`, { invoice }, {}, over);
  expect(paid.status).toBe(200);
  return paid.json.preimage as string;
}

/**
 * A paid L402 credential for a priced path, from the 402 of a request.
 * @param gateway whose sandbox pays, where the path is not the gateway's
 * @param body of the request, where the price is its own
 */
export async function paidL402(
  address: string,
  path = '/v1/zk/prove',
  gateway = address,
  over = fetch,
  body?: object,
): Promise<string> {
  const { status, headers, json } = await post(`${address}${path}`, body, {}, over);
  expect(status).toBe(402);
  const macaroon = /macaroon="([^"]+)"/.exec(headers.get('www-authenticate')!)![1];
  return `L402 ${macaroon}:${await payInvoice(gateway, json.invoice as string, over)}`;
}

/** What an account has to pay with: credit, or the requests of a plan. */
export type Funding = 'credit' | 'quota';

/** Opens an account as an operator does, with credit of an amount or with a plan and no credit. */
export async function openAccount(
  address: string,
  adminKey: string,
  funding: Funding,
  amountMicroUsd: number,
): Promise<{ accountId: string; key: string }> {
  const operate = async (path: string, body: object) => {
    const { status, json, text } = await post(`${address}/v1/admin${path}`, body, { 'x-svc-key': adminKey });
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return json as Record<string, string>;
  };
  const { accountId } = await operate('/accounts', { plan: funding === 'quota' ? 'developer' : 'demo' });
  if (funding === 'credit')
    await operate(`/accounts/${accountId}/credit`, { amountMicroUsd, reason: 'a test' });
  const { key } = await operate(`/accounts/${accountId}/keys`, { label: 'a test' });
  return { accountId, key };
}

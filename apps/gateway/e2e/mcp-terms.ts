import { canonicalJson } from '@svc/protocols';

/** Terms of a call in both bindings, and a credential of one, as the tests of calls over MCP have them. */
export const TERMS = { amount: '50', currency: 'usd', methodDetails: { networkId: 'profile_1' } };
export const b64 = (value: unknown, encoding: 'base64' | 'base64url') =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(encoding);
const CHALLENGE = { id: 'challenge-1', realm: 'here', method: 'stripe', intent: 'charge' };
export const X402_TERMS = {
  x402Version: 2,
  error: 'PAYMENT-SIGNATURE header is required',
  resource: { url: 'http://here/v1/tools/get_product_catalog' },
  accepts: [{ scheme: 'exact', network: 'eip155:84532', amount: '1000' }],
};
export const OFFERS = [
  {
    ...{ rail: 'stripe', scheme: 'Payment', method: 'stripe', intent: 'charge' },
    wwwAuthenticate: `Payment id="challenge-1", realm="here", method="stripe", intent="charge", request="${b64(canonicalJson(TERMS), 'base64url')}", expires="2100-01-01T00:00:00Z"`,
  },
  { rail: 'x402', scheme: 'x402', headers: { 'PAYMENT-REQUIRED': b64(X402_TERMS, 'base64') } },
] as never;
export const CREDENTIAL = {
  challenge: { ...CHALLENGE, request: TERMS, expires: '2100-01-01T00:00:00Z' },
  payload: { spt: 'spt_1' },
  source: 'me',
};
export const CREDENTIAL_META = { 'org.paymentauth/credential': CREDENTIAL };

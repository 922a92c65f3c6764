import { describe, expect, it } from '@jest/globals';
import { ROUTES, SOLD_RESOURCES, TOOL_NAMES } from '@svc/contracts';
import { findX402Network, offerX402, PAYMENT_REQUIRED_CHARS_MAX, priceOf } from '@svc/protocols';
import { isValidServiceName, sanitizeTags, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { offeredResource, settledResource } from './discovery.js';

const ORIGIN = 'https://svc.example';
const { caip2, usdc } = findX402Network('base')!;
/** The longest origin that a deployment is likely to have. */
const LONG_ORIGIN = `https://${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`;

describe('what a 402 says of its resource', () => {
  it.each(SOLD_RESOURCES.map(sold => [sold.target, sold] as const))(
    'is how it is called, where it has an address: %s',
    (target, { operationId, example, tool }) => {
      const resource = offeredResource(LONG_ORIGIN + target, priceOf(operationId));
      const { bazaar, serviceName, tags } = resource;
      const query = target.includes('?') && { queryParams: { tool } };
      expect(bazaar?.info.input).toEqual({
        type: 'http',
        method: 'POST',
        ...query,
        bodyType: 'json',
        body: example,
      });
      expect(validateDiscoveryExtension(bazaar as never)).toEqual({ valid: true });
      expect(isValidServiceName(serviceName)).toBe(true);
      expect(sanitizeTags(tags)).toEqual(tags);
      const terms = { network: caip2, asset: usdc, payTo: `0x${'1'.repeat(40)}`, amountMicroUsd: 250_000 };
      const offer = offerX402(
        { ...terms, maxTimeoutSeconds: 120, jti: 'j'.repeat(22), operationId },
        resource,
      );
      const header = offer.headers['PAYMENT-REQUIRED'];
      expect(header.length).toBeLessThanOrEqual(PAYMENT_REQUIRED_CHARS_MAX);
      expect(Buffer.from(header, 'base64').toString()).toContain('"bazaar"');
    },
  );

  it.each([
    ['of a route that a quota covers first', `${ORIGIN}/v1/snn/solve`, 'snn.solve'],
    ['of a desk', `${ORIGIN}/departments/proofs`, 'zk.prove'],
    ['of MCP', `${ORIGIN}/mcp`, 'tool.arena_challenge'],
    ['of the address of another operation', `${ORIGIN}/v1/zk/prove`, 'stark.prove-m31'],
    ['of another query', `${ORIGIN}/v1/x402/verify?tool=arena_challenge&x=1`, 'tool.arena_challenge'],
    ['of what is no URL', '/v1/zk/prove', 'zk.prove'],
  ])('is none %s', (_what, url, operationId) => {
    expect(offeredResource(url, priceOf(operationId))).toEqual({
      ...{ url, description: priceOf(operationId).description, mimeType: 'application/json' },
    });
  });
});

describe('what a facilitator is told that a payment is for', () => {
  const told = (operationId: string, echoedUrl?: string, origin: string | undefined = ORIGIN) =>
    settledResource(origin, priceOf(operationId), echoedUrl);

  it('is the address that it was offered at, at our origin, or the first one of its operation', () => {
    expect(told('zk.prove', 'http://10.0.0.7/v1/zk/prove').url).toBe(`${ORIGIN}/v1/zk/prove`);
    const at = (url: string) => told('tool.arena_challenge', url).url;
    expect(at('https://evil.example/v1/x402/verify?tool=arena_challenge')).toBe(
      `${ORIGIN}/v1/x402/verify?tool=arena_challenge`,
    );
    for (const url of ['https://svc.example/mcp', 'https://evil.example/pay?to=me', 'x'])
      expect(at(url)).toBe(`${ORIGIN}/v1/tools/arena_challenge`);
    expect(told('zk.prove').bazaar).toBeDefined();
    expect(TOOL_NAMES.map(tool => told(`tool.${tool}`).url)).toEqual(
      TOOL_NAMES.map(tool => `${ORIGIN}/v1/tools/${tool}`),
    );
  });

  it('is an address without a declaration where a bare request is not answered 402', () => {
    for (const { operationId, path } of ROUTES.filter(({ access }) => access === 'quota'))
      expect(told(operationId)).toEqual({
        ...{
          url: ORIGIN + path,
          description: priceOf(operationId).description,
          mimeType: 'application/json',
        },
      });
  });

  it('is a name that cannot be called where the public origin is not known', () => {
    expect(settledResource(undefined, priceOf('zk.prove'), `${ORIGIN}/v1/zk/prove`)).toEqual({
      url: 'https://svc.invalid/zk.prove',
      description: priceOf('zk.prove').description,
      mimeType: 'application/json',
    });
  });
});

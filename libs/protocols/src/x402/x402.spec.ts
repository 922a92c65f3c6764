import { describe, expect, it } from '@jest/globals';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import type { Network } from '@x402/core/types';
import { isPaymentRequiredV1, isPaymentRequiredV2, PaymentPayloadSchema } from '@x402/core/schemas';
import { DEFAULT_ASSETS, ExactEvmScheme } from '@x402/evm';
import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm/v1';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import {
  declareDiscoveryExtension,
  extractDiscoveryInfo,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
  generatePaymentId,
  isValidPaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier';
import { createJWS, extractReceiptFromResponse } from '@x402/extensions/offer-receipt';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { privateKeyToAccount } from 'viem/accounts';
import { PaymentRefusal } from '../payment-refusal.js';
import { bazaarDeclaration } from './bazaar.js';
import { compactJws, requestHashText, SIGNED_RECEIPT_HEADER, withSignedReceipt } from './offer-receipt.js';
import { findX402Network, X402_NETWORKS } from './network.js';
import {
  facilitatorRequestOf,
  parseX402Payment,
  paymentIdOf,
  requireX402Terms,
  x402PayerOf,
  x402ProofKey,
  type X402Payment,
} from './payment-payload.js';
import { offerX402, PAYMENT_REQUIRED_CHARS_MAX, type X402Terms } from './payment-required.js';
import { decodeX402Response, x402ResponseHeaders } from './payment-response.js';

const payer = privateKeyToAccount(`0x${'59'.repeat(32)}`);
const { caip2, usdc } = findX402Network('base-sepolia')!;
const terms: X402Terms = {
  network: caip2,
  asset: usdc,
  payTo: `0x${'Aa'.repeat(20)}`,
  amountMicroUsd: 1_000,
  maxTimeoutSeconds: 600,
};
const resource = {
  url: 'https://svc.example/v1/zk/prove',
  description: 'STARK proof',
  mimeType: 'application/json',
};
const offer = offerX402(terms, resource);
const nowSeconds = 1_900_000_000;
const authorization = {
  from: payer.address as string,
  to: terms.payTo,
  value: '1000',
  validAfter: String(nowSeconds - 600),
  validBefore: String(nowSeconds + 600),
  nonce: `0x${'0b'.repeat(32)}`,
};
const signature = `0x${'1c'.repeat(65)}`;
const accepted = {
  scheme: 'exact',
  network: caip2,
  amount: '1000',
  asset: usdc.address,
  payTo: terms.payTo,
  maxTimeoutSeconds: 600,
  extra: { name: usdc.name, version: usdc.version },
};
const v2 = { x402Version: 2, resource, accepted, payload: { authorization, signature } };
const v1 = {
  x402Version: 1,
  scheme: 'exact',
  network: 'base-sepolia',
  payload: { authorization, signature },
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const payment = parseX402Payment(encode(v2));
const refusalOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof PaymentRefusal) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('x402 offer', () => {
  it('is a PaymentRequired of version 2 in its header and one of version 1 in its body, by the schemas of x402', () => {
    const header = decodePaymentRequiredHeader(offer.headers['PAYMENT-REQUIRED']);
    expect(isPaymentRequiredV2(header)).toBe(true);
    expect(header).toMatchObject({ x402Version: 2, resource, accepts: [accepted] });
    expect(isPaymentRequiredV1(offer.body)).toBe(true);
    expect(offer.body).toEqual({
      x402Version: 1,
      error: 'Payment required',
      accepts: [
        {
          scheme: 'exact',
          network: 'base-sepolia',
          maxAmountRequired: '1000',
          resource: resource.url,
          description: resource.description,
          mimeType: resource.mimeType,
          payTo: terms.payTo,
          maxTimeoutSeconds: 600,
          asset: usdc.address,
          extra: { name: 'USDC', version: '2' },
        },
      ],
    });
  });

  it('lets version 2 echo an id of the challenge and what it is for, which the facilitator is never told', () => {
    const tags = { jti: 'jti-1', operationId: 'zk.prove' };
    const named = offerX402({ ...terms, ...tags }, resource);
    const header = decodePaymentRequiredHeader(named.headers['PAYMENT-REQUIRED']);
    expect(header.accepts[0].extra).toEqual({ name: 'USDC', version: '2', ...tags });
    expect(named.body).toEqual(offer.body);
    const echoed = parseX402Payment(encode({ ...v2, accepted: header.accepts[0] }));
    expect(echoed.accepted).toMatchObject({ extra: tags });
    expect(() => requireX402Terms(echoed, terms, nowSeconds * 1_000)).not.toThrow();
    expect(facilitatorRequestOf(echoed, terms, resource).paymentRequirements).toEqual(accepted);
  });

  it('says nothing to clients of version 1 where that has no name for the chain', () => {
    const arbitrum = { ...terms, network: 'eip155:42161' };
    expect(offerX402(arbitrum, resource).body).toEqual({});
    expect(refusalOf(() => facilitatorRequestOf({ ...payment, version: 1 }, arbitrum, resource))).toBe(
      'PAYMENT_METHOD_UNSUPPORTED',
    );
  });

  it('names chains and tokens as the packages of x402 do', () => {
    for (const { caip2: id, v1Name, usdc: token } of X402_NETWORKS) {
      if (v1Name !== undefined) {
        expect(`eip155:${EVM_NETWORK_CHAIN_ID_MAP[v1Name as keyof typeof EVM_NETWORK_CHAIN_ID_MAP]}`).toBe(
          id,
        );
      }
      const [theirs] = DEFAULT_ASSETS[id]!;
      expect({ address: theirs.asset, name: theirs.name, version: theirs.version }).toEqual(token);
      expect(theirs.decimals).toBe(6);
      expect(findX402Network(id)).toBe(findX402Network(v1Name ?? id));
    }
  });
});

describe('the declaration of how a resource is called', () => {
  const called = { method: 'POST', body: { traceData: '0x48' }, queryParams: { tool: 'x' } } as const;
  const bazaar = bazaarDeclaration(called);
  const listed = { ...resource, serviceName: 'Proofs', tags: ['proofs'], bazaar };
  const requiredOf = ({ headers }: typeof offer) => {
    const header = headers['PAYMENT-REQUIRED'];
    return { header, required: decodePaymentRequiredHeader(header) as unknown as Record<string, never> };
  };

  it('is one by the specification and the schema of its package, as that package would write it', () => {
    const { required } = requiredOf(offerX402(terms, listed));
    const declared = (required.extensions as Record<string, never>).bazaar;
    expect(declared).toEqual(JSON.parse(JSON.stringify(bazaar)));
    expect(validateDiscoveryExtensionSpec(declared)).toEqual({ valid: true });
    expect(validateDiscoveryExtension(declared)).toEqual({ valid: true });
    const theirs = declareDiscoveryExtension({ input: called.body, bodyType: 'json' }).bazaar;
    const {
      method: _method,
      queryParams: _query,
      ...input
    } = (bazaar.info as { input: object }).input as Record<string, unknown>;
    expect(input).toEqual(theirs.info.input);
    expect(required.resource).toEqual({ ...resource, serviceName: 'Proofs', tags: ['proofs'] });
    expect(sanitizeResourceServiceMetadata(required.resource)).toEqual({
      serviceName: 'Proofs',
      tags: ['proofs'],
    });
    expect(offerX402(terms, listed).body).toEqual(offer.body);
  });

  it('reaches the catalogue of a facilitator, whatever the payment says of it', () => {
    const echoed = parseX402Payment(encode({ ...v2, extensions: { bazaar: { info: {} } } }));
    const { paymentPayload, paymentRequirements } = facilitatorRequestOf(echoed, terms, listed);
    const found = extractDiscoveryInfo(paymentPayload as never, paymentRequirements as never);
    expect(found).toMatchObject({
      resourceUrl: resource.url,
      method: 'POST',
      discoveryInfo: { input: { body: called.body } },
    });
    expect(facilitatorRequestOf(echoed, terms, resource).paymentPayload).not.toHaveProperty('extensions');
  });

  it.each([
    [4_000, false],
    [2_000, true],
  ])('is left out first where it makes the header too long: %i characters of example', (chars, isThere) => {
    const long = bazaarDeclaration({ method: 'POST', body: { text: 'x'.repeat(chars) } });
    const { header, required } = requiredOf(offerX402(terms, { ...listed, bazaar: long }));
    expect(header.length).toBeLessThanOrEqual(PAYMENT_REQUIRED_CHARS_MAX);
    expect(Object.keys(required.extensions as object)).toEqual([
      PAYMENT_IDENTIFIER,
      ...(isThere ? ['bazaar'] : []),
    ]);
    expect(required).toMatchObject({ resource: { serviceName: 'Proofs' }, accepts: [accepted] });
  });
});

/** A server that is paid by what it reads, and the payment that it read. */
function paidServer(): { fetch: typeof fetch; paid: () => X402Payment } {
  let paid: X402Payment | undefined;
  return {
    paid: () => paid!,
    fetch: async (input, init) => {
      const { headers } = new Request(input, init);
      const value = headers.get('payment-signature') ?? headers.get('x-payment');
      if (value === null) return Response.json(offer.body, { status: 402, headers: offer.headers });
      paid = parseX402Payment(value);
      requireX402Terms(paid, terms, Date.now());
      const settled = { success: true, transaction: '0x12', network: caip2, payer: paid.authorization.from };
      return Response.json({ ok: true }, { headers: x402ResponseHeaders(paid.version, settled) });
    },
  };
}

describe('unmodified clients of x402', () => {
  it('pay in version 2, from the header', async () => {
    const server = paidServer();
    const pay = wrapFetchWithPaymentFromConfig(server.fetch, {
      schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(payer) }],
    });
    const answer = await pay(resource.url, { method: 'POST' });
    expect(answer.status).toBe(200);
    expect(server.paid()).toMatchObject({ version: 2, network: caip2, accepted });
    expect(x402PayerOf(server.paid())).toBe(`x402:${payer.address.toLowerCase()}`);
    expect(decodePaymentResponseHeader(answer.headers.get('payment-response')!)).toMatchObject({
      success: true,
    });
  });

  it('pay in version 1, from the body', async () => {
    const server = paidServer();
    const withoutHeader: typeof fetch = async (input, init) => {
      const answer = await server.fetch(input, init);
      // A client that knows only version 1 does not look at it.
      answer.headers.delete('payment-required');
      return answer;
    };
    const pay = wrapFetchWithPaymentFromConfig(withoutHeader, {
      schemes: [{ network: 'base-sepolia' as Network, client: new ExactEvmSchemeV1(payer), x402Version: 1 }],
    });
    const answer = await pay(resource.url, { method: 'POST' });
    expect(answer.status).toBe(200);
    expect(server.paid()).toMatchObject({ version: 1, network: caip2 });
    expect(server.paid().accepted).toBeUndefined();
    expect(decodePaymentResponseHeader(answer.headers.get('x-payment-response')!)).toMatchObject({
      success: true,
      network: 'base-sepolia',
    });
  });
});

describe('the id of a purchase', () => {
  const extensionsOf = () =>
    structuredClone(
      (
        decodePaymentRequiredHeader(offer.headers['PAYMENT-REQUIRED']) as {
          extensions: Record<string, unknown>;
        }
      ).extensions,
    );
  const paymentWith = (extensions: unknown) =>
    Buffer.from(JSON.stringify({ x402Version: 2, extensions })).toString('base64');

  it('is offered as the package of the extension declares it, and read as that package writes it', () => {
    expect(extensionsOf()).toEqual({ [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension() });
    const id = generatePaymentId();
    expect(paymentIdOf(paymentWith(appendPaymentIdentifierToExtensions(extensionsOf(), id)))).toBe(id);
    expect(paymentIdOf(paymentWith(extensionsOf()))).toBeUndefined();
  });

  it.each([
    'a'.repeat(15),
    'a'.repeat(129),
    `${'a'.repeat(20)}\n`,
    `${'a'.repeat(20)} b`,
    'ä'.repeat(20),
    7,
    null,
    ['a'],
    {},
  ])('%j is refused as one, as that package refuses it', id => {
    const value = paymentWith({ [PAYMENT_IDENTIFIER]: { info: { required: false, id } } });
    expect(() => paymentIdOf(value)).toThrow('info.id must be 16 to 128 letters, digits, - and _');
    expect(isValidPaymentId(id as string)).toBe(false);
  });

  it.each(['', 'e30', '%', paymentWith(null), paymentWith([]), paymentWith({ [PAYMENT_IDENTIFIER]: 'x' })])(
    'is none in %s',
    value => expect(paymentIdOf(value)).toBeUndefined(),
  );
});

describe('x402 payment', () => {
  it('is read from what the encoder of x402 writes, in both versions', () => {
    const read = { network: caip2, authorization, signature };
    type Payload = Parameters<typeof encodePaymentSignatureHeader>[0];
    expect(parseX402Payment(encodePaymentSignatureHeader(v2 as unknown as Payload))).toEqual({
      version: 2,
      ...read,
      accepted,
      resourceUrl: 'https://svc.example/v1/zk/prove',
    });
    expect(parseX402Payment(encodePaymentSignatureHeader(v1 as unknown as Payload))).toEqual({
      version: 1,
      ...read,
    });
  });

  it('has one proof key however it is spelled: case, alphabet, padding, members and signature do not make it another', () => {
    const proofKey = `${caip2}:${usdc.address}:${authorization.from}:${authorization.nonce}`.toLowerCase();
    expect(x402ProofKey(payment, usdc.address)).toBe(proofKey);
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
    const respelled = {
      ...v2,
      payload: {
        signature: `0x${'2d'.repeat(65)}`,
        note: 'more',
        authorization: {
          ...authorization,
          from: upper(authorization.from),
          nonce: upper(authorization.nonce),
        },
      },
    };
    const text = encode(respelled);
    const unpadded = text.replace(/=+$/, '');
    const urlSafe = unpadded.replaceAll('+', '-').replaceAll('/', '_');
    for (const spelling of [text, unpadded, urlSafe, ` ${text} `]) {
      expect(x402ProofKey(parseX402Payment(spelling), usdc.address.toLowerCase())).toBe(proofKey);
    }
    expect(x402ProofKey(parseX402Payment(encode(v1)), usdc.address)).toBe(proofKey);
    expect(x402PayerOf(parseX402Payment(text))).toBe(x402PayerOf(payment));
  });

  it('goes to the facilitator as it was read and as it was offered, in the shape of its version', () => {
    const spied = { ...v2, extensions: { evil: true }, payload: { ...v2.payload, more: 1 } };
    const two = facilitatorRequestOf(parseX402Payment(encode(spied)), terms, resource);
    expect(two).toEqual({ paymentPayload: v2, paymentRequirements: accepted });
    const one = facilitatorRequestOf(parseX402Payment(encode(v1)), terms, resource);
    expect(one.paymentPayload).toEqual(v1);
    expect(one.paymentRequirements).toEqual((offer.body.accepts as unknown[])[0]);
    for (const { paymentPayload } of [one, two])
      expect(PaymentPayloadSchema.safeParse(paymentPayload).success).toBe(true);
  });

  it('is taken for the very terms that were offered', () => {
    expect(() => requireX402Terms(payment, terms, nowSeconds * 1_000)).not.toThrow();
    expect(() => requireX402Terms(parseX402Payment(encode(v1)), terms, nowSeconds * 1_000)).not.toThrow();
  });

  it.each([
    ['less than the price', { value: '999' }, 'PAYMENT_INSUFFICIENT'],
    ['nothing', { value: '0' }, 'PAYMENT_INSUFFICIENT'],
    ['more than the price', { value: '1001' }, 'PAYMENT_INVALID'],
    ['2^256-1', { value: (2n ** 256n - 1n).toString() }, 'PAYMENT_INVALID'],
    ['another receiver', { to: `0x${'ab'.repeat(20)}` }, 'PAYMENT_INVALID'],
    ['a time to come', { validAfter: String(nowSeconds + 1) }, 'PAYMENT_INVALID'],
    ['an end in five seconds', { validBefore: String(nowSeconds + 5) }, 'PAYMENT_EXPIRED'],
    ['an end long ago', { validBefore: '0' }, 'PAYMENT_EXPIRED'],
  ])('of %s is refused', (_what, change, code) => {
    const changed = { ...payment, authorization: { ...authorization, ...change } };
    expect(refusalOf(() => requireX402Terms(changed, terms, nowSeconds * 1_000))).toBe(code);
  });

  it.each([
    ['asset', `0x${'00'.repeat(20)}`],
    ['payTo', `0x${'00'.repeat(20)}`],
    ['amount', '1'],
    ['amount', 1_000],
  ])('that accepts another %s than was offered (%j) is refused', (member, value) => {
    const changed = parseX402Payment(encode({ ...v2, accepted: { ...accepted, [member]: value } }));
    expect(refusalOf(() => requireX402Terms(changed, terms, nowSeconds * 1_000))).toBe('PAYMENT_INVALID');
  });

  it('on another chain than the offer is refused', () => {
    const base = parseX402Payment(encode({ ...v1, network: 'base' }));
    expect(refusalOf(() => requireX402Terms(base, terms, nowSeconds * 1_000))).toBe('PAYMENT_INVALID');
  });

  it.each([
    [{ ...v2, x402Version: 3 }, 'PAYMENT_METHOD_UNSUPPORTED'],
    [{ ...v2, x402Version: '2' }, 'PAYMENT_METHOD_UNSUPPORTED'],
    [{ ...v2, accepted: { ...accepted, scheme: 'upto' } }, 'PAYMENT_METHOD_UNSUPPORTED'],
    [{ ...v2, accepted: { ...accepted, network: 'base-sepolia' } }, 'PAYMENT_METHOD_UNSUPPORTED'],
    [{ ...v2, accepted: { ...accepted, network: 'eip155:4711' } }, 'PAYMENT_METHOD_UNSUPPORTED'],
    [{ ...v1, network: 'eip155:84532' }, 'PAYMENT_METHOD_UNSUPPORTED'],
    [{ ...v1, scheme: undefined }, 'PAYMENT_METHOD_UNSUPPORTED'],
    [{ ...v2, accepted: undefined }, 'PAYMENT_MALFORMED'],
    [{ ...v2, accepted: [accepted] }, 'PAYMENT_MALFORMED'],
    [{ ...v1, network: 7 }, 'PAYMENT_MALFORMED'],
    [{ ...v1, payload: 'x' }, 'PAYMENT_MALFORMED'],
    [{ ...v1, payload: { authorization } }, 'PAYMENT_MALFORMED'],
    [{ ...v1, payload: { permit2Authorization: authorization, signature } }, 'PAYMENT_MALFORMED'],
    [{ ...v1, payload: { authorization, signature: '0x' } }, 'PAYMENT_MALFORMED'],
    [{ ...v1, payload: { authorization, signature: '0x123' } }, 'PAYMENT_MALFORMED'],
    [{ ...v1, payload: { authorization, signature: `0x${'00'.repeat(2_049)}` } }, 'PAYMENT_MALFORMED'],
  ])('%# of another shape is refused', (value, code) => {
    expect(refusalOf(() => parseX402Payment(encode(value)))).toBe(code);
  });

  it.each([
    [
      'value',
      [
        1000,
        '01000',
        '1e3',
        '0x3e8',
        '-1',
        '1.0',
        '',
        ' 1000',
        '１０００',
        (2n ** 256n).toString(),
        '9'.repeat(78),
        '9'.repeat(9_000),
      ],
    ],
    ['validAfter', [0, null, '-0', 'NaN']],
    ['validBefore', [undefined, '9'.repeat(79)]],
    [
      'from',
      ['', payer.address.slice(2), `${payer.address}0`, `0x${'g'.repeat(40)}`, `0X${payer.address.slice(2)}`],
    ],
    ['to', [null, {}, [terms.payTo]]],
    ['nonce', ['0x', `0x${'0b'.repeat(31)}`, `0x${'0b'.repeat(33)}`, `0x${'0b'.repeat(32)}\n`]],
  ])('is refused as malformed for a strange %s', (member, values) => {
    for (const value of values) {
      const strange = { ...v1, payload: { signature, authorization: { ...authorization, [member]: value } } };
      expect(refusalOf(() => parseX402Payment(encode(strange)))).toBe('PAYMENT_MALFORMED');
    }
  });
});

describe('x402 settlement', () => {
  it('is read by the decoder of x402, by version in its header, on success and on failure', () => {
    const settled = { success: true, transaction: '0x12', network: caip2, payer: payer.address as string };
    const two = x402ResponseHeaders(2, settled);
    expect(Object.keys(two)).toEqual(['PAYMENT-RESPONSE']);
    expect(decodePaymentResponseHeader(two['PAYMENT-RESPONSE'])).toEqual(settled);
    expect(decodeX402Response(two['PAYMENT-RESPONSE'])).toEqual(settled);
    const failed = { success: false, transaction: '', network: caip2, errorReason: 'insufficient_funds' };
    const one = x402ResponseHeaders(1, failed);
    expect(decodePaymentResponseHeader(one['X-PAYMENT-RESPONSE'])).toEqual({
      ...failed,
      network: 'base-sepolia',
    });
    expect(decodeX402Response(one['X-PAYMENT-RESPONSE'])).toEqual(failed);
  });
});

describe('signed receipts', () => {
  // As RFC 8032 has it, Ed25519 signs one message as one text.
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = {
    kid: 'did:web:svc.example#a',
    sign: (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey)),
  };

  it('are the compact JWS that the library of x402 makes, whatever the order of the members', async () => {
    const payload = { version: 1, network: caip2, usage: { operationId: 'zk.prove', calls: 1 } };
    const jws = compactJws(payload, signer);
    const { usage, network, version } = payload;
    expect(compactJws({ usage, network, version }, signer)).toBe(jws);
    const library = {
      ...{ kid: signer.kid, format: 'jws', algorithm: 'EdDSA' },
      sign: async (message: Uint8Array) => Buffer.from(signer.sign(message)).toString('base64url'),
    };
    expect(jws).toBe(await createJWS(payload, library as Parameters<typeof createJWS>[1]));
  });

  it('hash a request as the worked example of docs/receipts.md does', () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const digest = sha256('{"traceData":"hello","degree":8}');
    const example = readFileSync(new URL('../../../../docs/receipts.md', import.meta.url), 'utf8');
    expect(example).toContain(`; echo $digest\n${digest}\n`);
    expect(example).toContain(`${sha256(requestHashText('POST', '/v1/zk/prove', digest))}  -\n`);
  });

  it.each([1, 2] as const)(
    'stand in a header of their own and within the settlement, version %i',
    version => {
      const settled = { success: true, transaction: '0x12', network: caip2, payer: payer.address as string };
      const headers = { 'Payment-Receipt': 'r', ...x402ResponseHeaders(version, settled) };
      const shown = withSignedReceipt(headers, 'a.b.c');
      expect(shown).toMatchObject({ 'Payment-Receipt': 'r', [SIGNED_RECEIPT_HEADER]: 'a.b.c' });
      const response = new Response(null, { headers: shown });
      expect(extractReceiptFromResponse(response)).toEqual({ format: 'jws', signature: 'a.b.c' });
      const name = version === 1 ? 'X-PAYMENT-RESPONSE' : 'PAYMENT-RESPONSE';
      expect(decodeX402Response(shown[name])).toEqual(decodeX402Response(headers[name as never]));
      expect(withSignedReceipt({}, 'a.b.c')).toEqual({ [SIGNED_RECEIPT_HEADER]: 'a.b.c' });
    },
  );
});

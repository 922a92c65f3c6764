import { describe, expect, it } from '@jest/globals';
import { facilitatorChoice } from './facilitator-choice.js';
import { DESCRIPTION_CHARS_MAX, HEADER_BYTES_MAX, strictFaultOf } from './strict-rules.js';

const LEAST = 1_000n;
const resource = {
  url: 'https://svc.example/v1/zk/prove',
  description: 'a proof',
  mimeType: 'application/json',
};
const bazaar = { info: { input: { type: 'http', method: 'POST', bodyType: 'json', body: {} } }, schema: {} };
const v2 = (change: object = {}, requirements: object = {}) => ({
  paymentPayload: { x402Version: 2, resource, extensions: { bazaar }, payload: {}, ...change },
  paymentRequirements: { scheme: 'exact', amount: '1000', ...requirements },
});
const v1 = (requirements: object = {}) => ({
  paymentPayload: { x402Version: 1, scheme: 'exact', payload: {} },
  paymentRequirements: {
    ...{ resource: resource.url, description: 'a proof', maxAmountRequired: '1000' },
    ...requirements,
  },
});
const described = (chars: number) => ({ ...resource, description: 'd'.repeat(chars) });

describe('a strict facilitator', () => {
  it.each([
    ['of version 2', v2()],
    ['of version 1', v1()],
    ['that is not to be listed', v2({ extensions: undefined })],
    ['of the longest description', v2({ resource: described(DESCRIPTION_CHARS_MAX) })],
    ['without a description', v2({ resource: { url: resource.url } })],
    ['of a tool', v2({ extensions: { bazaar: { info: { input: { type: 'mcp', toolName: 'x' } } } } })],
  ])('takes a payment %s', (_what, question) => {
    expect(strictFaultOf(question, LEAST)).toBeUndefined();
  });

  it.each([
    [
      'a description that is too long',
      v2({ resource: described(DESCRIPTION_CHARS_MAX + 1) }),
      /description.*500.*501/,
    ],
    ['one of version 1', v1({ description: 'd'.repeat(501) }), /description.*500.*501/],
    ['a description that is none', v2({ resource: { ...resource, description: 7 } }), /description.*7/],
    ['an amount below the least', v2({}, { amount: '999' }), /amount.*at least 1000.*999/],
    ['one of version 1', v1({ maxAmountRequired: '1' }), /amount.*at least 1000.*1/],
    ['an amount that is none', v2({}, { amount: 5_000 }), /amount.*5000/],
    [
      'a resource that is not https',
      v2({ resource: { ...resource, url: 'http://svc.example/' } }),
      /resource.*https/,
    ],
    ['one of version 1', v1({ resource: 'http://127.0.0.1:3000/' }), /resource.*https/],
    ['no resource', v2({ resource: undefined }), /resource.*nothing/],
    ['a resource that is none', v2({ resource: { ...resource, url: '/v1/zk/prove' } }), /resource.*"\/v1/],
    ['a declaration without info', v2({ extensions: { bazaar: {} } }), /info\.input.*nothing/],
    ['a declaration without input', v2({ extensions: { bazaar: { info: {} } } }), /info\.input.*nothing/],
    ['an input of no type', v2({ extensions: { bazaar: { info: { input: {} } } } }), /info\.input.*\{\}/],
    [
      'a payment that is too long for a header',
      v2({ payload: 'p'.repeat(HEADER_BYTES_MAX) }),
      /header.*8192/,
    ],
  ])('refuses %s, and says by how much', (_what, question, message) => {
    const fault = strictFaultOf(question, LEAST)!;
    expect(fault.message).toMatch(message);
    expect(fault.reason).toMatch(/^invalid_pay(load|ment_requirements)$/);
  });
});

describe('who settles on the local chain', () => {
  it.each([
    [{}, 'own'],
    [{ FACILITATOR: '' }, 'own'],
    [{ FACILITATOR: 'own' }, 'own'],
    [{ FACILITATOR: 'strict' }, 'strict'],
  ])('is chosen by %j', (variables, expected) => {
    expect(facilitatorChoice(variables)).toBe(expected);
  });

  it('is none of another name', () => {
    expect(() => facilitatorChoice({ FACILITATOR: 'Strict' })).toThrow(
      'FACILITATOR: must be own or strict, got "Strict"',
    );
  });
});

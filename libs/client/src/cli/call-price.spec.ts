import { type CallPrice, callPrice, railsOf } from './call-price.js';

const sold = { priceUsd: '0.001', priceSats: 2 };
const paid = [{ l402: [] }, { svcKey: [] }];
const DOCUMENT = {
  paths: {
    '/health': { get: { operationId: 'gateway.health', summary: 'Up?', security: [] } },
    '/v1/zk/prove': { post: { operationId: 'zk.prove', security: paid, 'x-payment-info': sold } },
    '/v1/snn/solve': { post: { operationId: 'snn.solve', security: [{}, ...paid], 'x-payment-info': sold } },
    '/v1/account': { get: { operationId: 'account.get', security: [{ svcKey: [] }] } },
    '/v1/tools/{name}': {
      post: { security: paid, 'x-payment-info': { tools: { a_tool: sold, other: sold } } },
    },
    '/v1/tools/fixed': { post: { operationId: 'fixed', security: [] } },
    '/v1/x402/execute': { post: { security: paid, 'x-payment-info': { tools: { a_tool: sold } } } },
    '/departments/{deptId}': { get: { security: [] }, post: { security: paid } },
  },
};

describe('callPrice', () => {
  test.each([
    ['get', '/health', { access: 'free', operationId: 'gateway.health', payment: null }],
    ['POST', '/v1/zk/prove', { access: 'paid', payment: sold, tools: null }],
    ['POST', '/v1/snn/solve?a=b', { access: 'quota', path: '/v1/snn/solve' }],
    ['GET', '/v1/account', { access: 'key' }],
    ['POST', '/v1/tools/a_tool', { path: '/v1/tools/{name}', tools: { a_tool: sold } }],
    ['POST', '/v1/tools/fixed', { operationId: 'fixed', access: 'free' }],
    ['POST', '/v1/x402/execute?tool=a_tool', { tools: { a_tool: sold } }],
    ['POST', '/v1/x402/execute', { tools: { a_tool: sold }, operationId: null }],
    ['POST', '/departments/proofs', { access: 'paid', payment: null }],
  ])('%s %s is told by the published document', (method, target, expected) => {
    expect(callPrice(DOCUMENT, method, target)).toMatchObject({ method: method.toUpperCase(), ...expected });
  });

  test.each([
    ['POST', '/v1/nothing', 'publishes no path /v1/nothing'],
    ['POST', '/v1/tools/', 'publishes no path /v1/tools/'],
    ['PUT', '/v1/zk/prove', 'publishes no PUT of /v1/zk/prove; it has POST'],
    ['POST', '/v1/tools/no_tool', 'sells no tool no_tool; it has a_tool, other'],
    ['POST', '/v1/x402/execute?tool=constructor', 'sells no tool constructor'],
    ['POST', '/constructor', 'publishes no path'],
  ])('%s %s has no price, and a sentence says why', (method, target, message) => {
    expect(callPrice(DOCUMENT, method, target)).toContain(message);
  });

  test('a document that is none has no paths', () => {
    for (const paths of [undefined, null, [], 7])
      expect(callPrice({ paths }, 'GET', '/health')).toContain('no path');
  });
});

test('railsOf leaves out the MPP methods that a call does not offer, and nothing else', () => {
  const settling = ['l402', 'mpp-lightning', 'mpp-stripe', 'x402', 'newer'];
  const price = (payment: CallPrice['payment']) => ({ payment }) as CallPrice;
  expect(railsOf(price({ offers: [{ method: 'stripe' }, null] }), settling)).toEqual([
    ...['l402', 'mpp-stripe', 'x402', 'newer'],
  ]);
  for (const payment of [null, {}, { offers: 'none' }])
    expect(railsOf(price(payment), settling)).toEqual(settling);
});

import { auditedRequest } from './audited-request.js';

const CHAIN = { airId: 'hash-chain/v1', traceLength: 64, friBlowup: 8, parameterSet: 'P100' };
const BINDING = { ...CHAIN, airId: 'binding/v1', statement: 'binding' };

test('a request as it was sent gets the defaults that its answer states, and loses what is private', () => {
  expect(auditedRequest({ traceData: 'hello' }, CHAIN)).toEqual({
    traceData: 'hello',
    degree: 64,
    friBlowup: 8,
  });
  const sent = { publicInputs: ['1'], privateWitness: ['2'], contextDomain: 'demo' };
  expect(auditedRequest(sent, BINDING)).toEqual({
    ...{ publicInputs: ['1'], contextDomain: 'demo' },
    ...{ statement: 'binding', friBlowup: 8, parameterSet: 'P100' },
  });
  const raw = { ...BINDING, airId: 'raw/counter/v1', statement: 'raw' };
  expect(auditedRequest({ airId: raw.airId, statement: 'raw', trace: [['1']], inputs: {} }, raw)).toEqual({
    ...{ airId: raw.airId, statement: 'raw', friBlowup: 8, parameterSet: 'P100' },
  });
  const box = { coordinates: [1, 2], altitude: 3, traceData: 'x' };
  expect(auditedRequest(box, { airId: 'spatial-box/v1' })).toEqual({ traceData: 'x' });
});

test('a request that says something else than its answer is not put right', () => {
  const other = { traceData: 'hello', degree: 128, friBlowup: 16 };
  expect(auditedRequest(other, CHAIN)).toEqual(other);
  expect(auditedRequest({ statement: 'preimage', parameterSet: 'P128' }, BINDING)).toMatchObject({
    ...{ statement: 'preimage', parameterSet: 'P128' },
  });
  expect(auditedRequest({ any: 1 }, { airId: 'other/v1' })).toEqual({ any: 1 });
});

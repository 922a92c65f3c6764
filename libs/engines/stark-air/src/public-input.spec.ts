import { GOLDILOCKS_MODULUS as P, m31 } from '@svc/kernels';
import fc from 'fast-check';
import { fibonacciAir } from './fibonacci.air.js';
import { hashChainAir, hashChainPublicInputs } from './hash-chain.air.js';
import { elementFromJson, elementToJson, PublicInputError } from './public-input.js';

const element = fc.bigInt({ min: 0n, max: P - 1n });

it('reads every element back from hexadecimal and from decimal', () => {
  fc.assert(
    fc.property(element, value => {
      expect(elementFromJson(elementToJson(value), 'x')).toBe(value);
      expect(elementFromJson(value.toString(), 'x')).toBe(value);
    }),
  );
});

it('writes elements of M31 with 8 digits, and refuses those that are none', () => {
  expect(elementToJson(7n, m31)).toBe('0x00000007');
  expect(elementFromJson('0x7ffffffe', 'x', m31)).toBe(m31.modulus - 1n);
  expect(() => elementFromJson('2147483647', 'x', m31)).toThrow('must be below 2147483647');
});

it.each([
  P.toString(),
  `0x${P.toString(16)}`,
  '0xffffffffffffffff',
  '01',
  '-1',
  '+1',
  ' 1',
  '1e3',
  '1.0',
  '',
  '0x',
  '0X1',
  '0x00000000000000001',
  '123456789012345678901',
  7,
  7n,
  null,
  undefined,
  ['1'],
  { toString: () => '1' },
])('refuses %p as a field element', json => {
  expect(() => elementFromJson(json, 'output.3')).toThrow(PublicInputError);
  expect(() => elementFromJson(json, 'output.3')).toThrow('publicInputs.output.3');
});

it('reads public inputs back', () => {
  const chain = hashChainPublicInputs('some text', 64);
  const chainJson: unknown = JSON.parse(JSON.stringify(hashChainAir.publicInputsToJson(chain)));
  expect(hashChainAir.publicInputsFromJson(chainJson)).toEqual(chain);
  const numbers = { rows: 64, first: 1n, second: P - 1n, result: 5n };
  expect(fibonacciAir.publicInputsFromJson(fibonacciAir.publicInputsToJson(numbers))).toEqual(numbers);
});

const valid = hashChainAir.publicInputsToJson(hashChainPublicInputs('some text', 64));

it.each([
  ['domain', { ...valid, domain: 'utf8' }],
  ['domain', { ...valid, domain: 'constructor' }],
  ['length', { ...valid, length: 0 }],
  ['length', { ...valid, length: 65_537 }],
  ['length', { ...valid, length: 1.5 }],
  ['length', { ...valid, length: '9' }],
  ['inputDigest', { ...valid, inputDigest: [] }],
  ['inputDigest', { ...valid, inputDigest: Array(9).fill('1') }],
  ['output.7', { ...valid, output: [...Array(7).fill('1'), P.toString()] }],
  ['output', { domain: 'hex', length: 1, inputDigest: valid.inputDigest }],
  ['extra', { ...valid, extra: 1 }],
  ['', null],
  ['', []],
  ['', 'text'],
])('refuses hash-chain public inputs with a fault at %j', (path, json) => {
  expect.assertions(1);
  try {
    hashChainAir.publicInputsFromJson(json);
  } catch (error) {
    expect(error).toMatchObject({ name: 'PublicInputError', path });
  }
});

it('refuses a length that the chain has no permutations for', () => {
  const inputs = hashChainAir.publicInputsFromJson({ ...valid, length: 57 });
  expect(() => hashChainAir.boundaryConstraints(inputs, 64)).toThrow(
    'publicInputs.length fills 3 blocks, but a chain of 64 rows absorbs 2',
  );
});

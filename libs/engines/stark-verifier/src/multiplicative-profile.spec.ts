import { jest } from '@jest/globals';
import { cubicExtension, evaluatePolynomial, goldilocks, power, rootOfUnity, Transcript } from '@svc/kernels';
import { layerDomain } from './multiplicative-profile.js';
import { profileOf } from './profiles.js';
import { proofGeometry } from './proof-geometry.js';
import { referenceVerifierBackend } from './reference-backend.js';

const geometryOf = (
  profile: 'gl2' | 'gl3',
  traceLength: number,
  zeroKnowledge = false,
  constraintDegree = 3,
) =>
  proofGeometry(
    { profile, traceLength, blowupFactor: 4, queryCount: 5, grindingBits: 0, zeroKnowledge },
    { columnCount: 2, constraintDegree },
  );

afterEach(() => jest.restoreAllMocks());

it.each([
  ['gl2', 2],
  ['gl3', 3],
] as const)(
  'rejects an out-of-domain point inside the domain, and any other of the base field: %s draws again',
  (name, degree) => {
    const geometry = geometryOf(name, 512);
    const { offset, generator } = layerDomain(0, geometry.domainSize);
    const inTrace = [rootOfUnity(9), ...new Array<bigint>(degree - 1).fill(0n)];
    const inLayer = [goldilocks.mul(offset, generator), ...new Array<bigint>(degree - 1).fill(0n)];
    const outside = [5n, ...new Array<bigint>(degree - 2).fill(0n), 1n];
    const words = [...inTrace, ...inLayer, ...outside];
    jest.spyOn(Transcript.prototype, 'drawBase').mockImplementation(() => words.shift() as bigint);
    expect(profileOf(name).drawPoint(new Transcript(), geometry)).toEqual([outside]);
  },
);

it('evaluates the final polynomial at the point of each index of the last layer', () => {
  const geometry = geometryOf('gl3', 4096);
  const { offset, generator } = layerDomain(geometry.foldCount, geometry.domainSize);
  expect(offset).toBe(power(goldilocks, 7n, 64n));
  const coefficients = [
    [1n, 2n, 3n],
    [4n, 5n, 6n],
    [7n, 8n, 9n],
  ];
  const values = profileOf('gl3').evaluateFinal(
    geometry,
    BigUint64Array.from(coefficients.flat()),
    [0, 3, 200],
    referenceVerifierBackend,
  );
  [0n, 3n, 200n].forEach((index, i) => {
    const x = cubicExtension.fromBase(goldilocks.mul(offset, power(goldilocks, generator, index)));
    expect([...values.slice(3 * i, 3 * i + 3)]).toEqual(evaluatePolynomial(cubicExtension, coefficients, x));
  });
});

import { CountingField } from '../field/counting-field.js';
import { goldilocks, GOLDILOCKS_MODULUS as P } from '../field/goldilocks.js';
import {
  externalMatrix,
  INTERNAL_DIAGONAL,
  internalMatrix,
  POSEIDON2_ROUNDS,
  POSEIDON2_WIDTH,
  poseidon2Permute,
} from './poseidon2.js';

const unitVectors = Array.from({ length: 8 }, (_, i) =>
  Array.from({ length: 8 }, (_, j) => (i === j ? 1n : 0n)),
);

it("permutes 0…7 to the published answer of Plonky3's default instance", () => {
  // Plonky3, goldilocks/src/poseidon2.rs, test_default_goldilocks_poseidon2_width_8.
  expect(poseidon2Permute([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n])).toEqual([
    0x020cf04a1b214d14n,
    0x84e14aaaeacaed25n,
    0x1ae0f640e81c7457n,
    0xa4d204cbaeb0d8a5n,
    0x0cf637b627b3a7ffn,
    0x788d304d948b486bn,
    0x7327133ea1949af4n,
    0xf415abb924da395bn,
  ]);
});

it('multiplies by circ(2·M4, M4) in the external layer', () => {
  const m4 = [
    [2, 3, 1, 1],
    [1, 2, 3, 1],
    [1, 1, 2, 3],
    [3, 1, 1, 2],
  ];
  unitVectors.forEach((unit, column) => {
    const expected = Array.from({ length: 8 }, (_, row) =>
      BigInt(m4[row % 4][column % 4] * (row >> 2 === column >> 2 ? 2 : 1)),
    );
    expect(externalMatrix(goldilocks, unit)).toEqual(expected);
  });
});

it('multiplies by the all-ones matrix plus diag(−2, 1, 2, 1/2, 3, −1/2, −3, −4) in the internal layer', () => {
  const doubled = INTERNAL_DIAGONAL.map(d => (2n * d) % P);
  expect(doubled).toEqual([P - 4n, 2n, 4n, 1n, 6n, P - 1n, P - 6n, P - 8n]);
  unitVectors.forEach((unit, column) => {
    const expected = unit.map((_, row) => (row === column ? goldilocks.add(1n, INTERNAL_DIAGONAL[row]) : 1n));
    expect(internalMatrix(goldilocks, unit)).toEqual(expected);
  });
});

it('has 4 full, 22 partial and 4 full rounds with canonical constants', () => {
  const kinds = POSEIDON2_ROUNDS.map(({ full }) => (full ? 'F' : 'P')).join('');
  expect(kinds).toBe('F'.repeat(4) + 'P'.repeat(22) + 'F'.repeat(4));
  for (const { full, constants } of POSEIDON2_ROUNDS) {
    expect(constants).toHaveLength(POSEIDON2_WIDTH);
    expect(constants.every(c => c < P)).toBe(true);
    expect(full || constants.slice(1).every(c => c === 0n)).toBe(true);
  }
});

it('costs 34 additions an external and 15 additions and 8 multiplications an internal matrix', () => {
  const external = new CountingField();
  externalMatrix(external, unitVectors[0]);
  expect([external.additions, external.multiplications]).toEqual([34, 0]);
  const internal = new CountingField();
  internalMatrix(internal, unitVectors[0]);
  expect([internal.additions, internal.multiplications]).toEqual([15, 8]);
});

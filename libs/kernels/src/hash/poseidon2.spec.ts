import fc from 'fast-check';
import { type BaseField, power } from '../field/field.js';
import { CountingField } from '../field/counting-field.js';
import { goldilocks, GOLDILOCKS_MODULUS as P } from '../field/goldilocks.js';
import { m31 } from '../field/m31.js';
import { Poseidon2 } from './poseidon2.js';
import { poseidon2Goldilocks, poseidon2M31 } from './poseidon2-instances.js';

const INSTANCES: readonly [name: string, instance: Poseidon2, kinds: string][] = [
  ['Goldilocks of width 8', poseidon2Goldilocks, 'F'.repeat(4) + 'P'.repeat(22) + 'F'.repeat(4)],
  ['M31 of width 16', poseidon2M31, 'F'.repeat(4) + 'P'.repeat(14) + 'F'.repeat(4)],
];

const counted = (count: number) => Array.from({ length: count }, (_, i) => BigInt(i));
const unitVectors = (width: number) => counted(width).map(i => counted(width).map(j => (i === j ? 1n : 0n)));

// Known answers: Plonky3 (MIT or Apache-2.0), commit 5dc50e5, goldilocks/src/poseidon2.rs and mersenne-31/src/poseidon2.rs,
// test_default_goldilocks_poseidon2_width_8, …_width_12 and test_default_mersenne31_poseidon2_width_16.
it("permutes 0…7 over Goldilocks to the published answer of Plonky3's default instance", () => {
  expect(poseidon2Goldilocks.permute(counted(8))).toEqual([
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

it("permutes 0…15 over M31 to the published answer of Plonky3's default instance", () => {
  expect(poseidon2M31.permute(counted(16))).toEqual([
    0x0b2c803an,
    0x5b1ee4d1n,
    0x49c6b1e3n,
    0x2cdc280cn,
    0x310a60c8n,
    0x530a729en,
    0x4e61bcb4n,
    0x2e84d3c3n,
    0x58709c08n,
    0x7e82ac42n,
    0x2162bcefn,
    0x6d153ab6n,
    0x742cf0e3n,
    0x2f21632dn,
    0x61adce1en,
    0x1973d6f1n,
  ]);
});

it('derives the constants of other widths: 0…11 over Goldilocks gives the published answer of width 12', () => {
  const inverse = (a: bigint) => goldilocks.inverse(a);
  const [half, quarter, eighth] = [inverse(2n), inverse(4n), inverse(8n)];
  const wide = new Poseidon2({
    field: goldilocks,
    width: 12,
    sboxDegree: 7,
    fullRoundCount: 8,
    partialRoundCount: 22,
    internalDiagonal: [P - 2n, 1n, 2n, half, 3n, 4n, P - half, P - 3n, P - 4n, quarter, P - quarter, eighth],
  });
  expect(wide.permute(counted(12))).toEqual([
    0xf292ab67c0f14b03n,
    0x0a32f1b37656544cn,
    0x053c61ab895498den,
    0x02ff92e55b196ffbn,
    0x58176e8f6f58cab2n,
    0xb0aa1206e7aec0f8n,
    0xe90c13f3dce83ca4n,
    0xf4da15333edf39c2n,
    0x23b701c053c2ca6cn,
    0xd233d593dcdfbf58n,
    0x4effa5f9516fb52en,
    0x0aaf4489f1f40166n,
  ]);
});

it.each(INSTANCES)('multiplies by circ(2·M4, M4, …) in the external layer of %s', (_, instance) => {
  const m4 = [
    [2, 3, 1, 1],
    [1, 2, 3, 1],
    [1, 1, 2, 3],
    [3, 1, 1, 2],
  ];
  unitVectors(instance.width).forEach((unit, column) => {
    const expected = unit.map((__, row) =>
      BigInt(m4[row % 4][column % 4] * (row >> 2 === column >> 2 ? 2 : 1)),
    );
    expect(instance.externalMatrix(instance.field, unit)).toEqual(expected);
  });
});

it.each(INSTANCES)(
  'multiplies by the all-ones matrix plus a diagonal in the internal layer of %s',
  (_, instance) => {
    const { field, width, internalDiagonal } = instance;
    unitVectors(width).forEach((unit, column) => {
      const expected = unit.map((__, row) =>
        row === column ? field.add(1n, internalDiagonal[row]) : field.one,
      );
      expect(instance.internalMatrix(field, unit)).toEqual(expected);
    });
  },
);

it('has the published diagonals', () => {
  const doubled = poseidon2Goldilocks.internalDiagonal.map(d => (2n * d) % P);
  expect(doubled).toEqual([P - 4n, 2n, 4n, 1n, 6n, P - 1n, P - 6n, P - 8n]);
  const shifts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16];
  expect(poseidon2M31.internalDiagonal).toEqual([m31.modulus - 2n, ...shifts.map(k => 1n << BigInt(k))]);
});

it.each(INSTANCES)('has full, partial and full rounds with canonical constants: %s', (_, instance, kinds) => {
  expect(instance.rounds.map(({ full }) => (full ? 'F' : 'P')).join('')).toBe(kinds);
  for (const { full, constants } of instance.rounds) {
    expect(constants).toHaveLength(instance.width);
    expect(constants.every(c => c < instance.field.modulus)).toBe(true);
    expect(full || constants.slice(1).every(c => c === 0n)).toBe(true);
  }
});

it.each([
  [poseidon2Goldilocks, 7n],
  [poseidon2M31, 5n],
])('raises to its own degree, which is prime to p − 1', (instance, degree) => {
  const { field } = instance;
  let [a, b] = [field.modulus - 1n, degree];
  while (b > 0n) [a, b] = [b, a % b];
  expect(a).toBe(1n);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: field.modulus - 1n }), x => {
      const cube = power(field as BaseField, x, 3n);
      expect(instance.sboxFromCube(field, cube, x)).toBe(power(field as BaseField, x, degree));
    }),
  );
});

it.each(INSTANCES)(
  'permutes alike with every sum reduced and with sums left as they are: %s',
  (_, instance) => {
    const { field, width } = instance;
    // A field of another identity is asked for every operation.
    const everyOperation: BaseField = Object.create(field);
    const lane = fc.oneof(
      fc.bigInt({ min: 0n, max: field.modulus - 1n }),
      fc.constantFrom(0n, 1n, field.modulus - 1n),
    );
    fc.assert(
      fc.property(fc.array(lane, { minLength: width, maxLength: width }), state => {
        expect(instance.permute(state)).toEqual(instance.permute(state, everyOperation));
      }),
      { numRuns: 50 },
    );
  },
);

it('permutes alike on plain numbers over fields so small that lanes are often zero', () => {
  for (const modulus of [7n, 13n, 17n, 23n, 47n, 73n, 103n, 163n, 193n, 223n, 2013265921n]) {
    const field = smallField(modulus);
    const internalDiagonal = counted(8).map(d => d % modulus);
    const spec = {
      field,
      width: 8,
      sboxDegree: 5,
      fullRoundCount: 8,
      partialRoundCount: 13,
      internalDiagonal,
    } as const;
    const instance = new Poseidon2(spec);
    for (let i = 0n; i < 40n; i++) {
      const state = counted(8).map(lane => (lane * lane * (i + 3n)) % modulus);
      expect([modulus, instance.permute(state)]).toEqual([modulus, instance.permute(state, { ...field })]);
    }
  }
});

it('costs 34 additions an external and 15 additions and 8 multiplications an internal matrix of width 8', () => {
  const external = new CountingField();
  poseidon2Goldilocks.externalMatrix(external, counted(8));
  expect([external.additions, external.multiplications]).toEqual([34, 0]);
  const internal = new CountingField();
  poseidon2Goldilocks.internalMatrix(internal, counted(8));
  expect([internal.additions, internal.multiplications]).toEqual([15, 8]);
});

it('refuses a width that is no multiple of 4', () => {
  const spec = { field: goldilocks, sboxDegree: 7, fullRoundCount: 8, partialRoundCount: 22 } as const;
  expect(() => new Poseidon2({ ...spec, width: 6, internalDiagonal: counted(6) })).toThrow(RangeError);
});

function smallField(modulus: bigint): BaseField {
  const mul = (a: bigint, b: bigint) => (a * b) % modulus;
  return {
    name: 'm31',
    modulus,
    elementBytes: 4,
    zero: 0n,
    one: 1n,
    add: (a, b) => (a + b) % modulus,
    sub: (a, b) => (a + modulus - b) % modulus,
    mul,
    scale: mul,
    fromBase: c => c,
    equals: (a, b) => a === b,
    inverse(a) {
      return power(this, a, modulus - 2n);
    },
  };
}

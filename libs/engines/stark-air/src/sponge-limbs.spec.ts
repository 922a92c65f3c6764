import fc from 'fast-check';
import {
  boundaryHolds,
  brokenTransitions,
  cheatingHash,
  hashOfElements,
  LIMB_CHEATS,
  type LimbCheat,
} from './testing/air-samples.js';
import type { Air } from './air.js';
import { checkTrace, fieldOf } from './check-trace.js';
import { preimageAir, preimageM31Air, preimageV1Air, preimageV1M31Air } from './preimage.air.js';

const ROWS = 83;

describe.each([
  ['goldilocks', preimageAir, preimageV1Air, 56n],
  ['m31', preimageM31Air, preimageV1M31Air, 24n],
] as const)('over %s', (_, air, v1, limbBits) => {
  const { modulus } = fieldOf(air);
  const limbMax = (1n << limbBits) - 1n;
  const rate = air.field === 'm31' ? 8 : 4;
  const blockOf = (element: bigint) => Array.from({ length: rate }, (__, lane) => (lane ? 0n : element));
  const check = (block: readonly bigint[]) => {
    const { columns, publicInputs } = hashOfElements(air, block, ROWS);
    return checkTrace(air, columns, publicInputs, ROWS);
  };

  it('holds a digest of elements that are no bytes to be none, which v1 takes', () => {
    const block = Array.from({ length: rate }, (__, lane) => modulus - 1n - BigInt(lane));
    const old = hashOfElements(v1, block, ROWS);
    expect(checkTrace(v1, old.columns, old.publicInputs, ROWS)).toBeUndefined();
    expect(check(block)).toMatchObject({ row: 31, constraint: 'step of lane 0' });
  });

  it.each([limbMax + 1n, modulus - 1n, modulus - limbMax])('takes the element %s nowhere', element => {
    for (const [cheat, broken] of Object.entries(LIMB_CHEATS)) {
      const { columns, publicInputs } = cheatingHash(air, blockOf(element), ROWS, cheat as LimbCheat);
      const isBoundary = broken === 'column';
      expect([cheat, brokenTransitions(air as Air, columns)]).toEqual([cheat, isBoundary ? [] : [broken]]);
      expect([cheat, boundaryHolds(air as Air, columns, publicInputs)]).toEqual([cheat, !isBoundary]);
    }
  });

  it('takes blocks of limbs, and of nothing that is above, in every lane', () => {
    const limb = fc.oneof(
      fc.bigInt({ min: 0n, max: limbMax }),
      fc.constantFrom(0n, 1n, limbMax, limbMax - 1n, 1n << (limbBits - 1n)),
    );
    const above = fc.oneof(
      fc.bigInt({ min: limbMax + 1n, max: modulus - 1n }),
      fc.constantFrom(limbMax + 1n, limbMax + 2n, modulus - 1n, modulus - 2n),
    );
    const block = fc.array(limb, { minLength: rate, maxLength: rate });
    fc.assert(
      fc.property(block, above, fc.nat(rate - 1), (limbs, element, lane) => {
        expect(check(limbs)).toBeUndefined();
        expect(check(limbs.with(lane, element))).toMatchObject({ constraint: `step of lane ${lane}` });
      }),
      { numRuns: 25 },
    );
  });
});

import type { Execution } from '../air.js';
import { fieldOf } from '../check-trace.js';
import { encodeContext } from '../number-encoding.js';
import type { PreimagePublicInputs } from '../preimage.air.js';
import { SPONGES } from '../poseidon2-sponge.js';
import { executeSponge, type SpongeAir } from '../sponge-trace.js';

/** Where a cheating prover hides an element that is no limb: each breaks one kind of constraint, and no other. */
export const LIMB_CHEATS = {
  'adds what the sum does not hold': 'step of lane 0',
  'holds in the last sum what the bits do not make': 'sum of limb 0',
  'has a bit that is none': 'bit 0 of limb 0',
  'begins the sum elsewhere': 'column',
} as const;
export type LimbCheat = keyof typeof LIMB_CHEATS;

/** The trace, and the claim that it makes, of a hash of one block of any elements in the empty context. */
export function hashOfElements(
  air: SpongeAir<PreimagePublicInputs>,
  block: readonly bigint[],
  rowCount: number,
): Execution<PreimagePublicInputs> {
  const sponge = SPONGES[air.field];
  const { rate, permutation } = sponge;
  const publicState = sponge.absorbUpToLast(sponge.initialState('prei/v1'), sponge.blocks(encodeContext('')));
  const { limbs } = air.spongeTrace;
  const start = limbs
    ? { initial: publicState, blocks: [Array<bigint>(rate).fill(0n), block] }
    : { initial: permutation.permute(publicState), blocks: [block] };
  const begin = () => ({
    ...start,
    publicInputsOf: (stateAt: (row: number) => bigint[]) => ({
      contextDomain: '',
      privateBlocks: 1,
      digest: stateAt(limbs ? 63 : 31).slice(0, rate),
    }),
  });
  return executeSponge({ ...air.spongeTrace, begin }, fieldOf(air), undefined, rowCount);
}

/** As {@link hashOfElements} of an AIR that checks limbs, with lane 0 of the block hidden so. */
export function cheatingHash(
  air: SpongeAir<PreimagePublicInputs>,
  block: readonly bigint[],
  rowCount: number,
  cheat: LimbCheat,
): Execution<PreimagePublicInputs> {
  const execution = hashOfElements(air, block, rowCount);
  const { limbs } = air.spongeTrace;
  if (!limbs) throw new Error(`${air.id} checks no limbs`);
  const field = fieldOf(air);
  const sum = execution.columns[limbs.sumColumn(0)];
  const missing = field.sub(block[0], sum[31]);
  if (cheat === 'holds in the last sum what the bits do not make') sum[31] = block[0];
  if (cheat === 'has a bit that is none') {
    const bit = execution.columns[limbs.bitColumn(0, 0)];
    bit[0] = field.add(bit[0], missing);
    for (let row = 1; row < 32; row++) sum[row] = field.add(sum[row], missing);
  }
  if (cheat === 'begins the sum elsewhere') {
    for (let row = 0; row < 32; row++) sum[row] = field.add(sum[row], missing);
  }
  return execution;
}

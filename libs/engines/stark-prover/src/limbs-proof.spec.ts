import {
  type Air,
  type Execution,
  fieldOf,
  preimageAir,
  preimageM31Air,
  type PreimagePublicInputs,
  preimageV1Air,
  preimageV1M31Air,
} from '@svc/stark-air';
import { cheatingHash, hashOfElements, LIMB_CHEATS, type LimbCheat } from '@svc/stark-air/testing';
import { leastTraceLength, type ProofParameters, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { seededRandomSource } from '../testing/seeded-random.js';
import { createWasmBackend } from './node/index.js';
import { prove } from './prove.js';

type PreimageAir = typeof preimageAir;

const backend = createWasmBackend({ threads: 1 });
afterAll(() => backend.close());

/** What the verifier says of a proof that is made of this trace, whatever the AIR would make. */
async function verdictOn(
  air: PreimageAir,
  parameters: ProofParameters,
  run: (rowCount: number) => Execution<PreimagePublicInputs>,
) {
  const { spongeTrace: _kernelsWouldMakeIt, ...own } = air;
  const lying: Air<PreimagePublicInputs> = { ...own, execute: (_field, _witness, rowCount) => run(rowCount) };
  const random = seededRandomSource('limbs');
  const { proof, publicInputs } = await prove({
    air: lying,
    witness: undefined,
    parameters,
    backend,
    random,
  });
  const claim = { proof, publicInputs: air.publicInputsToJson(publicInputs) };
  return (airId: string) => verify({ ...claim, airId }, laxPolicy(parameters));
}

describe.each([
  ['goldilocks', 'gl2', preimageAir, preimageV1Air],
  ['m31', 'm31', preimageM31Air, preimageV1M31Air],
] as const)('over %s', (field, profile, air, v1) => {
  const shape = { profile, queryCount: 1, zeroKnowledge: true } as const;
  const parameters = { ...shape, traceLength: leastTraceLength(shape), blowupFactor: 2, grindingBits: 0 };
  const { modulus } = fieldOf(air);
  const block = Array.from({ length: field === 'm31' ? 8 : 4 }, (_, lane) => modulus - 1n - BigInt(lane));

  it('proves by v1 that a preimage is known where there are no bytes, and never by v2', async () => {
    const old = await verdictOn(v1, parameters, rowCount => hashOfElements(v1, block, rowCount));
    expect(old('preimage/v1')).toMatchObject({ valid: true, doesNotProve: v1.doesNotProve });
    expect(old('preimage/v2')).toMatchObject({ valid: false });
    for (const cheat of Object.keys(LIMB_CHEATS)) {
      const verdict = await verdictOn(air, parameters, rowCount =>
        cheatingHash(air, [block[0], ...block.slice(1).map(() => 0n)], rowCount, cheat as LimbCheat),
      );
      expect([cheat, verdict('preimage/v2')]).toMatchObject([
        cheat,
        { valid: false, reason: 'constraints-unsatisfied' },
      ]);
    }
  });

  it('proves by v2 that bytes are known, to the last value of a limb', async () => {
    const limbMax = field === 'm31' ? 2n ** 24n - 1n : 2n ** 56n - 1n;
    const limbs = block.map((_, lane) => limbMax - BigInt(lane));
    const verdict = await verdictOn(air, parameters, rowCount => hashOfElements(air, limbs, rowCount));
    expect(verdict('preimage/v2')).toMatchObject({ valid: true });
    expect(verdict('preimage/v2')).not.toHaveProperty('doesNotProve');
  });
});

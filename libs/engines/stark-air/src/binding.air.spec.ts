import { type BaseFieldName, poseidon2Goldilocks, poseidon2M31 } from '@svc/kernels';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { boundaryHolds, brokenTransitions, bump, runSample, sampleOf } from './testing/air-samples.js';
import { contextBytes, numberBytes, spongeDigest } from './testing/sponge-by-definition.js';
import type { Air } from './air.js';
import {
  bindingAir,
  bindingM31Air,
  bindingV1Air,
  bindingV1M31Air,
  type BindingWitness,
} from './binding.air.js';
import { checkTrace, fieldOf } from './check-trace.js';
import { PublicInputError } from './public-input.js';
import { WitnessError } from './witness-error.js';

const SALT = Uint8Array.from({ length: 24 }, (_, i) => 200 - i);
const witness = (change: Partial<BindingWitness> = {}): BindingWitness => ({
  contextDomain: 'parcels',
  publicInputs: ['17', '0xff'],
  privateWitness: ['123456789012345678901234567890', '0'],
  salt: SALT,
  ...change,
});

function commitment(
  field: BaseFieldName,
  { contextDomain, publicInputs, privateWitness, salt }: BindingWitness,
) {
  const inTheClear = [...contextBytes(contextDomain), ...numberBytes(publicInputs)];
  return spongeDigest(field, 'bind/v1', inTheClear, [...salt, ...numberBytes(privateWitness)]);
}

describe.each([
  ['goldilocks', 'binding/v2', bindingAir],
  ['m31', 'binding/v2', bindingM31Air],
  ['goldilocks', 'binding/v1', bindingV1Air],
  ['m31', 'binding/v1', bindingV1M31Air],
] as const)('over %s, %s', (field, id, air) => {
  const run = (change?: Partial<BindingWitness>) => air.execute(fieldOf(air), witness(change), 200);

  it('commits as the definition does', () => {
    const text = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 800n }).map(String),
      fc.constantFrom('0', '0x00', '0xff'),
    );
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 4 }),
        fc.array(text, { maxLength: 2 }),
        fc.string({ maxLength: 20 }),
        (publicInputs, privateWitness, contextDomain) => {
          const change = { publicInputs, privateWitness, contextDomain };
          const rows = air.rowsNeeded(witness(change));
          const execution = air.execute(fieldOf(air), witness(change), rows);
          expect(execution.publicInputs.commitment).toEqual(commitment(field, witness(change)));
        },
      ),
      { numRuns: 15 },
    );
  });

  it('takes numbers by their value, whatever their form', () => {
    const forms = [
      { publicInputs: ['0x11', '255'] },
      { publicInputs: ['017', '0XFF'] },
      { privateWitness: [`0x${123456789012345678901234567890n.toString(16)}`, '0x0000'] },
    ];
    const known = run().publicInputs;
    for (const form of forms) expect(run(form).publicInputs).toEqual(known);
    expect(known.publicInputs).toEqual(['0x11', '0xff']);
  });

  it('commits differently to whatever differs in context, numbers, their order, their split or the salt', () => {
    const others: Partial<BindingWitness>[] = [
      {},
      { contextDomain: '' },
      { contextDomain: 'parcels\u0002' },
      { publicInputs: ['17'] },
      { publicInputs: ['17', '255', '0'] },
      { publicInputs: ['255', '17'] },
      { publicInputs: [] },
      { privateWitness: [] },
      { privateWitness: ['123456789012345678901234567890'] },
      { privateWitness: ['0', '123456789012345678901234567890'] },
      { publicInputs: ['17', '0xff', '0'], privateWitness: ['123456789012345678901234567890'] },
      { salt: Uint8Array.from(SALT).fill(0) },
      { salt: Uint8Array.from(SALT).fill(1, 23) },
    ];
    const commitments = others.map(change => run(change).publicInputs.commitment.join());
    expect(new Set(commitments).size).toBe(others.length);
  });

  it('takes no trace whose capacity does not come from the public part', () => {
    const honest = run();
    for (const change of [{ contextDomain: 'other' }, { publicInputs: ['18', '255'] }]) {
      const other = run(change);
      // The other statement's trace, offered for this one, and with this one's commitment claimed.
      const claim = { ...honest.publicInputs, commitment: other.publicInputs.commitment };
      expect(checkTrace(air, other.columns, honest.publicInputs, 200)).toBeDefined();
      expect(checkTrace(air, other.columns, claim, 200)).toMatchObject({ row: 0 });
    }
  });

  it(`lets ${id === 'binding/v1' ? 'blocks' : 'checked limbs'} into the rate alone, and only between permutations`, () => {
    const { columns } = runSample(sampleOf(id, field));
    const { width } = field === 'goldilocks' ? poseidon2Goldilocks : poseidon2M31;
    for (const lane of [0, width / 2 - 1, width / 2, width - 1]) {
      for (const row of [16, 32]) {
        const trace = columns.map(column => column.slice());
        // Only the step into the row is asked about, so what the row leads to does not matter.
        bump(air as Air, trace, lane, row);
        const names = brokenTransitions(air as Air, trace, row - 1, row);
        const isFree = id === 'binding/v1' && row === 32 && lane < width / 2;
        expect(names).toEqual(isFree ? [] : [`step of lane ${lane}`]);
      }
    }
  });

  it('states the block that the commitment follows: an earlier or later end is refused', () => {
    const { columns, publicInputs } = run();
    expect(publicInputs.privateBlocks).toBe(
      Math.ceil((24 + 2 + 1 + 13 + 1) / (field === 'goldilocks' ? 28 : 24)),
    );
    for (const privateBlocks of [publicInputs.privateBlocks - 1, publicInputs.privateBlocks + 1]) {
      expect(boundaryHolds(air as Air, columns, { ...publicInputs, privateBlocks })).toBe(false);
    }
  });
});

/** A fault of public inputs, by its path. */
function publicFault(json: object): string | undefined {
  try {
    bindingAir.publicInputsFromJson(json);
  } catch (error) {
    if (error instanceof PublicInputError) return error.path;
    throw error;
  }
  return undefined;
}

describe('what is public', () => {
  const json = bindingAir.publicInputsToJson(
    bindingAir.execute(fieldOf(bindingAir), witness(), 200).publicInputs,
  );
  // 2 bytes for their number, 1 for the length of each.
  const filling = (bytes: number) => [
    ...Array<string>(Math.floor((bytes - 2) / 101)).fill(`0x${'ff'.repeat(100)}`),
    `0x${'ff'.repeat(((bytes - 2) % 101) - 1)}`,
  ];

  it('takes at most 8,192 bytes of numbers, for prover and verifier alike', () => {
    const run = (publicInputs: string[]) => () => bindingAir.rowsNeeded(witness({ publicInputs }));
    expect(run(filling(8_192))()).toBe(96);
    expect(run(filling(8_193))).toThrow(
      expect.objectContaining({ field: 'publicInputs', bound: expect.objectContaining({ max: 8_192 }) }),
    );
    expect(publicFault({ ...json, publicInputs: filling(8_192) })).toBeUndefined();
    expect(publicFault({ ...json, publicInputs: filling(8_193) })).toBe('publicInputs');
  });

  it.each([
    [{ privateBlocks: 0 }, 'privateBlocks'],
    [{ privateBlocks: 2_343 }, 'privateBlocks'],
    [{ privateBlocks: 1.5 }, 'privateBlocks'],
    [{ contextDomain: 'é'.repeat(129) }, 'contextDomain'],
    [{ contextDomain: '\ud800' }, 'contextDomain'],
    [{ commitment: [] }, 'commitment'],
    [{ publicInputs: ['-1'] }, 'publicInputs.0'],
  ])('refuses %j', (change, path) => {
    expect(publicFault({ ...json, ...change })).toBe(path);
    expect(publicFault({ ...json, privateBlocks: 2_342 })).toBeUndefined();
  });
});

it('asks how many rows it needs without a single permutation', () => {
  const permute = jest.spyOn(poseidon2Goldilocks, 'permute');
  try {
    expect(bindingAir.rowsNeeded(witness())).toBe(96);
    expect(bindingV1Air.rowsNeeded(witness())).toBe(64);
    expect(permute).not.toHaveBeenCalled();
  } finally {
    permute.mockRestore();
  }
});

it('draws a fresh salt where none is given, and hands it to the caller', () => {
  const json = { publicInputs: ['1'] };
  const [a, b] = [0, 1].map(() => bindingAir.witnessFromJson?.(json) as BindingWitness);
  expect(a.salt).toHaveLength(24);
  expect(Buffer.from(a.salt).equals(Buffer.from(b.salt))).toBe(false);
  const opening = bindingAir.opening?.(a) as { salt: string };
  expect(bindingAir.witnessFromJson?.({ ...json, salt: opening.salt })).toEqual(a);
});

it.each([0, 23, 25])('refuses a salt of %i bytes', length => {
  const run = () => bindingAir.execute(fieldOf(bindingAir), witness({ salt: new Uint8Array(length) }), 200);
  expect(run).toThrow(expect.objectContaining({ code: 'malformed-salt' }));
});

it.each([
  [{ publicInputs: ['-1'] }, 'malformed-number', 'publicInputs.0'],
  [{ publicInputs: ['1', 'ff'] }, 'malformed-number', 'publicInputs.1'],
  [{ publicInputs: [''] }, 'malformed-number', 'publicInputs.0'],
  [{ publicInputs: [' 1'] }, 'malformed-number', 'publicInputs.0'],
  [{ publicInputs: ['1_000'] }, 'malformed-number', 'publicInputs.0'],
  [{ publicInputs: ['9'.repeat(257)] }, 'input-too-long', 'publicInputs.0'],
  [{ publicInputs: Array<string>(1_025).fill('1') }, 'input-too-long', 'publicInputs'],
  [{ publicInputs: [7] }, 'malformed-witness', 'publicInputs.0'],
  [{ publicInputs: 'x' }, 'malformed-witness', 'publicInputs'],
  [{ publicInputs: [], privateWitness: ['0x'] }, 'malformed-number', 'privateWitness.0'],
  [{ publicInputs: [], contextDomain: 7 }, 'malformed-witness', 'contextDomain'],
  [{ publicInputs: [], salt: '0x00' }, 'malformed-salt', 'salt'],
  [{ publicInputs: [], other: 1 }, 'malformed-witness', 'other'],
  [{}, 'malformed-witness', 'publicInputs'],
  [{ publicInputs: [], contextDomain: 'é'.repeat(129) }, 'input-too-long', 'contextDomain'],
  [{ publicInputs: [], contextDomain: 'a\ud800' }, 'malformed-text', 'contextDomain'],
  [{ publicInputs: Array<string>(1_024).fill(`0x${'f'.repeat(254)}`) }, 'input-too-long', 'publicInputs'],
])('refuses the inputs %# with code %s at %s', (json, code, field) => {
  const run = () =>
    bindingAir.execute(fieldOf(bindingAir), bindingAir.witnessFromJson?.(json) as BindingWitness, 64);
  expect(run).toThrow(WitnessError);
  expect(run).toThrow(expect.objectContaining({ code, field }));
});

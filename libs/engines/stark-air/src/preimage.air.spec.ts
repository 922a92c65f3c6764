import type { BaseFieldName } from '@svc/kernels';
import { contextBytes, numberBytes, spongeDigest } from './testing/sponge-by-definition.js';
import { fieldOf } from './check-trace.js';
import {
  preimageAir,
  preimageDigest,
  preimageM31Air,
  preimageV1Air,
  preimageV1M31Air,
  type PreimageWitness,
} from './preimage.air.js';
import { PublicInputError } from './public-input.js';
import { WitnessError } from './witness-error.js';

describe.each([
  ['goldilocks', 'preimage/v2', preimageAir, 4],
  ['m31', 'preimage/v2', preimageM31Air, 8],
  ['goldilocks', 'preimage/v1', preimageV1Air, 4],
  ['m31', 'preimage/v1', preimageV1M31Air, 8],
] as const)('over %s, %s', (field, id, air, lanes) => {
  const ask = (digest: unknown, privateWitness: readonly string[], contextDomain = 'c') =>
    air.execute(
      fieldOf(air),
      air.witnessFromJson?.({ digest, privateWitness, contextDomain }) as PreimageWitness,
      64,
    );

  it('proves the digest that a caller is told of', () => {
    const digest = preimageDigest(field, 'c', ['77', '0x1']);
    expect(digest).toHaveLength(lanes);
    expect(air.publicInputsToJson(ask(digest, ['0x4d', '1']).publicInputs)).toEqual({
      contextDomain: 'c',
      privateBlocks: 1,
      digest,
    });
  });

  it.each([
    ['a wrong number', ['78', '0x1'], 'c'],
    ['another order', ['0x1', '77'], 'c'],
    ['a number too many', ['77', '1', '0'], 'c'],
    ['nothing', [], 'c'],
    ['another context', ['77', '0x1'], 'd'],
  ])('refuses %s', (_, privateWitness, contextDomain) => {
    const digest = preimageDigest(field, 'c', ['77', '0x1']);
    const run = () => ask(digest, privateWitness, contextDomain);
    const got = preimageDigest(field, contextDomain, privateWitness);
    const told = { code: 'preimage-mismatch', field: 'privateWitness', bound: { got } };
    expect(run).toThrow(expect.objectContaining(told));
  });

  it('says what it does not show where another has replaced it', () => {
    expect(air.id).toBe(id);
    if (id === 'preimage/v2') expect(air.doesNotProve).toBeUndefined();
    else expect(air.doesNotProve).toMatch(/a digest to which no numbers lead/);
  });

  it('refuses a digest that is none', () => {
    const digest = preimageDigest(field, 'c', ['77']);
    for (const other of [
      digest.slice(1),
      [...digest, '1'],
      digest.with(0, fieldOf(air).modulus.toString()),
      'x',
    ]) {
      expect(() => ask(other, ['77'])).toThrow(WitnessError);
    }
  });
});

it('separates the fields, the contexts and the statement of a commitment', () => {
  const digests = [
    ...(['goldilocks', 'm31'] as BaseFieldName[]).map(field => preimageDigest(field, '', ['5'])),
    preimageDigest('goldilocks', 'x', ['5']),
    preimageDigest('goldilocks', '', ['5', '0']),
  ];
  expect(new Set(digests.map(digest => digest[0])).size).toBe(digests.length);
});

it('hashes as the definition does, and has the published digest', () => {
  for (const field of ['goldilocks', 'm31'] as const) {
    const numbers = ['1', '0xff', '0', '9'.repeat(200)];
    const parts = [contextBytes('größe'), numberBytes(numbers)];
    expect(preimageDigest(field, 'größe', numbers).map(BigInt)).toEqual(
      spongeDigest(field, 'prei/v1', ...parts),
    );
  }
  expect(preimageDigest('goldilocks', 'svc', ['1', '0xff'])).toEqual([
    '0x70719db0c587702f',
    '0x4e6801cec1148f90',
    '0x68597c7bde57eb61',
    '0x2c0066c14ef130b6',
  ]);
});

it.each([[{ contextDomain: 'é'.repeat(129) }], [{ contextDomain: 'a\ud800' }], [{ privateBlocks: 0 }]])(
  'refuses the public inputs %j',
  change => {
    const inputs = { contextDomain: '', privateBlocks: 1, digest: ['1', '2', '3', '4'] };
    expect(preimageAir.publicInputsFromJson(inputs)).toMatchObject({ privateBlocks: 1 });
    expect(() => preimageAir.publicInputsFromJson({ ...inputs, ...change })).toThrow(PublicInputError);
  },
);

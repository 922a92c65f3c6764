import { concatBytes } from '@svc/kernels';
import {
  asPublicInput,
  canonicalNumbers,
  encodeContext,
  encodeNumbers,
  ENCODED_BYTES_MAX,
  PUBLIC_BYTES_MAX,
} from './number-encoding.js';
import { type Poseidon2Sponge, SPONGES } from './poseidon2-sponge.js';
import {
  elementsFromJson,
  elementsToJson,
  integerFromJson,
  PublicInputError,
  recordFromJson,
} from './public-input.js';
import { assertSalt, saltFromJson, saltToJson, SALT_BYTES } from './salt.js';
import { defineSpongeStatement, type SpongeBlocks } from './sponge-opening.js';
import type { SpongeAir } from './sponge-trace.js';
import { witnessRecord, witnessStrings, witnessText } from './witness-json.js';

/** The commitment binds the context, the public numbers and private ones that it hides. */
export interface BindingPublicInputs {
  readonly contextDomain: string;
  /** Numbers in canonical form: `0x` and hexadecimal digits without leading zeros. */
  readonly publicInputs: readonly string[];
  /** Blocks that salt and private numbers fill: all that is told of their size. */
  readonly privateBlocks: number;
  /** The sponge's digest: 4 elements of Goldilocks, 8 of M31. */
  readonly commitment: readonly bigint[];
}

export interface BindingWitness {
  readonly contextDomain: string;
  /** Decimal or `0x` hexadecimal, as `privateWitness`. */
  readonly publicInputs: readonly string[];
  readonly privateWitness: readonly string[];
  /** 24 bytes from a random generator: who holds it and the numbers can open the commitment. */
  readonly salt: Uint8Array;
}

// Of every version of the statement: they differ in what is shown of the blocks, not in how a commitment is made.
const TAG = 'bind/v1';
const V1_DOES_NOT_PROVE =
  'That the commitment was made of bytes, let alone of numbers: its blocks may hold any field elements, so that there may be no numbers that open it. binding/v2 shows the bytes.';

type PublicPart = Pick<BindingPublicInputs, 'contextDomain' | 'publicInputs'>;

/** Hashing the public numbers costs a permutation a block, and one proof asks for it more than once. */
class PublicStates {
  private readonly known = new WeakMap<PublicPart, bigint[]>();

  constructor(private readonly sponge: Poseidon2Sponge) {}

  of(part: PublicPart): bigint[] {
    const { sponge } = this;
    const state =
      this.known.get(part) ??
      sponge.absorbUpToLast(sponge.initialState(TAG), sponge.blocks(publicBytes(part)));
    this.known.set(part, state);
    return state;
  }

  /** Tells that the public part of another object is the same. */
  share(part: PublicPart, other: PublicPart): void {
    this.known.set(other, this.of(part));
  }
}

/**
 * Knowledge of what a commitment to context, public and private numbers holds, without telling the private ones
 * (docs/stark-format.md, section 11).
 */
export const bindingAir = createBindingAir(SPONGES.goldilocks, 'binding/v2', 'limbs');
/** The same over M31. */
export const bindingM31Air = createBindingAir(SPONGES.m31, 'binding/v2', 'limbs');
/** As it was proved at first: of blocks of any elements, so that it also holds of a commitment that no bytes open. */
export const bindingV1Air = createBindingAir(SPONGES.goldilocks, 'binding/v1', 'elements');
/** The same over M31. */
export const bindingV1M31Air = createBindingAir(SPONGES.m31, 'binding/v1', 'elements');

function createBindingAir(
  sponge: Poseidon2Sponge,
  id: string,
  blocksAre: SpongeBlocks,
): SpongeAir<BindingPublicInputs, BindingWitness> {
  const { field } = sponge.permutation;
  const blocksMax = sponge.blockCountOf(SALT_BYTES + ENCODED_BYTES_MAX);
  const publicStates = new PublicStates(sponge);
  return defineSpongeStatement<BindingPublicInputs, BindingWitness>(sponge, blocksAre, {
    id,
    ...(blocksAre === 'elements' ? { doesNotProve: V1_DOES_NOT_PROVE } : {}),

    claimOf: inputs => ({
      publicState: publicStates.of(inputs),
      blockCount: inputs.privateBlocks,
      digest: inputs.commitment,
    }),

    open({ contextDomain, publicInputs, privateWitness, salt }) {
      assertSalt(salt);
      const numbers = canonicalNumbers(privateWitness, 'privateWitness');
      const blocks = sponge.blocks(concatBytes(salt, encodeNumbers(numbers, 'privateWitness')));
      const given = { contextDomain, publicInputs: canonicalNumbers(publicInputs, 'publicInputs') };
      // Read now, so that faults are named; hashed when a trace is made.
      publicBytes(given);
      return {
        publicStateOf: () => publicStates.of(given),
        blocks,
        publicInputsOf(commitment) {
          const inputs = { ...given, privateBlocks: blocks.length, commitment };
          publicStates.share(given, inputs);
          return inputs;
        },
      };
    },

    publicInputElements(inputs) {
      const bytes = publicBytes(inputs);
      return [
        BigInt(bytes.length),
        ...sponge.limbsOf(bytes),
        BigInt(inputs.privateBlocks),
        ...inputs.commitment,
      ];
    },

    publicInputsFromJson(json): BindingPublicInputs {
      const record = recordFromJson(json, ['contextDomain', 'publicInputs', 'privateBlocks', 'commitment']);
      return {
        ...publicPartFromJson(record.contextDomain, record.publicInputs),
        privateBlocks: integerFromJson(record.privateBlocks, 'privateBlocks', 1, blocksMax),
        commitment: elementsFromJson(record.commitment, 'commitment', sponge.rate, field),
      };
    },

    publicInputsToJson: ({ contextDomain, publicInputs, privateBlocks, commitment }) => ({
      contextDomain,
      publicInputs: [...publicInputs],
      privateBlocks,
      commitment: elementsToJson(commitment, field),
    }),

    witnessFromJson,
    opening: ({ salt }) => ({ salt: saltToJson(salt) }),
  });
}

function witnessFromJson(json: unknown): BindingWitness {
  const record = witnessRecord(json, ['publicInputs'], ['contextDomain', 'privateWitness', 'salt']);
  const { publicInputs, privateWitness = [] } = record;
  return {
    contextDomain: witnessText(record.contextDomain, 'contextDomain'),
    publicInputs: canonicalNumbers(witnessStrings(publicInputs, 'publicInputs'), 'publicInputs'),
    privateWitness: canonicalNumbers(witnessStrings(privateWitness, 'privateWitness'), 'privateWitness'),
    salt: saltFromJson(record.salt),
  };
}

function publicBytes({ contextDomain, publicInputs }: PublicPart): Uint8Array {
  return concatBytes(
    encodeContext(contextDomain),
    encodeNumbers(publicInputs, 'publicInputs', PUBLIC_BYTES_MAX),
  );
}

function publicPartFromJson(contextDomain: unknown, publicInputs: unknown): PublicPart {
  if (typeof contextDomain !== 'string') throw new PublicInputError('contextDomain', 'must be a string');
  return asPublicInput(() => {
    const numbers = canonicalNumbers(witnessStrings(publicInputs, 'publicInputs'), 'publicInputs');
    const part = { contextDomain, publicInputs: numbers };
    publicBytes(part);
    return part;
  });
}

import type { BaseFieldName } from '@svc/kernels';
import {
  asPublicInput,
  canonicalNumbers,
  encodeContext,
  encodeNumbers,
  ENCODED_BYTES_MAX,
} from './number-encoding.js';
import { type Poseidon2Sponge, SPONGES } from './poseidon2-sponge.js';
import {
  elementsFromJson,
  elementsToJson,
  integerFromJson,
  PublicInputError,
  recordFromJson,
} from './public-input.js';
import { defineSpongeStatement, type SpongeBlocks } from './sponge-opening.js';
import type { SpongeAir } from './sponge-trace.js';
import { WitnessError } from './witness-error.js';
import { witnessElements, witnessRecord, witnessStrings, witnessText } from './witness-json.js';

/** Somebody knows numbers whose hash under this context is the digest. */
export interface PreimagePublicInputs {
  readonly contextDomain: string;
  /** Blocks that the numbers fill: all that is told of their size. */
  readonly privateBlocks: number;
  /** 4 elements of Goldilocks, 8 of M31. */
  readonly digest: readonly bigint[];
}

export interface PreimageWitness {
  readonly contextDomain: string;
  readonly digest: readonly bigint[];
  /** Decimal or `0x` hexadecimal numbers. */
  readonly privateWitness: readonly string[];
}

// Of every version of the statement: they differ in what is shown of the blocks, not in how a digest is made.
const TAG = 'prei/v1';
const V1_DOES_NOT_PROVE =
  'That what was hashed are bytes, let alone numbers: its blocks may hold any field elements, so that it also holds of a digest to which no numbers lead. preimage/v2 shows the bytes.';
/** A digest of numbers of up to so many bytes is compared when the witness is read: before its proof, and its price. */
const EARLY_CHECK_BYTES_MAX = 8_192;

/** Knowledge of a Poseidon2 preimage in bytes (docs/stark-format.md, section 11). A digest of guessable numbers hides nothing. */
export const preimageAir = createPreimageAir(SPONGES.goldilocks, 'preimage/v2', 'limbs');
/** The same over M31. */
export const preimageM31Air = createPreimageAir(SPONGES.m31, 'preimage/v2', 'limbs');
/** As it was proved at first: of blocks of any elements, so that it also holds of a digest to which no bytes lead. */
export const preimageV1Air = createPreimageAir(SPONGES.goldilocks, 'preimage/v1', 'elements');
/** The same over M31. */
export const preimageV1M31Air = createPreimageAir(SPONGES.m31, 'preimage/v1', 'elements');

/** The digest that a proof of these numbers has: `0x` strings, one an element. @throws WitnessError */
export function preimageDigest(
  field: BaseFieldName,
  contextDomain: string,
  privateWitness: readonly string[],
): string[] {
  const sponge = SPONGES[field];
  const blocks = privateBlocks(sponge, privateWitness);
  return elementsToJson(digestOf(sponge, contextDomain, blocks), sponge.permutation.field);
}

function createPreimageAir(
  sponge: Poseidon2Sponge,
  id: string,
  blocksAre: SpongeBlocks,
): SpongeAir<PreimagePublicInputs, PreimageWitness> {
  const { rate } = sponge;
  const { field } = sponge.permutation;
  return defineSpongeStatement<PreimagePublicInputs, PreimageWitness>(sponge, blocksAre, {
    id,
    ...(blocksAre === 'elements' ? { doesNotProve: V1_DOES_NOT_PROVE } : {}),

    claimOf: ({ contextDomain, privateBlocks: blockCount, digest }) => ({
      publicState: publicState(sponge, contextDomain),
      blockCount,
      digest,
    }),

    open({ contextDomain, digest, privateWitness }) {
      const blocks = privateBlocks(sponge, privateWitness);
      encodeContext(contextDomain);
      return {
        publicStateOf: () => publicState(sponge, contextDomain),
        blocks,
        publicInputsOf(reached) {
          assertDigest(sponge, reached, digest);
          return { contextDomain, privateBlocks: blocks.length, digest };
        },
      };
    },

    publicInputElements({ contextDomain, privateBlocks: blockCount, digest }) {
      const bytes = encodeContext(contextDomain);
      return [BigInt(bytes.length), ...sponge.limbsOf(bytes), BigInt(blockCount), ...digest];
    },

    publicInputsFromJson(json): PreimagePublicInputs {
      const record = recordFromJson(json, ['contextDomain', 'privateBlocks', 'digest']);
      const blocksMax = sponge.blockCountOf(ENCODED_BYTES_MAX);
      return {
        contextDomain: contextFromJson(record.contextDomain),
        privateBlocks: integerFromJson(record.privateBlocks, 'privateBlocks', 1, blocksMax),
        digest: elementsFromJson(record.digest, 'digest', rate, field),
      };
    },

    publicInputsToJson: ({ contextDomain, privateBlocks: blockCount, digest }) => ({
      contextDomain,
      privateBlocks: blockCount,
      digest: elementsToJson(digest, field),
    }),

    witnessFromJson(json): PreimageWitness {
      const record = witnessRecord(json, ['digest', 'privateWitness'], ['contextDomain']);
      const contextDomain = witnessText(record.contextDomain, 'contextDomain');
      const digest = witnessElements(record.digest, 'digest', rate, field);
      const numbers = witnessStrings(record.privateWitness, 'privateWitness');
      const privateWitness = canonicalNumbers(numbers, 'privateWitness');
      const blocks = privateBlocks(sponge, privateWitness);
      if (blocks.length <= sponge.blockCountOf(EARLY_CHECK_BYTES_MAX)) {
        assertDigest(sponge, digestOf(sponge, contextDomain, blocks), digest);
      }
      return { contextDomain, digest, privateWitness };
    },
  });
}

function assertDigest(
  { rate, permutation }: Poseidon2Sponge,
  reached: readonly bigint[],
  digest: readonly bigint[],
): void {
  if (digest.length === rate && reached.every((lane, i) => lane === digest[i])) return;
  throw new WitnessError(
    'preimage-mismatch',
    'privateWitness',
    'does not hash to the public digest; what it hashes to is in `got`',
    { got: elementsToJson(reached, permutation.field) },
  );
}

function contextFromJson(json: unknown): string {
  if (typeof json !== 'string') throw new PublicInputError('contextDomain', 'must be a string');
  return asPublicInput(() => {
    encodeContext(json);
    return json;
  });
}

function publicState(sponge: Poseidon2Sponge, contextDomain: string): bigint[] {
  return sponge.absorbUpToLast(sponge.initialState(TAG), sponge.blocks(encodeContext(contextDomain)));
}

function digestOf(
  sponge: Poseidon2Sponge,
  contextDomain: string,
  blocks: readonly (readonly bigint[])[],
): bigint[] {
  const initial = sponge.permutation.permute(publicState(sponge, contextDomain));
  return sponge.absorb(initial, blocks).slice(0, sponge.rate);
}

function privateBlocks(sponge: Poseidon2Sponge, privateWitness: readonly string[]): bigint[][] {
  const numbers = canonicalNumbers(privateWitness, 'privateWitness');
  return sponge.blocks(encodeNumbers(numbers, 'privateWitness'));
}

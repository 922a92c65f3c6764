import {
  externalMatrix,
  type Field,
  goldilocks,
  internalMatrix,
  POSEIDON2_ROUNDS,
  POSEIDON2_WIDTH,
  poseidon2Permute,
} from '@svc/kernels';
import type { Air, BoundaryConstraint, Execution, OperationCount, TransitionFrame } from './air.js';
import {
  BLOCK_BYTES,
  BLOCK_LIMBS,
  blockCountOf,
  INPUT_BYTES_MAX,
  inputBlock,
  parseTraceData,
} from './hash-chain-input.js';
import type { ChainInput, InputDomain } from './hash-chain-input.js';
import { elementsFromJson, elementToJson, PublicInputError, recordFromJson } from './public-input.js';
import { WitnessError } from './witness-error.js';

/** What a hash-chain proof states. */
export interface HashChainPublicInputs {
  readonly domain: InputDomain;
  /** Bytes of the input, 1 … 65,536. */
  readonly length: number;
  /** The 8 lanes of the sponge after its last block. */
  readonly inputDigest: readonly bigint[];
  /** The 8 lanes at the end of the chain. */
  readonly output: readonly bigint[];
}

export interface HashChainWitness {
  /** `0x…` for bytes in hexadecimal, anything else for text. */
  readonly traceData: string;
}

/** Rows of one permutation: absorption, the initial linear layer and 30 rounds are its 32 steps. */
export const ROWS_PER_PERMUTATION = 32;

const LINEAR_ROW = 0;
const ABSORB_ROW = ROWS_PER_PERMUTATION - 1;
const RATE = BLOCK_LIMBS;
const STATE = 0;
const CUBES = POSEIDON2_WIDTH;
const SEVENTHS = 2 * POSEIDON2_WIDTH;
const ABSORBING = 3 * POSEIDON2_WIDTH;
const COLUMN_COUNT = ABSORBING + 1;

// Periodic columns: four selectors, then the constants of the round that starts at the row.
const FULL = 0;
const PARTIAL = 1;
const LINEAR = 2;
const ABSORB = 3;
const CONSTANTS = 4;

const LANES = Array.from({ length: POSEIDON2_WIDTH }, (_, lane) => lane);
const ZEROS: readonly bigint[] = LANES.map(() => 0n);

/** Seven ASCII bytes each, little-endian: which reading of traceData the sponge starts from. */
const DOMAIN_TAGS: Readonly<Record<InputDomain, bigint>> = {
  hex: asciiLimb('hc1:hex'),
  text: asciiLimb('hc1:txt'),
};

/**
 * A Poseidon2 sponge that absorbs an input and is then iterated to the end of the trace, one round a row.
 * See docs/stark-proof-format.md, section 11.
 */
export const hashChainAir: Air<HashChainPublicInputs, HashChainWitness> = {
  id: 'hash-chain/v1',
  field: 'goldilocks',
  zeroKnowledge: 'never',
  columnCount: COLUMN_COUNT,
  constraintDegree: 3,
  transitionNames: [
    ...LANES.map(i => `cube of lane ${i}`),
    ...LANES.map(i => `seventh power of lane ${i}`),
    ...LANES.map(i => `step of lane ${i}`),
    'absorbing flag',
  ],
  traceLengthMin: 64,
  periodicColumns: periodicColumns(),
  transitionOperations: { additions: 153, multiplications: 84 },

  evaluateTransition<E>(field: Field<E>, { current, next, periodic }: TransitionFrame<E>): E[] {
    const state = current.slice(STATE, STATE + POSEIDON2_WIDTH);
    const cubes = current.slice(CUBES, CUBES + POSEIDON2_WIDTH);
    const sevenths = current.slice(SEVENTHS, SEVENTHS + POSEIDON2_WIDTH);
    const keyed = state.map((lane, i) => field.add(lane, periodic[CONSTANTS + i]));

    const cubeConstraints = keyed.map((x, i) => field.sub(cubes[i], field.mul(field.mul(x, x), x)));
    const seventhConstraints = keyed.map((x, i) =>
      field.sub(sevenths[i], field.mul(field.mul(cubes[i], cubes[i]), x)),
    );
    const stepConstraints = evaluateSteps(field, state, sevenths, next, periodic);
    return [
      ...cubeConstraints,
      ...seventhConstraints,
      ...stepConstraints,
      evaluateFlag(field, current, next, periodic),
    ];
  },

  boundaryConstraints(publicInputs, traceLength): BoundaryConstraint[] {
    const blockCount = blockCountOf(publicInputs.length);
    const permutationCount = traceLength / ROWS_PER_PERMUTATION;
    if (blockCount > permutationCount) {
      throw new PublicInputError(
        'length',
        `fills ${blockCount} blocks, but a chain of ${traceLength} rows absorbs ${permutationCount}`,
      );
    }
    const absorbedRow = blockCount * ROWS_PER_PERMUTATION - 1;
    const capacity = initialCapacity(publicInputs);
    return [
      ...capacity.map((value, i) => ({ column: STATE + RATE + i, row: 0, value })),
      ...publicInputs.inputDigest.map((value, i) => ({ column: STATE + i, row: absorbedRow, value })),
      { column: ABSORBING, row: absorbedRow, value: 1n },
      ...(blockCount < permutationCount ? [{ column: ABSORBING, row: absorbedRow + 1, value: 0n }] : []),
      ...publicInputs.output.map((value, i) => ({ column: STATE + i, row: traceLength - 1, value })),
    ];
  },

  publicInputElements({ domain, length, inputDigest, output }) {
    return [DOMAIN_TAGS[domain], BigInt(length), ...inputDigest, ...output];
  },

  publicInputsFromJson(json): HashChainPublicInputs {
    const record = recordFromJson(json, ['domain', 'length', 'inputDigest', 'output']);
    const { domain, length } = record;
    if (domain !== 'hex' && domain !== 'text')
      throw new PublicInputError('domain', 'must be "hex" or "text"');
    if (typeof length !== 'number' || !Number.isInteger(length) || length < 1 || length > INPUT_BYTES_MAX) {
      throw new PublicInputError('length', `must be an integer from 1 to ${INPUT_BYTES_MAX}`);
    }
    return {
      domain,
      length,
      inputDigest: elementsFromJson(record.inputDigest, 'inputDigest', POSEIDON2_WIDTH),
      output: elementsFromJson(record.output, 'output', POSEIDON2_WIDTH),
    };
  },

  publicInputsToJson({ domain, length, inputDigest, output }) {
    return { domain, length, inputDigest: inputDigest.map(elementToJson), output: output.map(elementToJson) };
  },

  rowsNeeded({ traceData }) {
    return ROWS_PER_PERMUTATION * blockCountOf(parseTraceData(traceData).bytes.length);
  },

  execute(field, { traceData }, traceLength): Execution<HashChainPublicInputs> {
    const input = parseChainInput(traceData, traceLength);
    const columns = Array.from({ length: COLUMN_COUNT }, () => new BigUint64Array(traceLength));
    const blockCount = blockCountOf(input.bytes.length);
    let state = hashChainInitialState(input);
    let inputDigest = state;
    for (let p = 0; p < traceLength / ROWS_PER_PERMUTATION; p++) {
      state = absorbBlock(field, state, input.bytes, p);
      const firstRow = p * ROWS_PER_PERMUTATION;
      state = writePermutation(field, columns, firstRow, state);
      columns[ABSORBING].fill(p < blockCount ? 1n : 0n, firstRow, firstRow + ROWS_PER_PERMUTATION);
      if (p === blockCount - 1) inputDigest = state;
    }
    return {
      columns,
      publicInputs: { domain: input.domain, length: input.bytes.length, inputDigest, output: state },
    };
  },

  executionOperations(traceLength): OperationCount {
    const permutationCount = traceLength / ROWS_PER_PERMUTATION;
    // A row: 8 constants added, 8 cubes and 8 sevenths. A permutation: 9 external and 22 internal matrices, one absorption.
    return {
      additions: permutationCount * (ROWS_PER_PERMUTATION * 8 + 9 * 34 + 22 * 15 + RATE),
      multiplications: permutationCount * (ROWS_PER_PERMUTATION * 32 + 22 * 8),
    };
  },
};

/**
 * The public inputs of a chain, computed without a trace: what a holder of traceData compares a proof with.
 * @param traceLength rows, a multiple of 32
 * @throws WitnessError
 */
export function hashChainPublicInputs(traceData: string, traceLength: number): HashChainPublicInputs {
  const input = parseChainInput(traceData, traceLength);
  const inputDigest = absorb(input);
  let output: readonly bigint[] = inputDigest;
  const idleCount = traceLength / ROWS_PER_PERMUTATION - blockCountOf(input.bytes.length);
  for (let p = 0; p < idleCount; p++) output = poseidon2Permute(output);
  return { domain: input.domain, length: input.bytes.length, inputDigest, output };
}

/** The sponge's 8 lanes after traceData: the part of the public inputs that binds the input. @throws WitnessError */
export function hashChainInputDigest(traceData: string): bigint[] {
  return absorb(parseTraceData(traceData));
}

/**
 * Reads traceData for a chain of `traceLength` rows; cheap, so that bad input can be refused before any work.
 * @throws WitnessError
 */
export function parseChainInput(traceData: string, traceLength: number): ChainInput {
  const input = parseTraceData(traceData);
  const max = Math.floor(traceLength / ROWS_PER_PERMUTATION) * BLOCK_BYTES;
  const got = input.bytes.length;
  if (got > max) {
    throw new WitnessError(
      'input-exceeds-chain',
      'traceData',
      `must hold at most ${max} bytes, which is what a chain of ${traceLength} rows absorbs, got ${got}`,
      { max, got },
    );
  }
  return input;
}

function absorb(input: ChainInput): bigint[] {
  let state = hashChainInitialState(input);
  for (let p = 0; p < blockCountOf(input.bytes.length); p++) {
    state = poseidon2Permute(absorbBlock(goldilocks, state, input.bytes, p));
  }
  return state;
}

/** traceData as the input of a chain. @throws WitnessError, also if the chain is too short to absorb it */
export function initialCapacity({ domain, length }: { domain: InputDomain; length: number }): bigint[] {
  return [DOMAIN_TAGS[domain], BigInt(length), 0n, 0n];
}

/** The sponge's 8 lanes before the first block. */
export function hashChainInitialState({ domain, bytes }: ChainInput): bigint[] {
  return [...ZEROS.slice(0, RATE), ...initialCapacity({ domain, length: bytes.length })];
}

function absorbBlock(
  field: Field<bigint>,
  state: readonly bigint[],
  bytes: Uint8Array,
  index: number,
): bigint[] {
  const block = inputBlock(bytes, index);
  return state.map((lane, i) => (i < RATE ? field.add(lane, block[i]) : lane));
}

// Fills the 32 rows of a permutation that starts from `state`, and returns the state of the last one.
function writePermutation(
  field: Field<bigint>,
  columns: readonly BigUint64Array[],
  firstRow: number,
  initial: bigint[],
): bigint[] {
  let state = initial;
  for (let j = 0; j < ROWS_PER_PERMUTATION; j++) {
    const round = roundAt(j);
    const keyed = state.map((lane, i) => field.add(lane, round?.constants[i] ?? 0n));
    const cubes = keyed.map(x => field.mul(field.mul(x, x), x));
    const sevenths = keyed.map((x, i) => field.mul(field.mul(cubes[i], cubes[i]), x));
    for (const i of LANES) {
      columns[STATE + i][firstRow + j] = state[i];
      columns[CUBES + i][firstRow + j] = cubes[i];
      columns[SEVENTHS + i][firstRow + j] = sevenths[i];
    }
    if (j === LINEAR_ROW) state = externalMatrix(field, state);
    else if (round?.full) state = externalMatrix(field, sevenths);
    else if (round) state = internalMatrix(field, [sevenths[0], ...state.slice(1)]);
  }
  return state;
}

// The step from one row to the next, lane by lane. The four selectors exclude one another, so the sum of the four cases
// vanishes only if the case in force does.
function evaluateSteps<E>(
  field: Field<E>,
  state: readonly E[],
  sevenths: readonly E[],
  next: readonly E[],
  periodic: readonly E[],
): E[] {
  const full = externalMatrix(field, sevenths);
  const partial = internalMatrix(field, [sevenths[0], ...state.slice(1)]);
  const linear = externalMatrix(field, state);
  const absorb = periodic[ABSORB];
  const notAbsorb = field.sub(field.one, absorb);
  // While the next permutation absorbs, a block may enter the rate; otherwise the whole state passes.
  const rateHeld = field.mul(absorb, field.sub(field.one, next[ABSORBING]));
  return LANES.map(i => {
    const permuted = field.add(
      field.add(field.mul(periodic[FULL], full[i]), field.mul(periodic[PARTIAL], partial[i])),
      field.mul(periodic[LINEAR], linear[i]),
    );
    const step = field.sub(permuted, field.mul(notAbsorb, next[i]));
    const held = i < RATE ? rateHeld : absorb;
    return field.sub(step, field.mul(held, field.sub(next[i], state[i])));
  });
}

// The flag is constant within a permutation and never rises between two. Booleanity is not needed: the boundary fixes it to
// 1 at the end of the last absorbing permutation, hence before, and to 0 after it, hence to the end.
function evaluateFlag<E>(
  field: Field<E>,
  current: readonly E[],
  next: readonly E[],
  periodic: readonly E[],
): E {
  const flag = current[ABSORBING];
  const nextFlag = next[ABSORBING];
  const absorb = periodic[ABSORB];
  const constant = field.mul(field.sub(field.one, absorb), field.sub(nextFlag, flag));
  const rises = field.mul(field.mul(absorb, nextFlag), field.sub(field.one, flag));
  return field.add(constant, rises);
}

function roundAt(row: number) {
  return row === LINEAR_ROW || row === ABSORB_ROW ? undefined : POSEIDON2_ROUNDS[row - 1];
}

function periodicColumns(): bigint[][] {
  const rows = Array.from({ length: ROWS_PER_PERMUTATION }, (_, row) => {
    const round = roundAt(row);
    const selectors = [round?.full === true, round?.full === false, row === LINEAR_ROW, row === ABSORB_ROW];
    return [...selectors.map(on => (on ? 1n : 0n)), ...(round?.constants ?? ZEROS)];
  });
  return rows[0].map((_, column) => rows.map(row => row[column]));
}

function asciiLimb(text: string): bigint {
  return [...text].reduceRight((limb, character) => (limb << 8n) | BigInt(character.charCodeAt(0)), 0n);
}

import type { BaseField, BaseFieldName, Field } from '@svc/kernels';
import type { BoundaryConstraint, TransitionFrame } from './air.js';
import { defineAir } from './define-air.js';
import { type ChainInput, INPUT_BYTES_MAX, type InputDomain, parseTraceData } from './hash-chain-input.js';
import { Poseidon2Rows, ROWS_PER_PERMUTATION } from './poseidon2-rows.js';
import { type Poseidon2Sponge, SPONGES } from './poseidon2-sponge.js';
import {
  elementsFromJson,
  elementsToJson,
  integerFromJson,
  PublicInputError,
  recordFromJson,
} from './public-input.js';
import { absorbedRow, executeSponge, type SpongeAir, type SpongeTrace } from './sponge-trace.js';
import { WitnessError } from './witness-error.js';
import { witnessRecord } from './witness-json.js';

/** What a hash-chain proof states. */
export interface HashChainPublicInputs {
  readonly domain: InputDomain;
  /** Bytes of the input, 1 … 65,536. */
  readonly length: number;
  /** All lanes of the sponge after its last block: 8 over Goldilocks, 16 over M31. */
  readonly inputDigest: readonly bigint[];
  /** All lanes at the end of the chain. */
  readonly output: readonly bigint[];
}

export interface HashChainWitness {
  /** `0x…` for bytes in hexadecimal, anything else for text. */
  readonly traceData: string;
}

/** Seven ASCII bytes each: which reading of traceData the sponge starts from. */
const DOMAIN_TAGS: Readonly<Record<InputDomain, string>> = { hex: 'hc1:hex', text: 'hc1:txt' };

/** A Poseidon2 sponge that absorbs an input and is then iterated to the end of the trace (docs/stark-format.md, section 11). */
export const hashChainAir = createHashChainAir(SPONGES.goldilocks);
/** The same over M31. */
export const hashChainM31Air = createHashChainAir(SPONGES.m31);

function createHashChainAir(sponge: Poseidon2Sponge): SpongeAir<HashChainPublicInputs, HashChainWitness> {
  const { permutation, rate } = sponge;
  const { field } = permutation;
  const rows = new Poseidon2Rows(permutation);
  const absorbing = rows.columnCount;
  const trace = chainTrace(sponge, rows);
  const air = defineAir<HashChainPublicInputs, HashChainWitness>({
    id: 'hash-chain/v1',
    field: field.name,
    // Whoever checks a chain holds its input.
    zeroKnowledge: 'never',
    columnCount: absorbing + 1,
    constraintDegree: 3,
    transitionNames: [...rows.transitionNames, 'absorbing flag'],
    traceLengthMin: 64,
    periodicColumns: rows.periodicColumns,

    evaluateTransition<E>(over: Field<E>, frame: TransitionFrame<E>): E[] {
      const { current, next, periodic } = frame;
      // While the next permutation absorbs, a block may enter the rate; otherwise the whole state passes.
      const held = over.sub(over.one, next[absorbing]);
      const steps = rows.evaluate(over, frame, lane => {
        const change = over.sub(next[lane], current[lane]);
        return lane < rate ? over.mul(held, change) : change;
      });
      const absorb = rows.absorbSelector(periodic);
      return [...steps, evaluateFlag(over, current[absorbing], next[absorbing], absorb)];
    },

    boundaryConstraints: (publicInputs, rowCount) =>
      boundaryConstraints(sponge, absorbing, publicInputs, rowCount),

    publicInputElements: ({ domain, length, inputDigest, output }) => [
      ...sponge.limbsOf(new TextEncoder().encode(DOMAIN_TAGS[domain])),
      BigInt(length),
      ...inputDigest,
      ...output,
    ],

    publicInputsFromJson: json => publicInputsFromJson(json, sponge),

    publicInputsToJson: publicInputs => publicInputsToJson(publicInputs, field),
    witnessFromJson,

    rowsNeeded: ({ traceData }) =>
      ROWS_PER_PERMUTATION * sponge.blockCountOf(parseTraceData(traceData).bytes.length),

    execute: (over, witness, rowCount) => executeSponge(trace, over, witness, rowCount),

    executionOperations(rowCount) {
      const { additions, multiplications } = rows.operations(rowCount);
      return { additions: additions + rate * (rowCount / ROWS_PER_PERMUTATION), multiplications };
    },
  });
  return { ...air, spongeTrace: trace };
}

function chainTrace(
  sponge: Poseidon2Sponge,
  rows: Poseidon2Rows,
): SpongeTrace<HashChainPublicInputs, HashChainWitness> {
  return {
    sponge,
    rows,
    absorbingColumn: rows.columnCount,
    begin({ traceData }, rowCount) {
      const { domain, bytes } = parseChainInput(traceData, rowCount, sponge.permutation.field.name);
      const { length } = bytes;
      const blocks = sponge.blocks(bytes);
      return {
        initial: initialState(sponge, { domain, length }),
        blocks,
        publicInputsOf: stateAt => ({
          domain,
          length,
          inputDigest: stateAt(absorbedRow(blocks.length)),
          output: stateAt(rowCount - 1),
        }),
      };
    },
  };
}

function boundaryConstraints(
  sponge: Poseidon2Sponge,
  absorbing: number,
  publicInputs: HashChainPublicInputs,
  rowCount: number,
): BoundaryConstraint[] {
  const blockCount = sponge.blockCountOf(publicInputs.length);
  const permutationCount = Math.floor(rowCount / ROWS_PER_PERMUTATION);
  if (blockCount > permutationCount) {
    throw new PublicInputError(
      'length',
      `fills ${blockCount} blocks, but a chain of ${rowCount} rows absorbs ${permutationCount}`,
    );
  }
  const lastRow = absorbedRow(blockCount);
  const capacity = initialState(sponge, publicInputs).slice(sponge.rate);
  const at = (row: number, values: readonly bigint[], first = 0) =>
    values.map((value, i) => ({ column: first + i, row, value }));
  return [
    ...at(0, capacity, sponge.rate),
    ...at(lastRow, publicInputs.inputDigest),
    ...at(lastRow, [1n], absorbing),
    ...(blockCount < permutationCount ? at(lastRow + 1, [0n], absorbing) : []),
    ...at(rowCount - 1, publicInputs.output),
  ];
}

function publicInputsFromJson(json: unknown, { permutation }: Poseidon2Sponge): HashChainPublicInputs {
  const { width, field } = permutation;
  const record = recordFromJson(json, ['domain', 'length', 'inputDigest', 'output']);
  const { domain, length, inputDigest, output } = record;
  if (domain !== 'hex' && domain !== 'text') throw new PublicInputError('domain', 'must be "hex" or "text"');
  return {
    domain,
    length: integerFromJson(length, 'length', 1, INPUT_BYTES_MAX),
    inputDigest: elementsFromJson(inputDigest, 'inputDigest', width, field),
    output: elementsFromJson(output, 'output', width, field),
  };
}

function publicInputsToJson(
  { domain, length, inputDigest, output }: HashChainPublicInputs,
  field: BaseField,
): Record<string, unknown> {
  return {
    domain,
    length,
    inputDigest: elementsToJson(inputDigest, field),
    output: elementsToJson(output, field),
  };
}

function witnessFromJson(json: unknown): HashChainWitness {
  const { traceData } = witnessRecord(json, ['traceData']);
  if (typeof traceData !== 'string') {
    throw new WitnessError('malformed-witness', 'traceData', 'must be a string');
  }
  return { traceData };
}

/**
 * The public inputs of a chain, computed without a trace: what a holder of traceData compares a proof with.
 * @param traceLength rows, a multiple of 32
 * @throws WitnessError
 */
export function hashChainPublicInputs(
  traceData: string,
  traceLength: number,
  field: BaseFieldName = 'goldilocks',
): HashChainPublicInputs {
  const sponge = SPONGES[field];
  const input = parseChainInput(traceData, traceLength, field);
  const inputDigest = absorb(sponge, input);
  let output: readonly bigint[] = inputDigest;
  const idleCount = traceLength / ROWS_PER_PERMUTATION - sponge.blockCountOf(input.bytes.length);
  for (let p = 0; p < idleCount; p++) output = sponge.permutation.permute(output);
  return { domain: input.domain, length: input.bytes.length, inputDigest, output };
}

/** The sponge's lanes after traceData: the part of the public inputs that binds the input. @throws WitnessError */
export function hashChainInputDigest(traceData: string, field: BaseFieldName = 'goldilocks'): bigint[] {
  return absorb(SPONGES[field], parseTraceData(traceData));
}

/**
 * Reads traceData for a chain of `traceLength` rows; cheap, so that bad input can be refused before any work.
 * @throws WitnessError
 */
export function parseChainInput(
  traceData: string,
  traceLength: number,
  field: BaseFieldName = 'goldilocks',
): ChainInput {
  const input = parseTraceData(traceData);
  const max = Math.floor(traceLength / ROWS_PER_PERMUTATION) * SPONGES[field].blockBytes;
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

// The length in the capacity makes the padding by zeros injective.
function initialState(sponge: Poseidon2Sponge, { domain, length }: { domain: InputDomain; length: number }) {
  return sponge.initialState(DOMAIN_TAGS[domain], length);
}

function absorb(sponge: Poseidon2Sponge, { domain, bytes }: ChainInput): bigint[] {
  return sponge.absorb(initialState(sponge, { domain, length: bytes.length }), sponge.blocks(bytes));
}

// The flag is constant within a permutation and never rises between two. Booleanity is not needed: the boundary fixes it to
// 1 at the end of the last absorbing permutation, hence before, and to 0 after it, hence to the end.
function evaluateFlag<E>(field: Field<E>, flag: E, nextFlag: E, absorb: E): E {
  const constant = field.mul(field.sub(field.one, absorb), field.sub(nextFlag, flag));
  const rises = field.mul(field.mul(absorb, nextFlag), field.sub(field.one, flag));
  return field.add(constant, rises);
}

import type { BaseField } from '@svc/kernels';
import { WitnessError } from './witness-error.js';

/** Bits behind the binary point of the decay. */
export const DECAY_BITS = 12;
/** Exclusive bound of thresholds, resets, inputs and initial potentials. */
export const POTENTIAL_BOUND = 2 ** 15;
/** Bits of the distance between candidate and threshold. */
export const MARGIN_BITS = 17;
/** Bits of an input, shifted to be non-negative. */
export const CURRENT_BITS = 16;
export const REFRACTORY_STEPS_MAX = 2 ** 16 - 1;

/** Columns of a step; the bit columns are the first of a group, lowest bit first. */
export const LifColumn = {
  potential: 0,
  current: 1,
  /** ⌊decay·potential / 2^12⌋ + current. */
  candidate: 2,
  /** 1 if the candidate is at least the threshold. */
  above: 3,
  /** 1 if no refractory step is left. */
  ready: 4,
  spike: 5,
  /** Refractory steps left. */
  refractory: 6,
  /** Its inverse, or 0. */
  refractoryInverse: 7,
  /** Spikes before this row. */
  spikeCount: 8,
  decay: 9,
  threshold: 10,
  reset: 11,
  refractorySteps: 12,
  remainderBits: 13,
  marginBits: 13 + DECAY_BITS,
  currentBits: 13 + DECAY_BITS + MARGIN_BITS,
} as const;

const bits = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name} bit ${i}`);

export const LIF_COLUMN_NAMES: readonly string[] = [
  'potential',
  'current',
  'candidate',
  'above',
  'ready',
  'spike',
  'refractory',
  'refractory inverse',
  'spike count',
  'decay',
  'threshold',
  'reset',
  'refractory steps',
  ...bits('remainder', DECAY_BITS),
  ...bits('margin', MARGIN_BITS),
  ...bits('current', CURRENT_BITS),
];

const C = LifColumn;

/** An element as the integer of least magnitude that it stands for. */
export function signedOf(element: bigint, field: BaseField): number {
  return Number(element > field.modulus / 2n ? element - field.modulus : element);
}

/**
 * Runs the neuron from row 0 of the columns, with the inputs that stand in the column `current`.
 * @throws WitnessError where the potential leaves what the range checks allow
 */
export function fillLifTrace(columns: readonly BigUint64Array[], field: BaseField): void {
  const first = (column: number) => signedOf(columns[column][0], field);
  const [decay, threshold, reset, refractorySteps] = [C.decay, C.threshold, C.reset, C.refractorySteps].map(
    first,
  );
  for (const column of [C.decay, C.threshold, C.reset, C.refractorySteps])
    columns[column].fill(columns[column][0]);
  let potential = first(C.potential);
  let refractory = 0;
  let spikeCount = 0;
  for (let row = 0; row < columns[0].length; row++) {
    const set = (column: number, value: number) => {
      columns[column][row] = value < 0 ? field.modulus + BigInt(value) : BigInt(value);
    };
    const current = signedOf(columns[C.current][row], field);
    const product = decay * potential;
    const decayed = Math.floor(product / 2 ** DECAY_BITS);
    const candidate = decayed + current;
    const above = candidate >= threshold;
    const margin = above ? candidate - threshold : threshold - 1 - candidate;
    if (margin >= 2 ** MARGIN_BITS) throw outOfRange(row, candidate, threshold);
    const isReady = refractory === 0;
    const isSpike = isReady && above;
    set(C.potential, potential);
    set(C.candidate, candidate);
    set(C.above, Number(above));
    set(C.ready, Number(isReady));
    set(C.spike, Number(isSpike));
    set(C.refractory, refractory);
    columns[C.refractoryInverse][row] = isReady ? 0n : inverseOf(refractory, field);
    set(C.spikeCount, spikeCount);
    writeBits(columns, C.remainderBits, DECAY_BITS, row, product - decayed * 2 ** DECAY_BITS);
    writeBits(columns, C.marginBits, MARGIN_BITS, row, margin);
    writeBits(columns, C.currentBits, CURRENT_BITS, row, current + POTENTIAL_BOUND);

    potential = isSpike || !isReady ? reset : candidate;
    if (isSpike) refractory = refractorySteps;
    else if (!isReady) refractory--;
    spikeCount += Number(isSpike);
  }
}

function writeBits(
  columns: readonly BigUint64Array[],
  first: number,
  count: number,
  row: number,
  value: number,
): void {
  for (let i = 0; i < count; i++) columns[first + i][row] = BigInt((value >> i) & 1);
}

const inverses = new WeakMap<BaseField, Map<number, bigint>>();

function inverseOf(value: number, field: BaseField): bigint {
  const known = inverses.get(field) ?? new Map<number, bigint>();
  inverses.set(field, known);
  const inverse = known.get(value) ?? field.inverse(BigInt(value));
  known.set(value, inverse);
  return inverse;
}

function outOfRange(row: number, candidate: number, threshold: number): WitnessError {
  const max = candidate < threshold ? threshold - 2 ** MARGIN_BITS : threshold + 2 ** MARGIN_BITS - 1;
  return new WitnessError(
    'input-out-of-range',
    `inputs.currents.${row}`,
    `takes the potential beyond ${max}`,
    { max, got: candidate },
  );
}

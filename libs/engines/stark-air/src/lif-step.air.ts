import { type BaseField, type Field, goldilocks, m31 } from '@svc/kernels';
import type { OperationCount, TransitionFrame } from './air.js';
import {
  CURRENT_BITS,
  DECAY_BITS,
  fillLifTrace,
  LIF_COLUMN_NAMES,
  LifColumn,
  MARGIN_BITS,
  POTENTIAL_BOUND,
  REFRACTORY_STEPS_MAX,
  signedOf,
} from './lif-step-trace.js';
import { integerFromJson, PublicInputError, recordFromJson } from './public-input.js';
import { defineRawAir, type RawAir, type RawPublicInputs, type RawWitness, rowsFromJson } from './raw-air.js';
import { WitnessError } from './witness-error.js';
import { witnessInteger, witnessRecord } from './witness-json.js';

/** The neuron's constants, as integers. Potentials are relative to rest, in units of 2^−10 mV. */
export interface LifNeuron {
  /** a·2^12 with a = e^(−dt/τm): 0 … 4,095. */
  readonly decay: number;
  /** −2^15 … 2^15 − 1, above `reset`. */
  readonly threshold: number;
  /** −2^15 … 2^15 − 1. */
  readonly reset: number;
  /** Steps without input after a spike, 0 … 65,535. */
  readonly refractorySteps: number;
  /** −2^15 … 2^15 − 1. */
  readonly initialPotential: number;
}

/** From `initialPotential`, `rows − 1` steps with inputs that only the prover knows lead to `finalPotential` with so many spikes. */
export interface LifPublicInputs extends RawPublicInputs, LifNeuron {
  readonly finalPotential: number;
  readonly spikeCount: number;
}

export interface LifInputs extends LifNeuron {
  /** Synaptic input of each step, −2^15 … 2^15 − 1, in the unit of potentials. */
  readonly currents: readonly number[];
}

export type LifWitness = RawWitness<LifInputs>;

const C = LifColumn;
const NEURON_FIELDS = ['decay', 'threshold', 'reset', 'refractorySteps', 'initialPotential'] as const;
const STEPS_MAX = 2 ** 20 - 1;
const CONSTANTS = [C.decay, C.threshold, C.reset, C.refractorySteps];
/** Between threshold − 2^17 and threshold + 2^17. */
const FINAL_POTENTIAL_BOUND = POTENTIAL_BOUND + 2 ** MARGIN_BITS;

/**
 * A leaky integrate-and-fire neuron in fixed point, one step a row (docs/stark-format.md, section 11): decay with floor
 * division, input, threshold, reset and refractory time. Range checks by bit columns force every spike.
 */
export const lifStepAir = createLifStepAir(goldilocks);
/** The same over M31: the arithmetic stays below 2^31. */
export const lifStepM31Air = createLifStepAir(m31);

function createLifStepAir(field: BaseField): RawAir<LifPublicInputs, LifWitness> {
  return defineRawAir<LifPublicInputs, LifInputs>({
    id: 'raw/lif-step/v1',
    field: field.name,
    columnNames: LIF_COLUMN_NAMES,
    inputColumns: [C.current],
    constraintDegree: 2,
    transitionNames: transitionNames(),
    evaluateTransition: evaluateStep,

    boundary: ({ finalPotential, spikeCount, ...neuron }) => ({
      first: [
        [C.potential, elementOf(neuron.initialPotential, field)],
        [C.refractory, 0n],
        [C.spikeCount, 0n],
        [C.decay, BigInt(neuron.decay)],
        [C.threshold, elementOf(neuron.threshold, field)],
        [C.reset, elementOf(neuron.reset, field)],
        [C.refractorySteps, BigInt(neuron.refractorySteps)],
      ],
      last: [
        [C.potential, elementOf(finalPotential, field)],
        [C.spikeCount, BigInt(spikeCount)],
      ],
    }),

    publicInputElements: ({ rows, finalPotential, spikeCount, ...neuron }) =>
      [rows, ...NEURON_FIELDS.map(name => neuron[name]), finalPotential, spikeCount].map(value =>
        elementOf(value, field),
      ),

    publicInputsOf: (columns, rows) => publicInputsOf(columns, rows, field),
    publicInputsFromJson,
    publicInputsToJson: publicInputs => ({ ...publicInputs }),

    inputsFromJson(json): LifInputs {
      const record = witnessRecord(json, [...NEURON_FIELDS, 'currents'], [], 'inputs');
      const neuron = Object.fromEntries(
        NEURON_FIELDS.map(name => [name, witnessInteger(record[name], `inputs.${name}`, ...rangeOf(name))]),
      ) as unknown as LifNeuron;
      if (!Array.isArray(record.currents)) {
        throw new WitnessError('malformed-witness', 'inputs.currents', 'must be an array of integers', {
          max: 'array',
        });
      }
      const inputs = { ...neuron, currents: record.currents as readonly number[] };
      assertInputs(inputs);
      return inputs;
    },

    rowsOf: ({ currents }) => witnessInteger(currents.length, 'inputs.currents.length', 1, STEPS_MAX) + 1,

    begin(inputs, columns) {
      assertInputs(inputs);
      inputs.currents.forEach((current, row) => (columns[C.current][row] = elementOf(current, field)));
      columns[C.potential][0] = elementOf(inputs.initialPotential, field);
      columns[C.decay][0] = BigInt(inputs.decay);
      columns[C.threshold][0] = elementOf(inputs.threshold, field);
      columns[C.reset][0] = elementOf(inputs.reset, field);
      columns[C.refractorySteps][0] = BigInt(inputs.refractorySteps);
    },

    fill: (_over, columns) => fillLifTrace(columns, field),

    // The steps are integer arithmetic; no field operation is needed to run them.
    executionOperations: (): OperationCount => ({ additions: 0, multiplications: 0 }),
  });
}

/** @throws WitnessError */
function assertInputs(inputs: LifInputs): void {
  for (const name of NEURON_FIELDS) witnessInteger(inputs[name], `inputs.${name}`, ...rangeOf(name));
  assertThresholdAboveReset(inputs);
  witnessInteger(inputs.currents.length, 'inputs.currents.length', 1, STEPS_MAX);
  inputs.currents.forEach((current, row) => {
    witnessInteger(current, `inputs.currents.${row}`, -POTENTIAL_BOUND, POTENTIAL_BOUND - 1);
  });
}

function transitionNames(): string[] {
  const bits = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${name} bit ${i} is a bit`);
  return [
    ...bits('remainder', DECAY_BITS),
    ...bits('margin', MARGIN_BITS),
    ...bits('current', CURRENT_BITS),
    'current lies in range',
    'decay rounds down',
    'above is a bit',
    'candidate is above the threshold or below it as said',
    'ready unless refractory',
    'not ready while refractory',
    'spike if ready and above',
    'potential steps',
    'refractory time steps',
    'spikes are counted',
    'decay is constant',
    'threshold is constant',
    'reset is constant',
    'refractory steps are constant',
  ];
}

function evaluateStep<E>(f: Field<E>, { current: now, next }: TransitionFrame<E>): E[] {
  const bitsAt = (first: number, count: number) => now.slice(first, first + count);
  const isBit = (bit: E) => f.mul(bit, f.sub(bit, f.one));
  const remainder = bitsAt(C.remainderBits, DECAY_BITS);
  const margin = bitsAt(C.marginBits, MARGIN_BITS);
  const currentBits = bitsAt(C.currentBits, CURRENT_BITS);

  const shiftedCurrent = f.add(now[C.current], f.fromBase(BigInt(POTENTIAL_BOUND)));
  const decayed = f.sub(now[C.candidate], now[C.current]);
  const product = f.mul(now[C.decay], now[C.potential]);
  const quotient = f.scale(decayed, 1n << BigInt(DECAY_BITS));
  const excess = f.sub(now[C.candidate], now[C.threshold]);
  // above·excess + (1 − above)·(−1 − excess)
  const shortfall = f.sub(f.sub(f.zero, f.one), excess);
  const distance = f.add(shortfall, f.mul(now[C.above], f.sub(excess, shortfall)));
  const held = f.sub(f.one, now[C.ready]);
  const stepped = f.add(
    f.mul(now[C.reset], f.add(held, now[C.spike])),
    f.mul(f.sub(now[C.ready], now[C.spike]), now[C.candidate]),
  );
  const waited = f.add(
    f.mul(now[C.spike], now[C.refractorySteps]),
    f.mul(held, f.sub(now[C.refractory], f.one)),
  );
  return [
    ...[...remainder, ...margin, ...currentBits].map(isBit),
    f.sub(shiftedCurrent, fromBits(f, currentBits)),
    f.sub(f.sub(product, quotient), fromBits(f, remainder)),
    isBit(now[C.above]),
    f.sub(distance, fromBits(f, margin)),
    f.sub(f.add(now[C.ready], f.mul(now[C.refractory], now[C.refractoryInverse])), f.one),
    f.mul(now[C.ready], now[C.refractory]),
    f.sub(now[C.spike], f.mul(now[C.ready], now[C.above])),
    f.sub(next[C.potential], stepped),
    f.sub(next[C.refractory], waited),
    f.sub(f.sub(next[C.spikeCount], now[C.spikeCount]), now[C.spike]),
    ...CONSTANTS.map(column => f.sub(next[column], now[column])),
  ];
}

// Lowest bit first, by Horner's rule with doublings.
function fromBits<E>(field: Field<E>, bits: readonly E[]): E {
  return bits.reduceRight((value, bit) => field.add(field.add(value, value), bit));
}

function publicInputsOf(
  columns: readonly ArrayLike<bigint>[],
  rows: number,
  field: BaseField,
): LifPublicInputs {
  const at = (column: number, row: number) => signedOf(columns[column][row], field);
  const neuron: LifNeuron = {
    decay: at(C.decay, 0),
    threshold: at(C.threshold, 0),
    reset: at(C.reset, 0),
    refractorySteps: at(C.refractorySteps, 0),
    initialPotential: at(C.potential, 0),
  };
  for (const name of NEURON_FIELDS) witnessInteger(neuron[name], name, ...rangeOf(name));
  assertThresholdAboveReset(neuron);
  return {
    rows,
    ...neuron,
    finalPotential: at(C.potential, rows - 1),
    spikeCount: at(C.spikeCount, rows - 1),
  };
}

function publicInputsFromJson(json: unknown): LifPublicInputs {
  const record = recordFromJson(json, ['rows', ...NEURON_FIELDS, 'finalPotential', 'spikeCount']);
  const neuron = Object.fromEntries(
    NEURON_FIELDS.map(name => [name, integerFromJson(record[name], name, ...rangeOf(name))]),
  ) as unknown as LifNeuron;
  if (neuron.threshold <= neuron.reset) throw new PublicInputError('threshold', 'must lie above reset');
  const bound = FINAL_POTENTIAL_BOUND;
  return {
    rows: rowsFromJson(record.rows),
    ...neuron,
    finalPotential: integerFromJson(record.finalPotential, 'finalPotential', -bound, bound),
    spikeCount: integerFromJson(record.spikeCount, 'spikeCount', 0, STEPS_MAX),
  };
}

function rangeOf(name: (typeof NEURON_FIELDS)[number]): [min: number, max: number] {
  if (name === 'decay') return [0, 2 ** DECAY_BITS - 1];
  if (name === 'refractorySteps') return [0, REFRACTORY_STEPS_MAX];
  return [-POTENTIAL_BOUND, POTENTIAL_BOUND - 1];
}

function assertThresholdAboveReset({ threshold, reset }: LifNeuron): void {
  if (threshold <= reset) {
    throw new WitnessError('input-out-of-range', 'inputs.threshold', 'must lie above reset', {
      max: reset,
      got: threshold,
    });
  }
}

function elementOf(value: number, field: BaseField): bigint {
  return value < 0 ? field.modulus + BigInt(value) : BigInt(value);
}

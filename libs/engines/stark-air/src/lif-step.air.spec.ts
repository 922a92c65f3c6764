import { type BaseField, goldilocks, m31 } from '@svc/kernels';
import fc from 'fast-check';
import { boundaryHolds, brokenTransitions, bump, runSample, sampleOf } from './testing/air-samples.js';
import { checkTrace } from './check-trace.js';
import { type LifInputs, lifStepAir, lifStepM31Air } from './lif-step.air.js';
import { CURRENT_BITS, DECAY_BITS, LifColumn as C, MARGIN_BITS } from './lif-step-trace.js';
import { WitnessError } from './witness-error.js';

const AIRS: readonly [name: string, air: typeof lifStepAir, field: BaseField][] = [
  ['Goldilocks', lifStepAir, goldilocks],
  ['M31', lifStepM31Air, m31],
];
const NEURON = { decay: 4_075, threshold: 900, reset: -2_000, refractorySteps: 2, initialPotential: 0 };
const element = (value: bigint, field: BaseField) =>
  ((value % field.modulus) + field.modulus) % field.modulus;

/** The neuron by the definition, on BigInt: nothing of the trace's code. */
function simulate({ decay, threshold, reset, refractorySteps, initialPotential, currents }: LifInputs) {
  let [potential, refractory, spikes] = [BigInt(initialPotential), 0, 0];
  for (const current of currents) {
    const scaled = BigInt(decay) * potential;
    // An arithmetic shift rounds down.
    const candidate = (scaled >> 12n) + BigInt(current);
    if (refractory > 0) {
      refractory--;
      potential = BigInt(reset);
    } else if (candidate >= BigInt(threshold)) {
      spikes++;
      refractory = refractorySteps;
      potential = BigInt(reset);
    } else potential = candidate;
  }
  return { finalPotential: Number(potential), spikeCount: spikes };
}

const int16 = fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 });
const inputs: fc.Arbitrary<LifInputs> = fc
  .record({
    decay: fc.integer({ min: 0, max: 4_095 }),
    threshold: int16,
    reset: int16,
    refractorySteps: fc.integer({ min: 0, max: 4 }),
    initialPotential: int16,
    currents: fc.array(int16, { minLength: 1, maxLength: 30 }),
  })
  .filter(({ threshold, reset }) => threshold > reset);

describe.each(AIRS)('over %s', (_, air, field) => {
  it('steps as the definition on integers does, and satisfies every constraint', () => {
    fc.assert(
      fc.property(inputs, witness => {
        let execution: ReturnType<typeof air.execute>;
        try {
          execution = air.execute(field, witness, 40);
        } catch (error) {
          // Inhibition may take the potential below what 17 bits of margin hold.
          expect(error).toMatchObject({ code: 'input-out-of-range' });
          return;
        }
        const { columns, publicInputs } = execution;
        expect(publicInputs).toMatchObject(simulate(witness));
        expect(publicInputs.rows).toBe(witness.currents.length + 1);
        expect(checkTrace(air, columns, publicInputs, 40)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it('leaves one value of every flag, whatever the potential: neither is a spike hidden nor one invented', () => {
    // One row in which every combination of above, ready and spike is tried with the margin that suits it best.
    const { columns } = air.execute(field, { ...NEURON, currents: [500, 500, 1_200, 40, 40, 40] }, 8);
    for (let row = 0; row < 7; row++) {
      const honest = [C.above, C.ready, C.spike].map(column => columns[column][row]);
      const accepted: bigint[][] = [];
      for (let combination = 0; combination < 8; combination++) {
        const flags = [0, 1, 2].map(bit => BigInt((combination >> bit) & 1));
        const trace = columns.map(column => column.slice());
        [C.above, C.ready, C.spike].forEach((column, i) => (trace[column][row] = flags[i]));
        const excess = trace[C.candidate][row] - trace[C.threshold][row];
        const margin = element(flags[0] === 1n ? excess : -1n - excess, field);
        for (let bit = 0; bit < MARGIN_BITS; bit++)
          trace[C.marginBits + bit][row] = (margin >> BigInt(bit)) & 1n;
        const refractory = trace[C.refractory][row];
        trace[C.refractoryInverse][row] =
          refractory === 0n || flags[1] === 1n ? 0n : field.inverse(refractory);
        const names = brokenTransitions(air as never, trace, row, row + 1);
        // The next row is the honest one; what it must be is not in question here.
        if (names.every(name => /^(potential|refractory time) steps$|^spikes are counted$/.test(name))) {
          accepted.push(flags);
        }
      }
      expect(accepted).toEqual([honest]);
    }
  });

  it.each([
    ...Array.from({ length: DECAY_BITS }, (__, i) => ['remainder', C.remainderBits, DECAY_BITS, i] as const),
    ...Array.from({ length: MARGIN_BITS }, (__, i) => ['margin', C.marginBits, MARGIN_BITS, i] as const),
    ...Array.from({ length: CURRENT_BITS }, (__, i) => ['current', C.currentBits, CURRENT_BITS, i] as const),
  ])(
    'refuses a sum of bits that is right by a %s bit that is none: %i+%i, bit %i',
    (name, first, count, bit) => {
      const { columns } = air.execute(field, { ...NEURON, currents: [77, 33] }, 8);
      // Another bit is flipped, and this one takes the difference.
      const other = (bit + 1) % count;
      const flip = columns[first + other][1] === 0n ? 1n : -1n;
      const place = (power: number) => field.mul(1n, 1n << BigInt(power));
      const compensation = field.mul(
        element(-flip, field),
        field.mul(place(other), field.inverse(place(bit))),
      );
      bump(air as never, columns, first + other, 1, element(flip, field));
      bump(air as never, columns, first + bit, 1, compensation);
      expect(brokenTransitions(air as never, columns)).toEqual([`${name} bit ${bit} is a bit`]);
    },
  );
});

/** A trace whose row 6 is altered, with a row 7 that follows from it. */
function altered(change: (row: (column: number, value?: bigint) => bigint) => void) {
  const { columns } = lifStepAir.execute(
    goldilocks,
    { ...NEURON, currents: [100, 900, 20, 20, 20, 20, 20] },
    8,
  );
  const cell = (column: number, value?: bigint): bigint => {
    if (value !== undefined) columns[column][6] = value;
    return columns[column][6];
  };
  change(cell);
  const f = goldilocks;
  const held = f.sub(1n, cell(C.ready));
  const weight = f.sub(cell(C.ready), cell(C.spike));
  columns[C.potential][7] = f.add(
    f.mul(cell(C.reset), f.add(held, cell(C.spike))),
    f.mul(weight, cell(C.candidate)),
  );
  columns[C.refractory][7] = f.add(
    f.mul(cell(C.spike), cell(C.refractorySteps)),
    f.mul(held, f.sub(cell(C.refractory), 1n)),
  );
  columns[C.spikeCount][7] = f.add(cell(C.spikeCount), cell(C.spike));
  return brokenTransitions(lifStepAir as never, columns);
}

it('has no redundant constraint: for each that is no bit, a trace breaks it alone', () => {
  const flipped = (bit: bigint) => 1n - bit;
  const cases: [name: string, broken: string[]][] = [
    ['current lies in range', altered(cell => cell(C.currentBits, flipped(cell(C.currentBits))))],
    ['decay rounds down', altered(cell => cell(C.remainderBits, flipped(cell(C.remainderBits))))],
    [
      'candidate is above the threshold or below it as said',
      altered(cell => cell(C.marginBits, flipped(cell(C.marginBits)))),
    ],
    ['spike if ready and above', altered(cell => cell(C.spike, flipped(cell(C.spike))))],
    ...(
      [
        ['potential steps', C.potential],
        ['refractory time steps', C.refractory],
        ['spikes are counted', C.spikeCount],
        ['decay is constant', C.decay],
        ['threshold is constant', C.threshold],
        ['reset is constant', C.reset],
        ['refractory steps are constant', C.refractorySteps],
      ] as const
    ).map(([name, column]): [string, string[]] => {
      const { air, columns, rowCount } = runSample(sampleOf('raw/lif-step/v1', 'goldilocks'));
      bump(air, columns, column, rowCount - 1);
      return [name, brokenTransitions(air, columns)];
    }),
  ];
  for (const [name, broken] of cases) expect(broken).toEqual([name]);
});

it('holds a refractory neuron: neither a false inverse nor a false flag lets it fire', () => {
  // Row 2 follows the spike of row 1, with two steps to wait.
  const { columns } = lifStepAir.execute(goldilocks, { ...NEURON, currents: [100, 900, 3_000, 20] }, 8);
  expect(columns[C.spike].slice(0, 4)).toEqual(BigUint64Array.of(0n, 1n, 0n, 0n));
  bump(lifStepAir as never, columns, C.refractoryInverse, 2);
  expect(brokenTransitions(lifStepAir as never, columns)).toEqual(['ready unless refractory']);
  columns[C.refractoryInverse][2] = 0n;
  columns[C.ready][2] = 1n;
  const broken = brokenTransitions(lifStepAir as never, columns, 2, 3);
  expect(broken).toContain('not ready while refractory');
  expect(broken).not.toContain('ready unless refractory');
});

it('begins ready, with no spike counted: a trace that begins otherwise breaks the boundary', () => {
  const { columns, publicInputs } = lifStepAir.execute(
    goldilocks,
    { ...NEURON, currents: [100, 900, 30, 20] },
    8,
  );
  for (const column of [C.refractory, C.spikeCount]) {
    const trace = columns.map(values => values.slice());
    bump(lifStepAir as never, trace, column, 0);
    expect(boundaryHolds(lifStepAir as never, trace, publicInputs)).toBe(false);
  }
});

it('keeps the flag of the comparison a bit', () => {
  // While refractory, no spike depends on it: a fraction would suit any margin.
  const { columns } = lifStepAir.execute(goldilocks, { ...NEURON, currents: [100, 900, 30, 20] }, 8);
  const excess = goldilocks.sub(columns[C.candidate][2], columns[C.threshold][2]);
  const doubled = goldilocks.add(goldilocks.add(excess, excess), 1n);
  for (let bit = 0; bit < MARGIN_BITS; bit++) columns[C.marginBits + bit][2] = 0n;
  columns[C.above][2] = goldilocks.mul(goldilocks.add(excess, 1n), goldilocks.inverse(doubled));
  expect(brokenTransitions(lifStepAir as never, columns)).toEqual(['above is a bit']);
});

it.each([
  [{ decay: 4_096 }, 'inputs.decay', 4_095],
  [{ decay: -1 }, 'inputs.decay', 0],
  [{ threshold: 32_768 }, 'inputs.threshold', 32_767],
  [{ reset: -32_769 }, 'inputs.reset', -32_768],
  [{ refractorySteps: 65_536 }, 'inputs.refractorySteps', 65_535],
  [{ threshold: -2_000 }, 'inputs.threshold', -2_000],
  [{ currents: [] }, 'inputs.currents.length', 1],
  [{ currents: [1, 32_768] }, 'inputs.currents.1', 32_767],
  [
    { decay: 4_095, threshold: 32_767, currents: Array<number>(6).fill(-32_768) },
    'inputs.currents.3',
    -98_305,
  ],
])('refuses the neuron %j, naming field and bound', (change, path, max) => {
  const run = () => lifStepAir.execute(goldilocks, { ...NEURON, currents: [1], ...change }, 64);
  expect(run).toThrow(WitnessError);
  expect(run).toThrow(
    expect.objectContaining({ field: path, bound: expect.objectContaining({ max }) as object }),
  );
});

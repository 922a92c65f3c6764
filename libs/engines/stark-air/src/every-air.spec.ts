import { CountingField, type Field } from '@svc/kernels';
import fc from 'fast-check';
import {
  AIR_SAMPLES,
  type AirSample,
  boundaryHolds,
  brokenTransitions,
  bump,
  runSample,
} from './testing/air-samples.js';
import { airDigest } from './air-digest.js';
import type { Air, TransitionFrame } from './air.js';
import { checkTrace, fieldOf } from './check-trace.js';
import { LifColumn } from './lif-step-trace.js';
import { PublicInputError } from './public-input.js';
import { airIds, findAir } from './registry.js';
import type { SpongeAir } from './sponge-trace.js';
import { WitnessError } from './witness-error.js';

const samples: [name: string, sample: AirSample][] = AIR_SAMPLES.map(sample => [
  `${sample.id} over ${sample.field}`,
  sample,
]);

// Cells that no constraint looks at: the inverse of zero, bits of limbs in rows without a weight (any bit will do), bounds in
// rows without a comparison, and the first bit of a sum that nobody compares.
function isFree(air: Air, columns: readonly BigUint64Array[], column: number, row: number): boolean {
  const { id } = air;
  if (id === 'raw/lif-step/v1') {
    return column === LifColumn.refractoryInverse && columns[LifColumn.refractory][row] === 0n;
  }
  const limbs = (air as Partial<SpongeAir>).spongeTrace?.limbs;
  if (limbs && column >= limbs.bitColumn(0, 0)) {
    return limbs.weights[row % 32] === 0n && columns[column][row] <= 1n;
  }
  if (id !== 'spatial-box/v1') return false;
  const [isBound, isBit] = [column === 25 || column === 26, column === 27 || column === 28];
  return (isBound && row % 32 !== 31) || (isBit && row === 0);
}

describe.each(samples)('%s', (_, sample) => {
  it('has a trace that satisfies every constraint, also where masking cuts it', () => {
    for (const rowCount of [
      sample.rowCount,
      ...(sample.id === 'hash-chain/v1' ? [] : [sample.rowCount + 1]),
    ]) {
      const { air, columns, publicInputs } = runSample({ ...sample, rowCount });
      expect(columns).toHaveLength(air.columnCount);
      expect(columns.every(column => column.length === rowCount)).toBe(true);
      expect(checkTrace(air, columns, publicInputs, rowCount)).toBeUndefined();
    }
  });

  it('needs the rows that it says, and refuses to run in fewer', () => {
    const { air } = runSample(sample);
    const witness = air.witnessFromJson?.(sample.witness);
    const needed = air.rowsNeeded(witness);
    expect(needed).toBeLessThanOrEqual(sample.rowCount);
    const { columns, publicInputs } = air.execute(fieldOf(air), witness, needed);
    expect(checkTrace(air, columns, publicInputs, needed)).toBeUndefined();
    expect(() => air.execute(fieldOf(air), witness, needed - 1)).toThrow(WitnessError);
    expect(() => air.boundaryConstraints(publicInputs, needed - 1)).toThrow(PublicInputError);
  });

  it('reads its public inputs back from JSON, and absorbs them as canonical elements', () => {
    const { air, publicInputs } = runSample(sample);
    const json: unknown = JSON.parse(JSON.stringify(air.publicInputsToJson(publicInputs)));
    expect(air.publicInputsFromJson(json)).toEqual(publicInputs);
    const { modulus } = fieldOf(air);
    const elements = air.publicInputElements(publicInputs);
    expect(elements.every(element => element >= 0n && element < modulus)).toBe(true);
  });

  it('costs what it says, counted', () => {
    const air = findAir(sample.id, sample.field) as Air;
    const counting = new CountingField(fieldOf(air));
    const witness = air.witnessFromJson?.(sample.witness);
    const { publicInputs } = air.execute(counting, witness, sample.rowCount);
    const { additions, multiplications } = counting;
    expect(air.executionOperations(sample.rowCount, publicInputs)).toEqual({ additions, multiplications });
  });

  it('has constraints of exactly the degree that it says', () => {
    const air = findAir(sample.id, sample.field) as Air;
    expect(degreeOf(air)).toBe(air.constraintDegree);
  });

  it('binds every cell but those that no constraint looks at', () => {
    const { air, columns, publicInputs, rowCount } = runSample(sample);
    const free: string[] = [];
    for (let column = 0; column < air.columnCount; column++) {
      for (const row of [0, 1, 6, 30, 31, 32, 37, rowCount - 2]) {
        const value = columns[column][row];
        bump(air, columns, column, row);
        const isBroken =
          brokenTransitions(air, columns, Math.max(0, row - 1), row + 1).length > 0 ||
          !boundaryHolds(air, columns, publicInputs);
        if (isBroken === isFree(air, columns, column, row)) free.push(`${column}@${row}`);
        columns[column][row] = value;
      }
    }
    expect(free).toEqual([]);
  });

  it('breaks, and tells the transcript, under a change of any public input', () => {
    const { air, columns, publicInputs } = runSample(sample);
    const json = air.publicInputsToJson(publicInputs);
    const elements = air.publicInputElements(publicInputs).join();
    for (const altered of alterations(json)) {
      let inputs: unknown;
      try {
        inputs = air.publicInputsFromJson(altered);
      } catch (error) {
        expect(error).toBeInstanceOf(PublicInputError);
        continue;
      }
      expect([altered, boundaryHolds(air, columns, inputs)]).toEqual([altered, false]);
      expect(air.publicInputElements(inputs).join()).not.toBe(elements);
    }
  });

  it('changes its digest when any constraint is dropped', () => {
    const air = findAir(sample.id, sample.field) as Air;
    // A digest asks for the constraints once, at the variables themselves: they are the same for all of these.
    let whole: unknown[] | undefined;
    const dropped = air.transitionNames.map((__, index) => ({
      ...air,
      evaluateTransition<E>(field: Field<E>, frame: TransitionFrame<E>): E[] {
        whole ??= air.evaluateTransition(field, frame);
        return (whole as E[]).map((value, i) => (i === index ? field.zero : value));
      },
    }));
    const digests = [air, ...dropped].map(variant => Buffer.from(airDigest(variant)).toString('hex'));
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('throws nothing but PublicInputError and WitnessError, whatever the JSON', () => {
    const air = findAir(sample.id, sample.field) as Air;
    const valid = air.publicInputsToJson(runSample(sample).publicInputs);
    const either = (json: object) =>
      fc.oneof(fc.jsonValue(), fc.tuple(fc.constantFrom(...Object.keys(json)), fc.jsonValue()));
    const alter = (json: object, change: unknown) =>
      Array.isArray(change) && typeof change[0] === 'string'
        ? { ...json, [change[0]]: change[1] as unknown }
        : change;
    fc.assert(
      fc.property(either(valid), either(sample.witness as object), (inputsChange, witnessChange) => {
        const inputs = thrownBy(() => air.publicInputsFromJson(alter(valid, inputsChange)));
        const witness = thrownBy(() => air.witnessFromJson?.(alter(sample.witness as object, witnessChange)));
        expect(inputs === undefined || inputs instanceof PublicInputError).toBe(true);
        expect(witness === undefined || witness instanceof WitnessError).toBe(true);
      }),
    );
  });
});

it('has a sample of every AIR that can be asked for, over every field', () => {
  const askable = airIds().flatMap(id =>
    (['goldilocks', 'm31'] as const)
      .filter(field => findAir(id, field)?.witnessFromJson)
      .map(field => `${id} ${field}`),
  );
  expect(AIR_SAMPLES.map(({ id, field }) => `${id} ${field}`).sort()).toEqual(askable.sort());
});

// Along a random line t ↦ a + t·b a constraint of degree d is a polynomial in t: its (d+1)-th differences vanish, its d-th do not.
function degreeOf(air: Air): number {
  const field = fieldOf(air);
  const width = 2 * air.columnCount + air.periodicColumns.length;
  const word = (seed: number) => (BigInt(seed) * 0x9e37_79b9_7f4a_7c15n + 0x2545_f491n) % field.modulus;
  const at = (t: bigint) => {
    const point = Array.from(
      { length: width },
      (_, i) => (word(i + 1) + t * word(width + i + 1)) % field.modulus,
    );
    return air.evaluateTransition(field, {
      current: point.slice(0, air.columnCount),
      next: point.slice(air.columnCount, 2 * air.columnCount),
      periodic: point.slice(2 * air.columnCount),
    });
  };
  let differences = [0n, 1n, 2n, 3n, 4n, 5n].map(at);
  let degree = -1;
  while (differences.length > 1 && differences.some(values => values.some(value => value !== 0n))) {
    differences = differences
      .slice(1)
      .map((values, k) => values.map((value, i) => field.sub(value, differences[k][i])));
    degree++;
  }
  return degree;
}

/** Copies of a JSON value with one leaf changed each. */
function* alterations(json: unknown): Generator<unknown> {
  if (typeof json === 'number') yield json + 1;
  else if (typeof json === 'string') {
    const last = json.slice(-1);
    yield json.slice(0, -1) + (last === '1' ? '2' : '1');
  } else if (Array.isArray(json)) {
    for (const [i, value] of json.entries()) {
      for (const altered of alterations(value)) yield json.with(i, altered);
    }
    if (json.length > 0) yield json.slice(1);
  } else {
    for (const [key, value] of Object.entries(json as object)) {
      for (const altered of alterations(value)) yield { ...(json as object), [key]: altered };
    }
  }
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

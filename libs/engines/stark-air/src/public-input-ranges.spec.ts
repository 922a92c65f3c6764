import type { BaseFieldName } from '@svc/kernels';
import { AIR_SAMPLES, runSample, sampleOf } from './testing/air-samples.js';
import { PublicInputError } from './public-input.js';

// What the verifier checks of public inputs by itself: constraints and boundary rely on these ranges.

type Json = Record<string, unknown>;
interface Range {
  readonly id: string;
  readonly member: string;
  readonly least: number;
  readonly most: number;
}

const POTENTIAL = 2 ** 15;
const FINAL_POTENTIAL = 2 ** 15 + 2 ** 17;

const RANGES: readonly Range[] = [
  ...['raw/fibonacci/v1', 'raw/counter/v1', 'raw/cubic8/v1', 'raw/lif-step/v1'].map(id => ({
    id,
    member: 'rows',
    least: 2,
    most: 2 ** 20,
  })),
  { id: 'raw/lif-step/v1', member: 'decay', least: 0, most: 4_095 },
  { id: 'raw/lif-step/v1', member: 'refractorySteps', least: 0, most: 65_535 },
  { id: 'raw/lif-step/v1', member: 'initialPotential', least: -POTENTIAL, most: POTENTIAL - 1 },
  { id: 'raw/lif-step/v1', member: 'finalPotential', least: -FINAL_POTENTIAL, most: FINAL_POTENTIAL },
  { id: 'raw/lif-step/v1', member: 'spikeCount', least: 0, most: 2 ** 20 - 1 },
  { id: 'hash-chain/v1', member: 'length', least: 1, most: 65_536 },
];

function publicJsonOf(
  id: string,
  field: BaseFieldName,
): { json: Json; fault(change: Json): string | undefined } {
  const { air, publicInputs } = runSample(sampleOf(id, field));
  const json = air.publicInputsToJson(publicInputs) as Json;
  const fault = (change: Json) => {
    try {
      air.publicInputsFromJson({ ...json, ...change });
    } catch (error) {
      if (error instanceof PublicInputError) return error.path;
      throw error;
    }
    return undefined;
  };
  return { json, fault };
}

const fieldsOf = (id: string) => AIR_SAMPLES.filter(sample => sample.id === id).map(({ field }) => field);
const cases = RANGES.flatMap(range =>
  fieldsOf(range.id).map(field => [range.id, field, range.member, range] as const),
);

it.each(cases)('%s over %s takes %s within its range alone', (id, field, member, { least, most }) => {
  const { fault } = publicJsonOf(id, field);
  for (const value of [least, most]) expect([value, fault({ [member]: value })]).toEqual([value, undefined]);
  for (const value of [least - 1, most + 1, least + 0.5, NaN, `${least}`, null]) {
    expect([value, fault({ [member]: value })]).toEqual([value, member]);
  }
});

const lifFields = fieldsOf('raw/lif-step/v1');

it.each(lifFields)(
  'raw/lif-step/v1 over %s takes a threshold above reset alone, both within their range',
  field => {
    const { fault } = publicJsonOf('raw/lif-step/v1', field);
    expect(fault({ threshold: POTENTIAL - 1, reset: POTENTIAL - 2 })).toBeUndefined();
    expect(fault({ threshold: 1 - POTENTIAL, reset: -POTENTIAL })).toBeUndefined();
    for (const reset of [100, 101]) expect(fault({ threshold: 100, reset })).toBe('threshold');
    expect(fault({ threshold: POTENTIAL, reset: 0 })).toBe('threshold');
    expect(fault({ threshold: 0, reset: -POTENTIAL - 1 })).toBe('reset');
  },
);

describe('spatial-box/v1', () => {
  const { json, fault } = publicJsonOf('spatial-box/v1', 'goldilocks');
  const [first, ...others] = json['axes'] as Json[];
  const withAxis = (change: Json) => fault({ axes: [{ ...first, ...change }, ...others] });

  it.each([
    [{ min: 0, max: 0 }, undefined],
    [{ min: 0, max: 2 ** 32 - 1 }, undefined],
    [{ min: 0, max: 2 ** 32 }, 'axes.0'],
    [{ min: 1, max: 0 }, 'axes.0'],
    [{ min: -(2 ** 40), max: -(2 ** 40) }, undefined],
    [{ min: -(2 ** 40) - 1, max: -(2 ** 40) }, 'axes.0.min'],
    [{ min: 2 ** 40, max: 2 ** 40 + 1 }, 'axes.0.max'],
    [{ min: 0.5 }, 'axes.0.min'],
    [{ name: 'depth' }, 'axes.0.name'],
    [{ unit: 'metre' }, 'axes.0.unit'],
  ])('reads an axis with %j: a fault at %s', (change, path) => {
    expect(withAxis(change)).toBe(path);
  });

  it('takes no statement without axes, nor one of more than a place has', () => {
    expect(fault({ axes: [] })).toBe('axes');
    expect(fault({ axes: 'latitude' })).toBe('axes');
    const grid = (count: number) => ({
      frame: 'metric',
      axes: Array.from({ length: count }, () => ({ name: 'grid', unit: 'centimetre', min: 0, max: 1 })),
    });
    expect(fault(grid(65))).toBeUndefined();
    expect(fault(grid(66))).toBe('axes');
  });
});

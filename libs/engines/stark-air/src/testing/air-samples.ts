export { FIBONACCI, KNOWN, RATIO, UP_AND_SQUARE } from './own-definitions.js';
import type { BaseFieldName } from '@svc/kernels';
import type { Air } from '../air.js';
import { fieldOf } from '../check-trace.js';
import { preimageDigest } from '../preimage.air.js';
import { findAir } from '../registry.js';

export { cheatingHash, hashOfElements, LIMB_CHEATS, type LimbCheat } from './sponge-cheats.js';

/** A small statement of an AIR, by a witness as its witnessFromJson reads it. */
export interface AirSample {
  readonly id: string;
  readonly field: BaseFieldName;
  readonly witness: unknown;
  /** Rows to run it in: no multiple of a period where masking may cut the trace anywhere. */
  readonly rowCount: number;
}

const NEURON = {
  decay: 4075,
  threshold: 2_000,
  reset: -3_000,
  refractorySteps: 3,
  initialPotential: -500,
  currents: [900, 1_700, -400, 2_500, 30_000, -32_768, 7, 0, 12_345, 5_000],
};
const SALT = `0x${'a5'.repeat(24)}`;
const fields: readonly BaseFieldName[] = ['goldilocks', 'm31'];

/** One statement of each AIR that can be asked for, over each field that it has. */
export const AIR_SAMPLES: readonly AirSample[] = [
  ...fields.flatMap((field): AirSample[] => [
    { id: 'hash-chain/v1', field, rowCount: 128, witness: { traceData: 'thirty bytes are two blocks…' } },
    ...['binding/v1', 'binding/v2'].map(id => ({
      id,
      field,
      rowCount: 141,
      witness: {
        contextDomain: 'parcels',
        publicInputs: ['1', '0xff'],
        privateWitness: ['9'.repeat(40)],
        salt: SALT,
      },
    })),
    ...['preimage/v1', 'preimage/v2'].map(id => ({
      id,
      field,
      rowCount: 101,
      witness: {
        contextDomain: 'parcels',
        digest: preimageDigest(field, 'parcels', ['12', '34']),
        privateWitness: ['12', '0x22'],
      },
    })),
    { id: 'raw/fibonacci/v1', field, rowCount: 70, witness: { inputs: { first: 3, second: 5, rows: 40 } } },
    { id: 'raw/counter/v1', field, rowCount: 70, witness: { inputs: { start: 10, step: '0x7', rows: 40 } } },
    {
      id: 'raw/cubic8/v1',
      field,
      rowCount: 70,
      witness: { inputs: { input: [1, 2, 3, 4, 5, 6, 7, 8], rows: 40 } },
    },
    { id: 'raw/lif-step/v1', field, rowCount: 70, witness: { inputs: NEURON } },
  ]),
  {
    id: 'spatial-box/v1',
    field: 'goldilocks',
    rowCount: 150,
    witness: {
      coordinates: [48.137_154, -11.576_124],
      altitude: 3.25,
      parcelId: 'P-17',
      traceData: '0x00',
      salt: SALT,
    },
  },
];

/** The AIR of a sample, its trace (to be changed at will) and its public inputs. */
export function runSample({ id, field, witness, rowCount }: AirSample) {
  const air = findAir(id, field);
  if (!air?.witnessFromJson) throw new Error(`${id} over ${field} cannot be asked for`);
  const { columns, publicInputs } = air.execute(fieldOf(air), air.witnessFromJson(witness), rowCount);
  return { air, columns, publicInputs, rowCount };
}

export function sampleOf(id: string, field: BaseFieldName): AirSample {
  const sample = AIR_SAMPLES.find(candidate => candidate.id === id && candidate.field === field);
  if (!sample) throw new Error(`there is no sample of ${id} over ${field}`);
  return sample;
}

/** Names of every transition constraint that a trace breaks from row `first` to row `last`, in their order. */
export function brokenTransitions(
  air: Air,
  columns: readonly BigUint64Array[],
  first = 0,
  last = columns[0].length - 1,
): string[] {
  const broken = new Set<number>();
  for (let row = first; row < last; row++) {
    const values = air.evaluateTransition(fieldOf(air), {
      current: columns.map(column => column[row]),
      next: columns.map(column => column[row + 1]),
      periodic: air.periodicColumns.map(column => column[row % column.length]),
    });
    values.forEach((value, i) => value !== 0n && broken.add(i));
  }
  return [...broken].sort((a, b) => a - b).map(index => air.transitionNames[index]);
}

/** Whether every boundary constraint of these public inputs holds. */
export function boundaryHolds(air: Air, columns: readonly BigUint64Array[], publicInputs: unknown): boolean {
  return air
    .boundaryConstraints(publicInputs, columns[0].length)
    .every(({ column, row, value }) => columns[column][row] === value);
}

/** Adds to one cell of a trace. */
export function bump(
  air: Air,
  columns: readonly BigUint64Array[],
  column: number,
  row: number,
  by = 1n,
): void {
  columns[column][row] = fieldOf(air).add(columns[column][row], by);
}

import { goldilocks as f, poseidon2Goldilocks } from '@svc/kernels';
import fc from 'fast-check';
import { brokenTransitions, bump, runSample, sampleOf } from './testing/air-samples.js';
import type { Air } from './air.js';
import { checkTrace } from './check-trace.js';
import { spatialBoxAir } from './spatial-box.air.js';
import { BOX_WIDTH_MAX, parcelHash, type SpatialBoxWitness } from './spatial-box-input.js';
import { WitnessError } from './witness-error.js';

const air = spatialBoxAir as Air;
const [X, LOWER, UPPER, ABOVE_BIT, BELOW_BIT, ABOVE, BELOW] = [24, 25, 26, 27, 28, 29, 30];
const SALT = `0x${'07'.repeat(24)}`;
const ask = (json: Record<string, unknown>) =>
  spatialBoxAir.witnessFromJson?.({ salt: SALT, ...json }) as SpatialBoxWitness;
const element = (value: bigint) => ((value % f.modulus) + f.modulus) % f.modulus;

/** A trace of one grid axis, in rows for the salt's permutation, the axis' and one more. */
function gridTrace(place: number, min: number, max: number) {
  const axes = [{ name: 'grid', min, max }] as const;
  const witness = { axes, place: [place], parcelHash: parcelHash('', ''), salt: new Uint8Array(24) };
  return spatialBoxAir.execute(f, witness, 96);
}

/** Writes the 32 bits of a number beside axis 0: what a prover can do, whatever the number. */
function collect(columns: readonly BigUint64Array[], bit: number, sum: number, value: bigint): void {
  for (let j = 0; j < 32; j++) {
    columns[bit][32 + j] = (value >> BigInt(31 - j)) & 1n;
    columns[sum][32 + j] = value >> BigInt(31 - j);
  }
}

it('commits to box, parcel, salt and place as the definition does', () => {
  const { publicInputs } = gridTrace(-5, -10, 2 ** 32 - 11);
  const bytes = Buffer.alloc(2 + 17 + 32);
  bytes.writeUInt16LE(1, 0);
  bytes.writeUInt8(4, 2);
  bytes.writeBigInt64LE(-10n, 3);
  bytes.writeBigInt64LE(2n ** 32n - 11n, 11);
  bytes.set(parcelHash('', ''), 19);
  const limb = (i: number) => {
    const padded = Buffer.alloc(8);
    bytes.copy(padded, 0, 7 * i, Math.min(7 * i + 7, bytes.length));
    return padded.readBigUInt64LE(0);
  };
  let state = [0n, 0n, 0n, 0n, Buffer.from('box1/v1\0').readBigUInt64LE(0), 0n, 0n, 0n];
  const absorb = (block: readonly bigint[]) => {
    state = poseidon2Goldilocks.permute(state.map((lane, i) => f.add(lane, block[i] ?? 0n)));
  };
  absorb([0, 1, 2, 3].map(limb));
  absorb([4, 5, 6, 7].map(limb));
  absorb([0n, 0n, 0n, 0n]);
  absorb([element(-5n)]);
  expect(publicInputs.commitment).toEqual(state.slice(0, 4));
});

it('proves every place inside a box and none outside, at the edges too', () => {
  const bound = fc.integer({ min: -(2 ** 40), max: 2 ** 40 - BOX_WIDTH_MAX });
  const width = fc.oneof(
    fc.constantFrom(0, 1, BOX_WIDTH_MAX - 1, BOX_WIDTH_MAX),
    fc.integer({ min: 0, max: BOX_WIDTH_MAX }),
  );
  fc.assert(
    fc.property(bound, width, fc.integer({ min: -3, max: 3 }), fc.boolean(), (min, size, offset, fromTop) => {
      const max = min + size;
      const place = (fromTop ? max : min) + offset;
      if (place < min || place > max) {
        expect(() => gridTrace(place, min, max)).toThrow(
          expect.objectContaining({ code: 'coordinate-outside-box' }),
        );
        return;
      }
      const { columns, publicInputs } = gridTrace(place, min, max);
      expect(checkTrace(spatialBoxAir, columns, publicInputs, 96)).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

it('leaves a cheat no bits: for a place outside, the low bits of neither difference will do', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 35), max: 2 ** 35 }),
      fc.integer({ min: 0, max: BOX_WIDTH_MAX }),
      fc.bigInt({ min: 1n, max: 2n ** 63n }),
      fc.boolean(),
      (min, size, distance, isAbove) => {
        const max = min + size;
        const place = isAbove ? BigInt(max) + distance : BigInt(min) - distance;
        const { columns, publicInputs } = gridTrace(min, min, max);
        columns[X].fill(element(place), 32, 64);
        collect(columns, ABOVE_BIT, ABOVE, element(place - BigInt(min)) & 0xffff_ffffn);
        collect(columns, BELOW_BIT, BELOW, element(BigInt(max) - place) & 0xffff_ffffn);
        // The absorbed coordinate is made to fit: only the range check is in question.
        const [current, next] = [31, 32].map(row => columns.map(column => column[row]));
        columns[0][32] = f.add(columns[0][31], element(place));
        expect(next[0]).toBe(f.add(current[0], element(BigInt(min))));
        const names = brokenTransitions(air, columns, 63, 64);
        expect(names.some(name => name.startsWith('coordinate is at'))).toBe(true);
        expect(publicInputs.axes[0]).toMatchObject({ min, max });
      },
    ),
  );
});

it('compares the coordinate that it absorbs: a trace that swaps it on the way breaks the constancy alone', () => {
  // 500 is absorbed, and is outside; 5 is compared.
  const { columns } = gridTrace(5, 0, 10);
  const committed = gridTrace(500, 0, 1_000).columns;
  for (let c = 0; c < X; c++) columns[c].set(committed[c]);
  columns[X].fill(500n, 32, 48);
  // The box is part of what is hashed, but no transition constraint looks at that.
  expect(brokenTransitions(air, columns)).toEqual(['coordinate is constant within a permutation']);
});

it('compares with the box of the statement: a trace that brings bounds of its own breaks the boundary', () => {
  const { columns, publicInputs } = gridTrace(5, 0, 10);
  const cheats = [
    [LOWER, ABOVE_BIT, ABOVE, -1n, 6n],
    [UPPER, BELOW_BIT, BELOW, 11n, 6n],
  ] as const;
  for (const [bound, bit, sum, value, difference] of cheats) {
    const trace = columns.map(column => column.slice());
    trace[bound].fill(element(value), 32, 64);
    collect(trace, bit, sum, difference);
    expect(brokenTransitions(air, trace)).toEqual([]);
    expect(checkTrace(spatialBoxAir, trace, publicInputs, 96)).toEqual({
      row: 63,
      constraint: `column ${bound} is fixed by the statement`,
    });
  }
});

it('absorbs nothing but the coordinate: no other lane, and no other value', () => {
  const { columns } = gridTrace(5, 0, 10);
  for (const lane of [0, 1, 2, 3, 4, 7]) {
    const trace = columns.map(column => column.slice());
    bump(air, trace, lane, 32);
    expect(brokenTransitions(air, trace, 31, 32)).toEqual([`step of lane ${lane}`]);
  }
});

it('has no redundant constraint of its own: for each, a trace breaks it alone', () => {
  const alter = (change: (columns: readonly BigUint64Array[]) => void) => {
    const { columns } = gridTrace(5, 0, 10);
    change(columns);
    return brokenTransitions(air, columns);
  };
  // Two bits that are none, whose collected sum is right again.
  const falseBits = (bit: number, sum: number) => (columns: readonly BigUint64Array[]) => {
    bump(air, columns, bit, 40, 3n);
    bump(air, columns, sum, 40, 3n);
    bump(air, columns, bit, 41, element(-6n));
  };
  expect(alter(falseBits(ABOVE_BIT, ABOVE))).toEqual(['bit above is a bit']);
  expect(alter(falseBits(BELOW_BIT, BELOW))).toEqual(['bit below is a bit']);
  expect(alter(columns => bump(air, columns, ABOVE, 95))).toEqual(['bits above are collected']);
  expect(alter(columns => bump(air, columns, BELOW, 95))).toEqual(['bits below are collected']);
  expect(alter(columns => bump(air, columns, LOWER, 63))).toEqual(['coordinate is at least the lower bound']);
  expect(alter(columns => bump(air, columns, UPPER, 63))).toEqual(['coordinate is at most the upper bound']);
  expect(alter(columns => bump(air, columns, X, 95))).toEqual([
    'coordinate is constant within a permutation',
  ]);
});

it('begins the sums anew in every permutation', () => {
  const { columns } = gridTrace(5, 0, 10);
  // What the permutation before has collected is carried over instead.
  columns[ABOVE_BIT][31] = 1n;
  columns[ABOVE][31] = 1n;
  expect(brokenTransitions(air, columns, 30, 31)).toEqual([]);
  columns[ABOVE][32] = 2n;
  expect(brokenTransitions(air, columns, 31, 32)).toContain('bits above are collected');
});

it('has the comparison of the last axis within the rows that it needs', () => {
  const { rowCount, columns, publicInputs } = runSample({
    ...sampleOf('spatial-box/v1', 'goldilocks'),
    rowCount: 129,
  });
  expect(spatialBoxAir.rowsNeeded(ask({ coordinates: [1, 2], altitude: 3 }))).toBe(129);
  bump(air, columns, UPPER, 127);
  expect(checkTrace(air, columns, publicInputs, rowCount)).toMatchObject({ row: 127 });
});

describe('a claim', () => {
  it('is read as degrees and metres in fixed point', () => {
    const { axes, place } = ask({ coordinates: [48.137_154_3, -11.576_124, 519.25], altitude: -1.5 });
    expect(place).toEqual([481_371_543, -115_761_240, 519_250, -1_500]);
    expect(axes.map(({ name }) => name)).toEqual(['latitude', 'longitude', 'elevation', 'altitude']);
    // Where no box is asked for: a degree, a kilometre of height, ten kilometres of a grid.
    expect(axes.map(({ min, max }) => [min, max])).toEqual([
      [480_000_000, 490_000_000],
      [-120_000_000, -110_000_000],
      [0, 1_000_000],
      [-1_000_000, 0],
    ]);
    expect(ask({ coordinates: [-12_345.67] }).axes).toEqual([
      { name: 'grid', min: -2_000_000, max: -1_000_000 },
    ]);
  });

  it.each([
    [90, [890_000_000, 900_000_000]],
    [-90, [-900_000_000, -890_000_000]],
    [48, [480_000_000, 490_000_000]],
    [0, [0, 10_000_000]],
    [-1e-7, [-10_000_000, 0]],
  ])('at the end of a cell, latitude %d, lies in one all the same', (latitude, [min, max]) => {
    expect(ask({ coordinates: [latitude, 0] }).axes[0]).toEqual({ name: 'latitude', min, max });
  });

  it.each([
    [[90, 180], 'wgs84'],
    [[1, 2, 3], 'wgs84'],
    [[1], 'metric'],
    [[1, 2, 3, 4], 'metric'],
  ])('of %j is in the frame %s unless it says otherwise', (coordinates, frame) => {
    const { publicInputs } = spatialBoxAir.execute(f, ask({ coordinates }), 256);
    expect(spatialBoxAir.publicInputsToJson(publicInputs)).toMatchObject({ frame });
  });

  it('may name its frame and its box', () => {
    const metric = ask({
      coordinates: [1, 2],
      frame: 'metric',
      bounds: [
        [0, 10],
        [-5, 5.5],
      ],
    });
    expect(metric.axes).toEqual([
      { name: 'grid', min: 0, max: 1_000 },
      { name: 'grid', min: -500, max: 550 },
    ]);
    expect(metric.place).toEqual([100, 200]);
  });

  it('tells parcels and recordings apart', () => {
    const hashes = [
      ['', ''],
      ['a', ''],
      ['', 'a'],
      ['ab', 'c'],
      ['a', 'bc'],
    ].map(([id, data]) => Buffer.from(parcelHash(id, data)).toString('hex'));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it.each([
    [{ coordinates: [91, 0], frame: 'wgs84' }, 'coordinate-outside-box', 'coordinates.0'],
    [{ coordinates: [91, 8.5] }, 'coordinate-outside-box', 'coordinates.0'],
    [{ coordinates: [90, 180.1] }, 'coordinate-outside-box', 'coordinates.1'],
    [{ coordinates: [691, 5334, 12] }, 'coordinate-outside-box', 'coordinates.0'],
    [{ coordinates: [0, 0], altitude: 100_001 }, 'coordinate-outside-box', 'altitude'],
    [
      {
        coordinates: [5, 5],
        bounds: [
          [0, 4],
          [0, 9],
        ],
      },
      'coordinate-outside-box',
      'coordinates.0',
    ],
    [{ coordinates: [21_000_000, 0], frame: 'metric' }, 'coordinate-outside-box', 'coordinates.0'],
    [
      {
        coordinates: [5, 5],
        bounds: [
          [4, 0],
          [0, 9],
        ],
      },
      'input-out-of-range',
      'bounds.0',
    ],
    [{ coordinates: [5], bounds: [[-3e7, 3e7]] }, 'input-out-of-range', 'bounds.0'],
    [{ coordinates: [5], bounds: [[-1e12, 3e7]] }, 'input-out-of-range', 'bounds.0.0'],
    [{ coordinates: [5, 5], bounds: [[0, 9]] }, 'malformed-witness', 'bounds'],
    [{ coordinates: [5], bounds: [[0, Number.NaN]] }, 'malformed-witness', 'bounds.0.1'],
    [{ coordinates: [] }, 'malformed-witness', 'coordinates'],
    [{ coordinates: ['5'] }, 'malformed-witness', 'coordinates.0'],
    [{ coordinates: [1, 2, 3, 4], frame: 'wgs84' }, 'input-out-of-range', 'coordinates'],
    [{ coordinates: [1], frame: 'mars' }, 'malformed-witness', 'frame'],
    [{ coordinates: [1], parcelId: 'x'.repeat(129) }, 'input-too-long', 'parcelId'],
    [{ coordinates: [1], traceData: 7 }, 'malformed-witness', 'traceData'],
    [{ coordinates: [1], parcelId: '\ud800' }, 'malformed-text', 'parcelId'],
  ])('%# is refused with code %s at %s', (json, code, field) => {
    expect(() => ask(json)).toThrow(WitnessError);
    expect(() => ask(json)).toThrow(expect.objectContaining({ code, field }));
  });
});

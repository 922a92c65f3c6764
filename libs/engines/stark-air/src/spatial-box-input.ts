import { blake3Keyed, concatBytes, domainKey } from '@svc/kernels';
import { saltFromJson } from './salt.js';
import { WitnessError } from './witness-error.js';
import { witnessRecord } from './witness-json.js';

/** What an axis measures. `grid` is one axis of a metric grid. */
export const AXIS_NAMES = ['latitude', 'longitude', 'elevation', 'altitude', 'grid'] as const;
export type AxisName = (typeof AXIS_NAMES)[number];
export type SpatialFrame = 'wgs84' | 'metric';

/** Fixed point of an axis, where its places lie, and how wide the box is where none is asked for; in the axis' integers. */
interface AxisScale {
  readonly unit: string;
  /** Integers in one degree or metre. */
  readonly perUnit: number;
  readonly min: number;
  readonly max: number;
  readonly cell: number;
}

/** Greatest width of a box along one axis: differences are proved to have 32 bits. */
export const BOX_WIDTH_MAX = 2 ** 32 - 1;
/** Greatest magnitude of a bound. */
export const COORDINATE_BOUND = 2 ** 40;
export const COORDINATES_MAX = 64;
export const PARCEL_ID_CHARACTERS_MAX = 128;
export const TRACE_DATA_CHARACTERS_MAX = 131_074;

export const AXIS_SCALES: Readonly<Record<AxisName, AxisScale>> = {
  latitude: { unit: '1e-7 degree', perUnit: 1e7, min: -900_000_000, max: 900_000_000, cell: 1e7 },
  longitude: { unit: '1e-7 degree', perUnit: 1e7, min: -1_800_000_000, max: 1_800_000_000, cell: 1e7 },
  elevation: { unit: 'millimetre', perUnit: 1e3, min: -12_000_000, max: 100_000_000, cell: 1e6 },
  altitude: { unit: 'millimetre', perUnit: 1e3, min: -12_000_000, max: 100_000_000, cell: 1e6 },
  grid: { unit: 'centimetre', perUnit: 1e2, min: -2_000_000_000, max: 2_000_000_000, cell: 1e6 },
};

/** One axis of the public box, in the axis' integers, both ends included. */
export interface BoxAxis {
  readonly name: AxisName;
  readonly min: number;
  readonly max: number;
}

export interface SpatialBoxWitness {
  readonly axes: readonly BoxAxis[];
  /** The claimed place, one integer an axis. */
  readonly place: readonly number[];
  /** 32 bytes: which parcel and which recording the claim is about. */
  readonly parcelHash: Uint8Array;
  /** 24 bytes from a random generator. */
  readonly salt: Uint8Array;
}

const PARCEL_KEY = domainKey('svc/spatial-box/v1/parcel');

/** BLAKE3 of parcel and recording, under a key of its own: u32 length ‖ parcel id ‖ trace data, in UTF-8. */
export function parcelHash(parcelId: string, traceData: string): Uint8Array {
  const encoder = new TextEncoder();
  const parcel = encoder.encode(parcelId);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, parcel.length, true);
  return blake3Keyed(PARCEL_KEY, concatBytes(length, parcel, encoder.encode(traceData)));
}

/** Whether axes of these names make up a frame: latitude and longitude with or without heights, or a metric grid. */
export function frameOf(names: readonly AxisName[]): SpatialFrame | undefined {
  if (/^latitude,longitude(,elevation)?(,altitude)?$/.test(names.join())) return 'wgs84';
  return /^grid(,grid)*(,altitude)?$/.test(names.join()) ? 'metric' : undefined;
}

/**
 * Reads a claim: `coordinates` (latitude, longitude and perhaps elevation, or a metric grid, in degrees and metres), and where
 * given `altitude`, `parcelId`, `traceData`, `frame`, `bounds` ([min, max] for each coordinate, then for the altitude), `salt`.
 * @throws WitnessError
 */
export function spatialBoxWitnessFromJson(json: unknown): SpatialBoxWitness {
  const record = witnessRecord(
    json,
    ['coordinates'],
    ['altitude', 'parcelId', 'traceData', 'frame', 'bounds', 'salt'],
  );
  const coordinates = numbersFromJson(record.coordinates, 'coordinates', 1, COORDINATES_MAX);
  const heights = record.altitude === undefined ? [] : [numberFromJson(record.altitude, 'altitude')];
  const names = axisNames(coordinates, heights.length > 0, record.frame);
  const paths = [...coordinates.map((_, i) => `coordinates.${i}`), 'altitude'];
  const place = [...coordinates, ...heights].map((value, i) =>
    fixedPoint(value, AXIS_SCALES[names[i]].perUnit, paths[i]),
  );
  const axes =
    record.bounds === undefined
      ? place.map((value, i) => cellOf(value, names[i], paths[i]))
      : boxOf(names, record.bounds);
  place.forEach((value, i) => assertInside(value, axes[i], paths[i]));
  return {
    axes,
    place,
    parcelHash: parcelHash(
      textFromJson(record.parcelId, 'parcelId', PARCEL_ID_CHARACTERS_MAX),
      textFromJson(record.traceData, 'traceData', TRACE_DATA_CHARACTERS_MAX),
    ),
    salt: saltFromJson(record.salt),
  };
}

/** @throws WitnessError unless min ≤ value ≤ max */
export function assertInside(value: number, { name, min, max }: BoxAxis, path: string): void {
  if (value >= min && value <= max) return;
  const { unit } = AXIS_SCALES[name];
  throw new WitnessError(
    'coordinate-outside-box',
    path,
    `(${name}) must be from ${min} to ${max} in units of ${unit}`,
    { max: value < min ? min : max, got: value },
  );
}

/** What is wrong with a box; undefined if nothing is. */
export function boxFault({ min, max }: BoxAxis): string | undefined {
  if (![min, max].every(value => Number.isSafeInteger(value) && Math.abs(value) <= COORDINATE_BOUND)) {
    return `must have integer bounds of at most ±${COORDINATE_BOUND}`;
  }
  if (min > max) return `must have min ≤ max, got ${min} and ${max}`;
  if (max - min > BOX_WIDTH_MAX) return `must be at most ${BOX_WIDTH_MAX} wide, got ${max - min}`;
  return undefined;
}

function axisNames(coordinates: readonly number[], hasAltitude: boolean, frame: unknown): AxisName[] {
  if (frame !== undefined && frame !== 'wgs84' && frame !== 'metric') {
    throw new WitnessError('malformed-witness', 'frame', 'must be "wgs84" or "metric"');
  }
  const { length } = coordinates;
  // A mistyped latitude is refused: it must not become a claim about a grid.
  const isWgs84 = length === 2 || length === 3;
  if (frame === 'wgs84' && length !== 2 && length !== 3) {
    throw new WitnessError(
      'input-out-of-range',
      'coordinates',
      `must be 2 or 3 in the frame wgs84, got ${length}`,
      {
        max: 3,
        got: length,
      },
    );
  }
  const horizontal: AxisName[] =
    (frame ?? (isWgs84 ? 'wgs84' : 'metric')) === 'wgs84'
      ? AXIS_NAMES.slice(0, length)
      : coordinates.map(() => 'grid');
  return hasAltitude ? [...horizontal, 'altitude'] : horizontal;
}

/**
 * The cell of the axis' own grid that a place lies in: a box of the whole earth would say nothing. Both ends are part of it, so that at an
 * end it is the upper one but for the last.
 * @throws WitnessError for what is no place of the frame
 */
function cellOf(value: number, name: AxisName, path: string): BoxAxis {
  const { min, max, cell } = AXIS_SCALES[name];
  assertInside(value, { name, min, max }, path);
  const low = Math.min(Math.floor(value / cell) * cell, max - cell);
  return { name, min: low, max: low + cell };
}

function boxOf(names: readonly AxisName[], bounds: unknown): BoxAxis[] {
  if (!Array.isArray(bounds) || bounds.length !== names.length) {
    throw new WitnessError(
      'malformed-witness',
      'bounds',
      `must be an array of ${names.length} pairs [min, max]`,
    );
  }
  return bounds.map((pair: unknown, i) => {
    const path = `bounds.${i}`;
    const [min, max] = numbersFromJson(pair, path, 2, 2);
    const { perUnit } = AXIS_SCALES[names[i]];
    const axis = {
      name: names[i],
      min: fixedPoint(min, perUnit, `${path}.0`),
      max: fixedPoint(max, perUnit, `${path}.1`),
    };
    const fault = boxFault(axis);
    if (fault) throw new WitnessError('input-out-of-range', path, fault);
    return axis;
  });
}

// To the nearest integer, halves up, as Math.round.
function fixedPoint(value: number, perUnit: number, path: string): number {
  const integer = Math.round(value * perUnit);
  if (Math.abs(integer) > COORDINATE_BOUND) {
    const max = (Math.sign(value) * COORDINATE_BOUND) / perUnit;
    throw new WitnessError('input-out-of-range', path, `must be at most ${max}`, {
      max,
      got: value,
    });
  }
  return integer + 0;
}

function numbersFromJson(json: unknown, path: string, countMin: number, countMax: number): number[] {
  if (!Array.isArray(json) || json.length < countMin || json.length > countMax) {
    throw new WitnessError(
      'malformed-witness',
      path,
      `must be an array of ${countMin} to ${countMax} numbers`,
    );
  }
  return json.map((value, i) => numberFromJson(value, `${path}.${i}`));
}

function numberFromJson(json: unknown, path: string): number {
  if (typeof json !== 'number' || !Number.isFinite(json)) {
    throw new WitnessError('malformed-witness', path, 'must be a number');
  }
  return json;
}

function textFromJson(json: unknown, path: string, charactersMax: number): string {
  if (json === undefined) return '';
  if (typeof json !== 'string') throw new WitnessError('malformed-witness', path, 'must be a string');
  if (json.length > charactersMax) {
    throw new WitnessError('input-too-long', path, `must have at most ${charactersMax} characters`, {
      max: charactersMax,
      got: json.length,
    });
  }
  if (/\p{Surrogate}/u.test(json)) {
    throw new WitnessError('malformed-text', path, 'must be well-formed Unicode, but has a lone surrogate');
  }
  return json;
}

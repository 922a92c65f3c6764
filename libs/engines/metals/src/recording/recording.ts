/** Sound as the analysis takes it: one channel, its samples between −1 and 1. */
export interface Recording {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
  /** Of the file; `samples` are the louder one's. */
  readonly channels: number;
  readonly bitsPerSample: number;
  readonly durationSeconds: number;
  /** Share of the samples that lie flat at the loudest value. */
  readonly clippedFraction: number;
}

export const SAMPLE_RATE_HZ_MIN = 32_000;
export const SAMPLE_RATE_HZ_MAX = 192_000;
export const RECORDING_SECONDS_MAX = 20;
/** Shorter than this no two lines of a resonance could be told apart. */
export const RECORDING_SECONDS_MIN = 0.05;
export const RECORDING_CHANNELS_MAX = 2;
/** Four steps of 16 bits: nothing louder than that is a recording of silence. */
export const SILENCE_AMPLITUDE = 2 ** -13;
/**
 * A ring dies away: one that overloads its recording by 10 dB lies flat for less than this. What does so for longer is a broken
 * recording. The verdict has a stricter bound of its own.
 */
export const CLIPPED_FRACTION_MAX = 0.1;

export type RecordingFault =
  | 'NOT_WAVE'
  | 'TRUNCATED'
  | 'FORMAT_UNSUPPORTED'
  | 'SAMPLE_RATE'
  | 'CHANNELS'
  | 'TOO_LONG'
  | 'TOO_SHORT'
  | 'NOT_FINITE'
  | 'SILENT'
  | 'CLIPPED';

/** Which field of a file is out of which bound. */
export interface RecordingBound {
  /** As the WAVE format names it, `nSamplesPerSec`, or of the sound, `durationSeconds`. */
  readonly field: string;
  readonly min?: number;
  readonly max?: number;
  readonly got?: number | string;
}

/** A file that cannot be read as a recording of a ring. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  readonly field: string;
  readonly min?: number;
  readonly max?: number;
  readonly got?: number | string;

  constructor(
    readonly code: RecordingFault,
    message: string,
    bound: RecordingBound,
  ) {
    super(message);
    this.field = bound.field;
    if (bound.min !== undefined) this.min = bound.min;
    if (bound.max !== undefined) this.max = bound.max;
    if (bound.got !== undefined) this.got = bound.got;
  }
}

/** @throws RecordingError `code` where `got` is not from `min` to `max` */
export function requireWithin(
  code: RecordingFault,
  field: string,
  got: number,
  { min = -Infinity, max = Infinity }: { min?: number; max?: number },
): void {
  if (got >= min && got <= max) return;
  const range =
    max === Infinity ? `at least ${min}` : min === -Infinity ? `at most ${max}` : `from ${min} to ${max}`;
  throw new RecordingError(code, `${field} must be ${range}, got ${got}`, {
    field,
    ...(min === -Infinity ? {} : { min }),
    ...(max === Infinity ? {} : { max }),
    got,
  });
}

/** Sound as an analysis takes it: one channel, its samples between −1 and 1. */
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

/** What a reader takes; every bound is itself still taken. */
export interface RecordingBounds {
  readonly sampleRateHzMin: number;
  readonly sampleRateHzMax: number;
  readonly secondsMin: number;
  readonly secondsMax: number;
  /** 8 takes PCM of one byte too. */
  readonly bitsPerSampleMin: 8 | 16;
  /** How far from its mean a recording that is no silence goes; at 0 silence is taken. */
  readonly silenceAmplitude: number;
  /** Share of the samples that may lie flat at the loudest value; at 1 whatever is clipped is taken. */
  readonly clippedFractionMax: number;
  /** Of a file that is compressed, over its whole length; any where it is left out. */
  readonly compressedBitsPerSecondMin?: number;
}

export const RECORDING_CHANNELS_MAX = 2;

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
  | 'CLIPPED'
  | 'BIT_RATE';

/** Which field of a file is out of which bound. */
export interface RecordingBound {
  /** As the WAVE format names it, `nSamplesPerSec`, or of the sound, `durationSeconds`. */
  readonly field: string;
  readonly min?: number;
  readonly max?: number;
  readonly got?: number | string;
}

/** A file that is not a recording as its reader needs it. */
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

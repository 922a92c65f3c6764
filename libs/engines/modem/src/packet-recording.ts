import type { RecordingBounds } from '@svc/recording';

/**
 * What a recording has to be for packets to be looked for in it. One that is silent, short or clipped holds none, which is an
 * answer and no fault of the file.
 */
export const PACKET_RECORDING_BOUNDS: RecordingBounds = {
  /** Of the tones of the audible band; those of ultrasound need more, which the receiver says. */
  sampleRateHzMin: 8_000,
  sampleRateHzMax: 192_000,
  secondsMin: 0,
  secondsMax: 60,
  bitsPerSampleMin: 8,
  silenceAmplitude: 0,
  clippedFractionMax: 1,
};

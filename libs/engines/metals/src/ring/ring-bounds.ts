import type { RecordingBounds } from '@svc/recording';

/** What a recording of a ring has to be, for anything to be said of it. */
export const RING_RECORDING_BOUNDS: RecordingBounds = {
  sampleRateHzMin: 32_000,
  sampleRateHzMax: 192_000,
  /** Shorter than this no two lines of a resonance could be told apart. */
  secondsMin: 0.05,
  secondsMax: 20,
  bitsPerSampleMin: 16,
  /** Four steps of 16 bits: nothing louder than that is a recording of silence. */
  silenceAmplitude: 2 ** -13,
  /**
   * A ring dies away: one that overloads its recording by 10 dB lies flat for less than this. What does so for longer is a
   * broken recording. The verdict has a stricter bound of its own.
   */
  clippedFractionMax: 0.1,
  /** With fewer bits a coder leaves lines of a ring out and makes others up: one fake of 54 passed at 32,000, one genuine piece failed at 24,000. */
  compressedBitsPerSecondMin: 48_000,
};

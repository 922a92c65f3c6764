export type { RingPeak } from './ring-peak.js';
export {
  type Recording,
  RECORDING_SECONDS_MAX,
  type RecordingBound,
  RecordingError,
  type RecordingFault,
  SAMPLE_RATE_HZ_MAX,
  SAMPLE_RATE_HZ_MIN,
} from './recording/recording.js';
export { readWav } from './recording/read-wav.js';
export { type WavSamples, writeWav } from './recording/write-wav.js';
export { analyseRing, type RingAnalysis, type RingSpectrum } from './ring/analyse-ring.js';

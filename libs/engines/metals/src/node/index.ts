export type { HeardRecording } from './heard-recording.js';
export { RingAnalyser, RingAnalyserError } from './ring-analyser.js';

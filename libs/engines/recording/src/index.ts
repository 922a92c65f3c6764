export { readWav } from './read-wav.js';
export { type Recording, type RecordingBounds, type RecordingBound } from './recording.js';
export { RecordingError, type RecordingFault } from './recording.js';
export { wavHeader, type WavSamples, wavSamples, writeWav } from './write-wav.js';

export { type OtherDecoder, type OtherFormat, readRecording } from './read-recording.js';

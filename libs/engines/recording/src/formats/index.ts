export { readRecording } from './read-recording.js';

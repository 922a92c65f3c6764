// commit: ./read-recording.spec.ts
import './read-recording.spec.js';

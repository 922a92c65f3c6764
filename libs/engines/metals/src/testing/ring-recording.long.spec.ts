// commit: ./ring-recording.spec.ts
import './ring-recording.spec.js';

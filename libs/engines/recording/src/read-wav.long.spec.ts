// commit: ./read-wav.spec.ts
import './read-wav.spec.js';

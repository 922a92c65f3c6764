// commit: ./challenge-tone.spec.ts
import './challenge-tone.spec.js';

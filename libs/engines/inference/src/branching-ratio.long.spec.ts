// commit: ./branching-ratio.spec.ts
import './branching-ratio.spec.js';

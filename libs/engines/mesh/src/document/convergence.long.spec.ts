// commit: ./convergence.spec.ts
import './convergence.spec.js';

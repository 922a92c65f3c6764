// commit: ./arena.e2e.spec.ts
import './arena.e2e.spec.js';

// commit: ./handlers.fuzz.spec.ts
import './handlers.fuzz.spec.js';

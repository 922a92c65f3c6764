// commit: ./bch-code.spec.ts
import './bch-code.spec.js';

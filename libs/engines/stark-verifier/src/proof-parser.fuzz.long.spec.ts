// commit: ./proof-parser.fuzz.spec.ts
import './proof-parser.fuzz.spec.js';

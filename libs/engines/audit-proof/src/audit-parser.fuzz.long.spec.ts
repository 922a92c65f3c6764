// commit: ./audit-parser.fuzz.spec.ts
import './audit-parser.fuzz.spec.js';

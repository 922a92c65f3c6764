// commit: ./prepared-statements.spec.ts
import './prepared-statements.spec.js';

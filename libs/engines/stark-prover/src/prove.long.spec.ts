// commit: ./prove.spec.ts
import './prove.spec.js';

// commit: ./judge-ring.spec.ts
import './judge-ring.spec.js';

// commit: ./speckle-attack.e2e.spec.ts
import './speckle-attack.e2e.spec.js';

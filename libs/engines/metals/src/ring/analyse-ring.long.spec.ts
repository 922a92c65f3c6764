// commit: ./analyse-ring.spec.ts
import './analyse-ring.spec.js';

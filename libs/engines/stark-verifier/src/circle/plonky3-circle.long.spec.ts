// commit: ./plonky3-circle.spec.ts
import './plonky3-circle.spec.js';

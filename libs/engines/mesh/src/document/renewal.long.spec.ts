// commit: ./renewal.spec.ts
import './renewal.spec.js';

// commit: ./certificates.spec.ts
import './certificates.spec.js';

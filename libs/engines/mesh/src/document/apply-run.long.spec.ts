// commit: ./apply-run.spec.ts
import './apply-run.spec.js';

// commit: ./credentials.fuzz.e2e.spec.ts
import './credentials.fuzz.e2e.spec.js';

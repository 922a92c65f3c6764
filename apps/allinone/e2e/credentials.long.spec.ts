// commit: ./credentials.e2e.spec.ts
import './credentials.e2e.spec.js';

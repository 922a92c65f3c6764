// commit: ./ticket-interleavings.e2e.spec.ts
import './ticket-interleavings.e2e.spec.js';

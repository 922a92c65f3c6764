// commit: ./paid-services.e2e.spec.ts
import './paid-services.e2e.spec.js';

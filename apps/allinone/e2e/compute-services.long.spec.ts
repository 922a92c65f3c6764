// commit: ./compute-services.e2e.spec.ts
import './compute-services.e2e.spec.js';

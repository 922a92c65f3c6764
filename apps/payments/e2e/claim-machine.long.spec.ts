// commit: ./claim-machine.e2e.spec.ts
import './claim-machine.e2e.spec.js';

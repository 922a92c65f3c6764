// commit: ./pairing.e2e.spec.ts
import { describePairing } from './pairing.cases.js';

describePairing(8);

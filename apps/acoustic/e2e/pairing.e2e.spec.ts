import { describePairing } from './pairing.cases.js';

describePairing(3);

// commit: ./speckle.e2e.spec.ts
import { describeToldFigures } from './speckle-attack.cases.js';

// Of 300 tries 0.70 of the bits come out, of 400 0.74, of 600 0.78.
describeToldFigures([250, 400]);

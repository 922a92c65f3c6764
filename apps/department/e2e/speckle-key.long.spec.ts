// commit: ./speckle.e2e.spec.ts
import { describeToldFigures } from './speckle-attack.cases.js';

// It comes out after about 1,100.
describeToldFigures([350, 700, 1_050, 1_400]);

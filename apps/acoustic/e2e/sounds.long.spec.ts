// commit: ./sounds.e2e.spec.ts
import { describeSounds } from './sounds.cases.js';

describeSounds(60);

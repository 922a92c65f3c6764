// commit: ./minimodem.spec.ts
import { describeMinimodem, LINES } from './minimodem.cases.js';

describeMinimodem(LINES);

import { describeMinimodem, LINES } from './minimodem.cases.js';

// One near ultrasound and one that is heard, at the highest rate: the shortest sounds.
describeMinimodem(LINES.slice(-4).filter((_, i) => i % 3 === 0));

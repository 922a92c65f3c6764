import { describeSounds } from './sounds.cases.js';

describeSounds(5);

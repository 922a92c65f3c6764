import { describeOwnRecurrences } from './own-recurrences.cases.js';

// Drawn by their seeds: the long tier draws a hundred of each profile.
describe('definitions', () => describeOwnRecurrences(6));

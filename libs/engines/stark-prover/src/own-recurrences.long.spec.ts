// commit: ./own-recurrences.spec.ts
import { describeOwnRecurrences } from './own-recurrences.cases.js';

describe('definitions', () => describeOwnRecurrences(100));

// commit: ./disclosed-fields.fuzz.spec.ts
import { describeFlippedAnswer } from './disclosed-fields.fuzz.cases.js';

describeFlippedAnswer({ part: 1, of: 2 });

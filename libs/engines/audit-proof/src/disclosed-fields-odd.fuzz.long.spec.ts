// commit: ./disclosed-fields.fuzz.spec.ts
import { describeAnyJson, describeFlippedFields } from './disclosed-fields.fuzz.cases.js';

describeFlippedFields({ part: 1, of: 2 });
describeAnyJson({ numRuns: 20_000, seed: 2_027 });

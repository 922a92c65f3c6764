// commit: ./disclosed-fields.fuzz.spec.ts
import { describeAnyJson, describeFlippedFields } from './disclosed-fields.fuzz.cases.js';

// All bits, in four suites that each take minutes.
describeFlippedFields({ part: 0, of: 2 });
describeAnyJson({ numRuns: 20_000, seed: 2_026 });

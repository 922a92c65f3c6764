import {
  describeAnyJson,
  describeFlippedAnswer,
  describeFlippedFields,
} from './disclosed-fields.fuzz.cases.js';

describeFlippedFields({ drawn: 500 });
describeFlippedAnswer({ drawn: 500 });
describeAnyJson({ numRuns: 150, seed: 2_026 });

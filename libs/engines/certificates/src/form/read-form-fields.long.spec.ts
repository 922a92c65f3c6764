// commit: ./read-form-fields.spec.ts
import { describeReadForms } from './read-form-fields.cases.js';

// 300 forms in two suites, and forged ones in two more: each takes minutes.
describeReadForms({ from: 0, count: 150 });

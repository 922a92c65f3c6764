// commit: ./read-form-fields.spec.ts
import { describeReadForms } from './read-form-fields.cases.js';

describeReadForms({ from: 150, count: 150 });

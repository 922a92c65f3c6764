// commit: ./read-and-audit.spec.ts
import { describePublishedForms } from './published-form.cases.js';

describePublishedForms();

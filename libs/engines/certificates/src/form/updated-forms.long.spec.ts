// commit: ./read-form-fields.spec.ts
import { describeForgedForms, FORM_KINDS } from './read-form-fields.cases.js';

describeForgedForms(
  { from: 0, count: 60 },
  FORM_KINDS.filter(kind => kind.startsWith('updated')),
);

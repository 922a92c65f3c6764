import { describeForgedForms, describeFormSigns, describeReadForms } from './read-form-fields.cases.js';

describeReadForms({ from: 0, count: 2 });
describeForgedForms({ from: 0, count: 1 });
describeFormSigns();

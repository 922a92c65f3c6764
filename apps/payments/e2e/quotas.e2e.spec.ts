import { describeLeads } from './leads.cases.js';
import { describeProcessorQuestions } from './processor-questions.cases.js';
import { describeQuotas } from './quotas.cases.js';
import { describeRetention } from './retention.cases.js';

describeQuotas();
describeLeads();
describeRetention();
describeProcessorQuestions();

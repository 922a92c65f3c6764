import { describeRefunds } from './refunds.cases.js';

describeRefunds();

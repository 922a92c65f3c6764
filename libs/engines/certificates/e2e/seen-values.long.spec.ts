// commit: ./read-and-audit.spec.ts
import { describeSeenValues } from './seen-values.cases.js';

describeSeenValues();

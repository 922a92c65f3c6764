// commit: ./money.property.e2e.spec.ts
import { describeMoney } from './money.property.cases.js';

describeMoney(300);

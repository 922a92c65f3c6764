import { describeMoney } from './money.property.cases.js';

describeMoney(25, 20261122);

import { describeCardMarket } from './card-market.cases.js';
import { describeCardSales } from './card-sales.cases.js';
import { describeCardValuation } from './card-valuation.cases.js';

describeCardMarket();
describeCardSales();
describeCardValuation();

// commit: ./cards.e2e.spec.ts
import { describeCardSales } from './card-sales.cases.js';

describeCardSales();

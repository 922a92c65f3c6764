export type { GradedSale } from './graded-sale.js';

import { type CardDescription, cardsContract, type SalesImport } from '@svc/contracts';
import type { ServiceEnvironment } from '@svc/platform';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { OPERATOR_KEY } from './payments-stand-in.js';

export const JORDAN: CardDescription = {
  ...{ year: 1986, set: 'Fleer', number: '57', player: 'Michael Jordan', sport: 'Basketball' },
};

/** The department without the sandbox's market. */
export const startWithoutCards = (more: Partial<ServiceEnvironment> = {}): Promise<DepartmentFixture> =>
  startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off' }, ...more });

export const daysAgo = (days: number): string =>
  new Date(Math.floor((Date.now() - days * 86_400_000) / 1_000) * 1_000).toISOString();

let items = 0;

/** A sale that nothing is wrong with, of an item of its own. */
export const saleRow = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...{ itemId: `item-${++items}`, venue: 'Harbor Auctions', card: JORDAN, company: 'PSA', grade: 8 },
  ...{ price: '5000.00', fees: '0', currency: 'USD', soldAt: daysAgo(10), saleType: 'auction' },
  verified: true,
  ...more,
});

export const importSales = (
  { bus }: Pick<DepartmentFixture, 'bus'>,
  sales: Record<string, unknown>[],
): Promise<SalesImport> =>
  bus.call(cardsContract.importSales, { accountKey: OPERATOR_KEY, request: { sales } });

export const importCsv = ({ bus }: Pick<DepartmentFixture, 'bus'>, csv: string): Promise<SalesImport> =>
  bus.call(cardsContract.importSales, { accountKey: OPERATOR_KEY, request: { csv } });

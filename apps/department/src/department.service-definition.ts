import type { ServiceDefinition } from '@svc/platform';
import { DepartmentModule } from './department.module.js';
import { CardSales1764001000000 } from './migrations/1764001000000-card-sales.js';

export const departmentService: ServiceDefinition = {
  name: 'department',
  calls: ['prover', 'payments'],
  migrations: [CardSales1764001000000],
  tableRights: {
    // Who brought which sales in stays on record.
    card_import: ['SELECT', 'INSERT'],
    card: ['SELECT', 'INSERT', 'UPDATE (synthetic)'],
    card_sale: ['SELECT', 'INSERT', 'UPDATE'],
    card_quarantine: [
      'SELECT',
      'INSERT',
      'UPDATE (state, resolved_at, resolved_by, corrected, replaced, sale_id)',
    ],
  },
  module: environment => DepartmentModule.for(environment),
};

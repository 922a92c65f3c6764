import { AccountOverview } from '../account/account-overview.js';
import { AccountStatement } from '../account/account-statement.js';
import { KeyRecoveryNatsController } from '../account/key-recovery.nats.controller.js';
import { AccountNatsController } from '../account/account.nats.controller.js';
import { HolderKeys } from '../account/holder-keys.js';
import { LeadBook } from '../lead/lead-book.js';
import { LeadNatsController } from '../lead/lead.nats.controller.js';
import { Leads } from '../lead/leads.js';
import { SpotPrices } from '../spot/spot-prices.js';
import { AccountRegister } from './account-register.js';
import { AdminAudit } from './admin-audit.js';
import { AdminNatsController } from './admin.nats.controller.js';
import { AdminService } from './admin.service.js';
import { CreditGrants } from './credit-grants.js';

/** What holders of keys, leads and operators need, in the payments service. */
export const ADMIN_CONTROLLERS = [
  ...[AccountNatsController, KeyRecoveryNatsController, LeadNatsController, AdminNatsController],
];
export const ADMIN_PROVIDERS = [
  ...[AccountOverview, AccountStatement, HolderKeys],
  ...[Leads, LeadBook, SpotPrices],
  ...[AccountRegister, AdminAudit, AdminService, CreditGrants],
];

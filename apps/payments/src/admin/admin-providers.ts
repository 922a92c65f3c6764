import { LeadBook } from '../lead/lead-book.js';
import { LeadNatsController } from '../lead/lead.nats.controller.js';
import { Leads } from '../lead/leads.js';
import { AdminAudit } from './admin-audit.js';

/** What leads and operators need, in the payments service. */
export const ADMIN_CONTROLLERS = [LeadNatsController];
export const ADMIN_PROVIDERS = [Leads, LeadBook, AdminAudit];

import { Controller } from '@nestjs/common';
import { type Lead, type LeadPage, LEADS_SCOPES, leadsContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ApiKeys } from '../account/api-keys.js';
import { LeadBook } from './lead-book.js';

@Controller()
export class LeadNatsController {
  constructor(
    private readonly leads: LeadBook,
    private readonly keys: ApiKeys,
  ) {}

  @Handle(leadsContract.list)
  async list({ accountKey, ...query }: ParsedRequestOf<typeof leadsContract.list>): Promise<LeadPage> {
    return this.leads.list(await this.keys.authenticate(accountKey, LEADS_SCOPES.list), query);
  }

  @Handle(leadsContract.change)
  async change({ accountKey, leadId, status }: ParsedRequestOf<typeof leadsContract.change>): Promise<Lead> {
    const by = await this.keys.authenticate(accountKey, LEADS_SCOPES.change);
    return this.leads.change(by, leadId, status);
  }
}

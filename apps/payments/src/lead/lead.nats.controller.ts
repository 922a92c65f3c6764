import { Controller } from '@nestjs/common';
import { type Lead, type LeadPage, leadsContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { LeadBook } from './lead-book.js';

@Controller()
export class LeadNatsController {
  constructor(private readonly leads: LeadBook) {}

  @Handle(leadsContract.list)
  list({ by, ...query }: ParsedRequestOf<typeof leadsContract.list>): Promise<LeadPage> {
    return this.leads.list(by, query);
  }

  @Handle(leadsContract.change)
  change({ by, leadId, status }: ParsedRequestOf<typeof leadsContract.change>): Promise<Lead> {
    return this.leads.change(by, leadId, status);
  }
}

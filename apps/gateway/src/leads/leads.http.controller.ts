import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  LEADS_SCOPES,
  type Lead,
  LeadChange,
  type LeadPage,
  leadsContract,
  type LeadsQuery,
  leadsRoutes,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { AccountKey, Endpoint, Keyed } from '@svc/edge';

@Controller()
export class LeadsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(leadsRoutes.leads)
  @Keyed({ scope: LEADS_SCOPES.list })
  list(
    @AccountKey() accountKey: string,
    @Query({ schema: leadsRoutes.leads.query }) query: LeadsQuery,
  ): Promise<LeadPage> {
    return this.bus.call(leadsContract.list, { ...query, accountKey });
  }

  @Endpoint(leadsRoutes.change)
  @Keyed({ scope: LEADS_SCOPES.change })
  change(
    @AccountKey() accountKey: string,
    @Param({ schema: leadsRoutes.change.params }) { leadId }: { leadId: string },
    @Body({ schema: LeadChange }) { status }: z.output<typeof LeadChange>,
  ): Promise<Lead> {
    return this.bus.call(leadsContract.change, { accountKey, leadId, status });
  }
}

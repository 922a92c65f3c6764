import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  type KeyHolder,
  type Lead,
  LeadChange,
  type LeadPage,
  leadsContract,
  type LeadsQuery,
  leadsRoutes,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { AccountOf, Endpoint, Keyed } from '@svc/edge';

@Controller()
export class LeadsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(leadsRoutes.leads)
  @Keyed({ scope: 'leads:read' })
  list(
    @AccountOf() by: KeyHolder,
    @Query({ schema: leadsRoutes.leads.query }) query: LeadsQuery,
  ): Promise<LeadPage> {
    return this.bus.call(leadsContract.list, { ...query, by });
  }

  @Endpoint(leadsRoutes.change)
  @Keyed({ scope: 'leads:write' })
  change(
    @AccountOf() by: KeyHolder,
    @Param({ schema: leadsRoutes.change.params }) { leadId }: { leadId: string },
    @Body({ schema: LeadChange }) { status }: z.output<typeof LeadChange>,
  ): Promise<Lead> {
    return this.bus.call(leadsContract.change, { by, leadId, status });
  }
}

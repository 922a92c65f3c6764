import { Body, Controller, Param, Query, StreamableFile, UseInterceptors } from '@nestjs/common';
import {
  certificatesContract,
  certificatesRoutes,
  CoiRequirements,
  type KeyHolder,
  type Override,
  OverrideRequest,
  type ReplyOf,
  type RequirementSet,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { AccountOf, Endpoint, Keyed, UnpaidWork } from '@svc/edge';

const { requirementSets, requirementSet, putRequirementSet, audit, letter, override, expiring } =
  certificatesRoutes;
type OfSet = z.output<typeof requirementSet.params>;
type OfAudit = z.output<typeof audit.params>;

/** Requirement sets, audits, their overrides and what expires. */
@Controller()
export class CoiRecordsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(requirementSets)
  @Keyed()
  requirementSets(@AccountOf() by: KeyHolder): Promise<ReplyOf<typeof certificatesContract.requirementSets>> {
    return this.bus.call(certificatesContract.requirementSets, { by });
  }

  @Endpoint(requirementSet)
  @Keyed()
  requirementSet(
    @AccountOf() by: KeyHolder,
    @Param({ schema: requirementSet.params }) { requirementSetId }: OfSet,
  ): Promise<RequirementSet> {
    return this.bus.call(certificatesContract.requirementSet, { by, requirementSetId });
  }

  @Endpoint(putRequirementSet)
  @Keyed()
  putRequirementSet(
    @AccountOf() by: KeyHolder,
    @Param({ schema: putRequirementSet.params }) { requirementSetId }: OfSet,
    @Body({ schema: CoiRequirements }) requirements: CoiRequirements,
  ): Promise<RequirementSet> {
    return this.bus.call(certificatesContract.putRequirementSet, { by, requirementSetId, requirements });
  }

  @Endpoint(audit)
  audit(
    @Param({ schema: audit.params }) { auditId }: OfAudit,
  ): Promise<ReplyOf<typeof certificatesContract.audit>> {
    return this.bus.call(certificatesContract.audit, { auditId });
  }

  @Endpoint(letter)
  @UseInterceptors(UnpaidWork)
  async letter(@Param({ schema: letter.params }) { auditId }: OfAudit): Promise<StreamableFile> {
    const { pdf } = await this.bus.call(certificatesContract.letter, { auditId });
    return new StreamableFile(pdf, {
      type: 'application/pdf',
      disposition: `inline; filename="${auditId}.pdf"`,
    });
  }

  @Endpoint(override)
  @Keyed()
  override(
    @AccountOf() by: KeyHolder,
    @Param({ schema: override.params }) { auditId }: OfAudit,
    @Body({ schema: OverrideRequest }) request: z.output<typeof OverrideRequest>,
  ): Promise<Override> {
    return this.bus.call(certificatesContract.override, { by, auditId, request });
  }

  @Endpoint(expiring)
  @Keyed()
  expiring(
    @AccountOf() by: KeyHolder,
    @Query({ schema: expiring.query }) query: z.output<typeof expiring.query>,
  ): Promise<ReplyOf<typeof certificatesContract.expiring>> {
    return this.bus.call(certificatesContract.expiring, { ...query, by });
  }
}

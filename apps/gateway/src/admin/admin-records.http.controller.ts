import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  adminContract,
  adminRoutes,
  type AdminSaga,
  type AuditQuery,
  type KeyHolder,
  type ReconciliationReport,
  type ReplyOf,
  type SagasQuery,
  SetSpotPriceRequest,
  type SpotPrice,
  type SpotPriceList,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { AccountOf, Endpoint, Keyed } from '@svc/edge';

const { spotPrices, audit, sagas, resumeSaga } = adminRoutes;

/** Spot prices, the check of the ledger, sagas that are stuck, and the record of what operators did. */
@Controller()
export class AdminRecordsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(spotPrices)
  @Keyed({ scope: 'admin:spot' })
  spotPrices(
    @AccountOf() by: KeyHolder,
    @Query({ schema: spotPrices.query }) { metal }: z.output<typeof spotPrices.query>,
  ): Promise<SpotPriceList> {
    return this.bus.call(adminContract.spotPrices, { by, metal });
  }

  @Endpoint(adminRoutes.setSpotPrice)
  @Keyed({ scope: 'admin:spot' })
  setSpotPrice(
    @AccountOf() by: KeyHolder,
    @Body({ schema: SetSpotPriceRequest }) price: z.output<typeof SetSpotPriceRequest>,
  ): Promise<SpotPrice> {
    return this.bus.call(adminContract.setSpotPrice, { ...price, by });
  }

  @Endpoint(adminRoutes.reconcile)
  @Keyed({ scope: 'admin:ledger' })
  reconcile(@AccountOf() by: KeyHolder): Promise<ReconciliationReport> {
    return this.bus.call(adminContract.reconcile, { by });
  }

  @Endpoint(audit)
  @Keyed({ scope: 'admin:audit' })
  audit(
    @AccountOf() by: KeyHolder,
    @Query({ schema: audit.query }) query: AuditQuery,
  ): Promise<ReplyOf<typeof adminContract.audit>> {
    return this.bus.call(adminContract.audit, { ...query, by });
  }

  @Endpoint(sagas)
  @Keyed({ scope: 'admin:ledger' })
  sagas(
    @AccountOf() by: KeyHolder,
    @Query({ schema: sagas.query }) query: SagasQuery,
  ): Promise<ReplyOf<typeof adminContract.sagas>> {
    return this.bus.call(adminContract.sagas, { ...query, by });
  }

  @Endpoint(resumeSaga)
  @Keyed({ scope: 'admin:ledger' })
  resumeSaga(
    @AccountOf() by: KeyHolder,
    @Param({ schema: resumeSaga.params }) { sagaId }: z.output<typeof resumeSaga.params>,
  ): Promise<AdminSaga> {
    return this.bus.call(adminContract.resumeSaga, { by, sagaId });
  }
}

import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  ADMIN_SCOPES,
  adminContract,
  adminRoutes,
  type AdminSaga,
  type AuditQuery,
  type ReconciliationReport,
  type ReplyOf,
  type SagasQuery,
  SetSpotPriceRequest,
  type SpotPrice,
  type SpotPriceList,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { AccountKey, Endpoint, Keyed } from '@svc/edge';

const { spotPrices, audit, sagas, resumeSaga } = adminRoutes;

/** Spot prices, the check of the ledger, sagas that are stuck, and the record of what operators did. */
@Controller()
export class AdminRecordsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(spotPrices)
  @Keyed({ scope: ADMIN_SCOPES.spotPrices })
  spotPrices(
    @AccountKey() accountKey: string,
    @Query({ schema: spotPrices.query }) { metal }: z.output<typeof spotPrices.query>,
  ): Promise<SpotPriceList> {
    return this.bus.call(adminContract.spotPrices, { accountKey, metal });
  }

  @Endpoint(adminRoutes.setSpotPrice)
  @Keyed({ scope: ADMIN_SCOPES.setSpotPrice })
  setSpotPrice(
    @AccountKey() accountKey: string,
    @Body({ schema: SetSpotPriceRequest }) price: z.output<typeof SetSpotPriceRequest>,
  ): Promise<SpotPrice> {
    return this.bus.call(adminContract.setSpotPrice, { ...price, accountKey });
  }

  @Endpoint(adminRoutes.reconcile)
  @Keyed({ scope: ADMIN_SCOPES.reconcile })
  reconcile(@AccountKey() accountKey: string): Promise<ReconciliationReport> {
    return this.bus.call(adminContract.reconcile, { accountKey });
  }

  @Endpoint(audit)
  @Keyed({ scope: ADMIN_SCOPES.audit })
  audit(
    @AccountKey() accountKey: string,
    @Query({ schema: audit.query }) query: AuditQuery,
  ): Promise<ReplyOf<typeof adminContract.audit>> {
    return this.bus.call(adminContract.audit, { ...query, accountKey });
  }

  @Endpoint(sagas)
  @Keyed({ scope: ADMIN_SCOPES.sagas })
  sagas(
    @AccountKey() accountKey: string,
    @Query({ schema: sagas.query }) query: SagasQuery,
  ): Promise<ReplyOf<typeof adminContract.sagas>> {
    return this.bus.call(adminContract.sagas, { ...query, accountKey });
  }

  @Endpoint(resumeSaga)
  @Keyed({ scope: ADMIN_SCOPES.resumeSaga })
  resumeSaga(
    @AccountKey() accountKey: string,
    @Param({ schema: resumeSaga.params }) { sagaId }: z.output<typeof resumeSaga.params>,
  ): Promise<AdminSaga> {
    return this.bus.call(adminContract.resumeSaga, { accountKey, sagaId });
  }
}

import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  type Account,
  accountContract,
  type AccountLedger,
  accountRoutes,
  type AccountUsage,
  CreateKeyRequest,
  type KeyHolder,
  type NewAccountKey,
  type RevokedKey,
  RotateKeyRequest,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { AccountOf, Endpoint, Keyed } from '@svc/edge';

const { usage, ledger, rotateKey, revokeKey } = accountRoutes;

/** What the holder of a key sees of the account, and does to its keys. The guard makes every answer no-store. */
@Controller()
export class AccountHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(accountRoutes.account)
  @Keyed()
  account(@AccountOf() by: KeyHolder): Promise<Account> {
    return this.bus.call(accountContract.account, { by });
  }

  @Endpoint(usage)
  @Keyed()
  usage(
    @AccountOf() by: KeyHolder,
    @Query({ schema: usage.query }) query: z.output<typeof usage.query>,
  ): Promise<AccountUsage> {
    return this.bus.call(accountContract.usage, { ...query, by });
  }

  @Endpoint(ledger)
  @Keyed()
  ledger(
    @AccountOf() by: KeyHolder,
    @Query({ schema: ledger.query }) query: z.output<typeof ledger.query>,
  ): Promise<AccountLedger> {
    return this.bus.call(accountContract.ledger, { ...query, by });
  }

  @Endpoint(accountRoutes.createKey)
  @Keyed()
  createKey(
    @AccountOf() by: KeyHolder,
    @Body({ schema: CreateKeyRequest.prefault({}) }) asked: z.output<typeof CreateKeyRequest>,
  ): Promise<NewAccountKey> {
    return this.bus.call(accountContract.createKey, { ...asked, by });
  }

  @Endpoint(rotateKey)
  @Keyed()
  rotateKey(
    @AccountOf() by: KeyHolder,
    @Param({ schema: rotateKey.params }) { keyId }: { keyId: string },
    @Body({ schema: RotateKeyRequest.prefault({}) }) asked: z.output<typeof RotateKeyRequest>,
  ): Promise<NewAccountKey> {
    return this.bus.call(accountContract.rotateKey, { ...asked, by, keyId });
  }

  @Endpoint(revokeKey)
  @Keyed()
  revokeKey(
    @AccountOf() by: KeyHolder,
    @Param({ schema: revokeKey.params }) { keyId }: { keyId: string },
    @Query({ schema: revokeKey.query }) { force }: z.output<typeof revokeKey.query>,
  ): Promise<z.output<typeof RevokedKey>> {
    return this.bus.call(accountContract.revokeKey, { by, keyId, force: force === 'true' });
  }
}

import { Body, Controller, Param, Query, Req } from '@nestjs/common';
import {
  type AccountsQuery,
  type AdminAccountDetail,
  adminContract,
  adminRoutes,
  CreateAccountRequest,
  type CreditGrant,
  GrantCreditRequest,
  IssueKeyRequest,
  type KeyHolder,
  type NewAccountKey,
  type ReplyOf,
  type RevokedKey,
  SetLicencesRequest,
  SetPlanRequest,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AccountOf, Endpoint, idempotencyKeyOf, Keyed } from '@svc/edge';

const { params } = adminRoutes.account;
const { grantCredit, revokeKey } = adminRoutes;
interface OfAccount {
  accountId: string;
}

/** What operators do with accounts. */
@Controller()
export class AdminAccountsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(adminRoutes.accounts)
  @Keyed({ scope: 'admin:accounts' })
  accounts(
    @AccountOf() by: KeyHolder,
    @Query({ schema: adminRoutes.accounts.query }) query: AccountsQuery,
  ): Promise<ReplyOf<typeof adminContract.accounts>> {
    return this.bus.call(adminContract.accounts, { ...query, by });
  }

  @Endpoint(adminRoutes.createAccount)
  @Keyed({ scope: 'admin:accounts' })
  createAccount(
    @AccountOf() by: KeyHolder,
    @Body({ schema: CreateAccountRequest }) asked: z.output<typeof CreateAccountRequest>,
  ): Promise<AdminAccountDetail> {
    return this.bus.call(adminContract.createAccount, { ...asked, by });
  }

  @Endpoint(adminRoutes.account)
  @Keyed({ scope: 'admin:accounts' })
  account(
    @AccountOf() by: KeyHolder,
    @Param({ schema: params }) { accountId }: OfAccount,
  ): Promise<AdminAccountDetail> {
    return this.bus.call(adminContract.account, { by, accountId });
  }

  @Endpoint(adminRoutes.setPlan)
  @Keyed({ scope: 'admin:accounts' })
  setPlan(
    @AccountOf() by: KeyHolder,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Body({ schema: SetPlanRequest }) asked: z.output<typeof SetPlanRequest>,
  ): Promise<AdminAccountDetail> {
    return this.bus.call(adminContract.setPlan, { ...asked, by, accountId });
  }

  @Endpoint(grantCredit)
  @Keyed({ scope: 'admin:ledger' })
  grantCredit(
    @AccountOf() by: KeyHolder,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Req() request: FastifyRequest,
    @Body({ schema: GrantCreditRequest }) asked: z.output<typeof GrantCreditRequest>,
  ): Promise<CreditGrant> {
    const idempotencyKey = idempotencyKeyOf(request.raw);
    return this.bus.call(adminContract.grantCredit, { ...asked, by, accountId, idempotencyKey });
  }

  @Endpoint(adminRoutes.issueKey)
  @Keyed({ scope: 'admin:keys' })
  issueKey(
    @AccountOf() by: KeyHolder,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Body({ schema: IssueKeyRequest }) asked: z.output<typeof IssueKeyRequest>,
  ): Promise<NewAccountKey> {
    return this.bus.call(adminContract.issueKey, { ...asked, by, accountId });
  }

  @Endpoint(revokeKey)
  @Keyed({ scope: 'admin:keys' })
  revokeKey(
    @AccountOf() by: KeyHolder,
    @Param({ schema: revokeKey.params }) { accountId, keyId }: z.output<typeof revokeKey.params>,
  ): Promise<z.output<typeof RevokedKey>> {
    return this.bus.call(adminContract.revokeKey, { by, accountId, keyId });
  }

  @Endpoint(adminRoutes.setLicences)
  @Keyed({ scope: 'admin:licences' })
  setLicences(
    @AccountOf() by: KeyHolder,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Body({ schema: SetLicencesRequest }) { state }: z.output<typeof SetLicencesRequest>,
  ): Promise<ReplyOf<typeof adminContract.setLicences>> {
    return this.bus.call(adminContract.setLicences, { by, accountId, state });
  }
}

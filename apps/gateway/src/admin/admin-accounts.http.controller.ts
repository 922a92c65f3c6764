import { Body, Controller, Param, Query, Req } from '@nestjs/common';
import {
  ADMIN_SCOPES,
  type AccountsQuery,
  type AdminAccountDetail,
  adminContract,
  adminRoutes,
  CreateAccountRequest,
  type CreditGrant,
  GrantCreditRequest,
  IssueKeyRequest,
  type NewAccountKey,
  type ReplyOf,
  type RevokedKey,
  SetLicencesRequest,
  SetPlanRequest,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AccountKey, Endpoint, idempotencyKeyOf, Keyed } from '@svc/edge';

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
  @Keyed({ scope: ADMIN_SCOPES.accounts })
  accounts(
    @AccountKey() accountKey: string,
    @Query({ schema: adminRoutes.accounts.query }) query: AccountsQuery,
  ): Promise<ReplyOf<typeof adminContract.accounts>> {
    return this.bus.call(adminContract.accounts, { ...query, accountKey });
  }

  @Endpoint(adminRoutes.createAccount)
  @Keyed({ scope: ADMIN_SCOPES.createAccount })
  createAccount(
    @AccountKey() accountKey: string,
    @Body({ schema: CreateAccountRequest }) asked: z.output<typeof CreateAccountRequest>,
  ): Promise<AdminAccountDetail> {
    return this.bus.call(adminContract.createAccount, { ...asked, accountKey });
  }

  @Endpoint(adminRoutes.account)
  @Keyed({ scope: ADMIN_SCOPES.account })
  account(
    @AccountKey() accountKey: string,
    @Param({ schema: params }) { accountId }: OfAccount,
  ): Promise<AdminAccountDetail> {
    return this.bus.call(adminContract.account, { accountKey, accountId });
  }

  @Endpoint(adminRoutes.setPlan)
  @Keyed({ scope: ADMIN_SCOPES.setPlan })
  setPlan(
    @AccountKey() accountKey: string,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Body({ schema: SetPlanRequest }) asked: z.output<typeof SetPlanRequest>,
  ): Promise<AdminAccountDetail> {
    return this.bus.call(adminContract.setPlan, { ...asked, accountKey, accountId });
  }

  @Endpoint(grantCredit)
  @Keyed({ scope: ADMIN_SCOPES.grantCredit })
  grantCredit(
    @AccountKey() accountKey: string,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Req() request: FastifyRequest,
    @Body({ schema: GrantCreditRequest }) asked: z.output<typeof GrantCreditRequest>,
  ): Promise<CreditGrant> {
    const idempotencyKey = idempotencyKeyOf(request.raw);
    return this.bus.call(adminContract.grantCredit, { ...asked, accountKey, accountId, idempotencyKey });
  }

  @Endpoint(adminRoutes.issueKey)
  @Keyed({ scope: ADMIN_SCOPES.issueKey })
  issueKey(
    @AccountKey() accountKey: string,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Body({ schema: IssueKeyRequest }) asked: z.output<typeof IssueKeyRequest>,
  ): Promise<NewAccountKey> {
    return this.bus.call(adminContract.issueKey, { ...asked, accountKey, accountId });
  }

  @Endpoint(revokeKey)
  @Keyed({ scope: ADMIN_SCOPES.revokeKey })
  revokeKey(
    @AccountKey() accountKey: string,
    @Param({ schema: revokeKey.params }) { accountId, keyId }: z.output<typeof revokeKey.params>,
  ): Promise<z.output<typeof RevokedKey>> {
    return this.bus.call(adminContract.revokeKey, { accountKey, accountId, keyId });
  }

  @Endpoint(adminRoutes.setLicences)
  @Keyed({ scope: ADMIN_SCOPES.setLicences })
  setLicences(
    @AccountKey() accountKey: string,
    @Param({ schema: params }) { accountId }: OfAccount,
    @Body({ schema: SetLicencesRequest }) { state }: z.output<typeof SetLicencesRequest>,
  ): Promise<ReplyOf<typeof adminContract.setLicences>> {
    return this.bus.call(adminContract.setLicences, { accountKey, accountId, state });
  }
}

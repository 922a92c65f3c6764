import { Controller } from '@nestjs/common';
import {
  ADMIN_SCOPES,
  adminContract,
  type CreditGrant,
  type KeyHolder,
  type NewAccountKey,
  type ParsedRequestOf,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ApiKeys } from '../account/api-keys.js';
import { AdminService } from './admin.service.js';

type Asked<P extends keyof typeof adminContract> = ParsedRequestOf<(typeof adminContract)[P]>;

/** Looks itself whose key an operator's call came with: whoever may publish on its subjects needs the key all the same. */
@Controller()
export class AdminNatsController {
  constructor(
    private readonly admin: AdminService,
    private readonly keys: ApiKeys,
  ) {}

  @Handle(adminContract.accounts)
  async accounts({ accountKey, ...query }: Asked<'accounts'>) {
    return this.admin.findAccounts(await this.by('accounts', accountKey), query);
  }

  @Handle(adminContract.createAccount)
  async createAccount({ accountKey, ...asked }: Asked<'createAccount'>) {
    return this.admin.createAccount(await this.by('createAccount', accountKey), asked);
  }

  @Handle(adminContract.account)
  async account({ accountKey, accountId }: Asked<'account'>) {
    return this.admin.account(await this.by('account', accountKey), accountId);
  }

  @Handle(adminContract.setPlan)
  async setPlan({ accountKey, ...asked }: Asked<'setPlan'>) {
    return this.admin.setPlan(await this.by('setPlan', accountKey), asked);
  }

  @Handle(adminContract.grantCredit)
  async grantCredit({ accountKey, ...asked }: Asked<'grantCredit'>): Promise<CreditGrant> {
    return this.admin.grantCredit(await this.by('grantCredit', accountKey), asked);
  }

  @Handle(adminContract.issueKey)
  async issueKey({ accountKey, ...asked }: Asked<'issueKey'>): Promise<NewAccountKey> {
    return this.admin.issueKey(await this.by('issueKey', accountKey), asked);
  }

  @Handle(adminContract.revokeKey)
  async revokeKey({ accountKey, accountId, keyId }: Asked<'revokeKey'>) {
    return this.admin.revokeKey(await this.by('revokeKey', accountKey), accountId, keyId);
  }

  @Handle(adminContract.setLicences)
  async setLicences({ accountKey, ...asked }: Asked<'setLicences'>) {
    return this.admin.setLicences(await this.by('setLicences', accountKey), asked);
  }

  @Handle(adminContract.spotPrices)
  async spotPrices({ accountKey, metal }: Asked<'spotPrices'>) {
    return this.admin.spotPrices(await this.by('spotPrices', accountKey), metal);
  }

  @Handle(adminContract.setSpotPrice)
  async setSpotPrice({ accountKey, ...price }: Asked<'setSpotPrice'>) {
    return this.admin.setSpotPrice(await this.by('setSpotPrice', accountKey), price);
  }

  @Handle(adminContract.reconcile)
  async reconcile({ accountKey }: Asked<'reconcile'>) {
    return this.admin.reconcile(await this.by('reconcile', accountKey));
  }

  @Handle(adminContract.sagas)
  async sagas({ accountKey, ...query }: Asked<'sagas'>) {
    return this.admin.findSagas(await this.by('sagas', accountKey), query);
  }

  @Handle(adminContract.resumeSaga)
  async resumeSaga({ accountKey, sagaId }: Asked<'resumeSaga'>) {
    return this.admin.resumeSaga(await this.by('resumeSaga', accountKey), sagaId);
  }

  @Handle(adminContract.audit)
  async audit({ accountKey, ...query }: Asked<'audit'>) {
    return this.admin.records(await this.by('audit', accountKey), query);
  }

  private by(procedure: keyof typeof adminContract, accountKey: string): Promise<KeyHolder> {
    return this.keys.authenticate(accountKey, ADMIN_SCOPES[procedure]);
  }
}

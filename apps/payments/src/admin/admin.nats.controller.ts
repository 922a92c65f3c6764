import { Controller } from '@nestjs/common';
import { adminContract, type CreditGrant, type NewAccountKey, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { AdminService } from './admin.service.js';

type Asked<P extends keyof typeof adminContract> = ParsedRequestOf<(typeof adminContract)[P]>;

@Controller()
export class AdminNatsController {
  constructor(private readonly admin: AdminService) {}

  @Handle(adminContract.accounts)
  accounts({ by, ...query }: Asked<'accounts'>) {
    return this.admin.findAccounts(by, query);
  }

  @Handle(adminContract.createAccount)
  createAccount({ by, ...asked }: Asked<'createAccount'>) {
    return this.admin.createAccount(by, asked);
  }

  @Handle(adminContract.account)
  account({ by, accountId }: Asked<'account'>) {
    return this.admin.account(by, accountId);
  }

  @Handle(adminContract.setPlan)
  setPlan({ by, ...asked }: Asked<'setPlan'>) {
    return this.admin.setPlan(by, asked);
  }

  @Handle(adminContract.grantCredit)
  grantCredit({ by, ...asked }: Asked<'grantCredit'>): Promise<CreditGrant> {
    return this.admin.grantCredit(by, asked);
  }

  @Handle(adminContract.issueKey)
  issueKey({ by, ...asked }: Asked<'issueKey'>): Promise<NewAccountKey> {
    return this.admin.issueKey(by, asked);
  }

  @Handle(adminContract.revokeKey)
  revokeKey({ by, accountId, keyId }: Asked<'revokeKey'>) {
    return this.admin.revokeKey(by, accountId, keyId);
  }

  @Handle(adminContract.setLicences)
  setLicences({ by, ...asked }: Asked<'setLicences'>) {
    return this.admin.setLicences(by, asked);
  }

  @Handle(adminContract.spotPrices)
  spotPrices({ by, metal }: Asked<'spotPrices'>) {
    return this.admin.spotPrices(by, metal);
  }

  @Handle(adminContract.setSpotPrice)
  setSpotPrice({ by, ...price }: Asked<'setSpotPrice'>) {
    return this.admin.setSpotPrice(by, price);
  }

  @Handle(adminContract.reconcile)
  reconcile({ by }: Asked<'reconcile'>) {
    return this.admin.reconcile(by);
  }

  @Handle(adminContract.sagas)
  sagas({ by, ...query }: Asked<'sagas'>) {
    return this.admin.findSagas(by, query);
  }

  @Handle(adminContract.resumeSaga)
  resumeSaga({ by, sagaId }: Asked<'resumeSaga'>) {
    return this.admin.resumeSaga(by, sagaId);
  }

  @Handle(adminContract.audit)
  audit({ by, ...query }: Asked<'audit'>) {
    return this.admin.records(by, query);
  }
}

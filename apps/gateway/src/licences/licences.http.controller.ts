import { Controller, Header, Param, UseInterceptors } from '@nestjs/common';
import {
  type AccountLicences,
  type KeyHolder,
  type DidDocument,
  licencesContract,
  licencesRoutes,
  type LicenceVerdict,
  type PublicKeys,
  receiptsContract,
  receiptsRoutes,
  x402Contract,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { AccountOf, Endpoint, Keyed, UnpaidWork } from '@svc/edge';

const { params: VerifyKeyParams } = licencesRoutes.verifyKey;

@Controller()
export class LicencesHttpController {
  constructor(private readonly bus: BusClient) {}

  /** Always 200: that a key is worth nothing is the answer, not a fault of the request. */
  @Endpoint(licencesRoutes.verifyKey)
  @UseInterceptors(UnpaidWork)
  @Header('cache-control', 'no-store')
  verifyKey(
    @Param({ schema: VerifyKeyParams }) { licenseKey }: z.output<typeof VerifyKeyParams>,
  ): Promise<z.output<typeof LicenceVerdict>> {
    return this.bus.call(licencesContract.check, { licenseKey });
  }

  @Endpoint(licencesRoutes.ofAccount)
  @Keyed({ whole: true })
  ofAccount(@AccountOf() { accountId }: KeyHolder): Promise<AccountLicences> {
    return this.bus.call(licencesContract.ofAccount, { accountId });
  }

  @Endpoint(licencesRoutes.licenceKeys)
  @Header('cache-control', 'public, max-age=300')
  licenceKeys(): Promise<z.output<typeof PublicKeys>> {
    return this.bus.call(licencesContract.keys, {});
  }

  @Endpoint(licencesRoutes.walKeys)
  @Header('cache-control', 'public, max-age=300')
  walKeys(): Promise<z.output<typeof PublicKeys>> {
    return this.bus.call(x402Contract.walKeys, {});
  }

  @Endpoint(receiptsRoutes.receiptKeys)
  @Header('cache-control', 'public, max-age=300')
  receiptKeys(): Promise<z.output<typeof PublicKeys>> {
    return this.bus.call(receiptsContract.keys, {});
  }

  @Endpoint(receiptsRoutes.did)
  @Header('cache-control', 'public, max-age=300')
  did(): Promise<DidDocument> {
    return this.bus.call(receiptsContract.did, {});
  }
}

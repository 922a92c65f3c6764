import { Body, Controller, Header, UseInterceptors } from '@nestjs/common';
import {
  auditContract,
  licencesRoutes,
  PqVerifyRequest,
  type PqVerifyResult,
  type PublicKeys,
  starkRoutes,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { z } from 'zod';
import { Endpoint, UnpaidWork } from '@svc/edge';

@Controller()
export class AuditHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(licencesRoutes.proofKeys)
  @Header('cache-control', 'public, max-age=300')
  proofKeys(): Promise<z.output<typeof PublicKeys>> {
    return this.bus.call(auditContract.proofKeys, {});
  }

  @Endpoint(starkRoutes.pqVerify)
  @UseInterceptors(UnpaidWork)
  pqVerify(
    @Body({ schema: PqVerifyRequest }) request: z.output<typeof PqVerifyRequest>,
  ): Promise<PqVerifyResult> {
    const { proof, signature, publicKey, ...rest } = request;
    return this.bus.call(auditContract.pqVerify, {
      ...rest,
      proof: Buffer.from(proof, 'base64'),
      signature: Buffer.from(signature, 'base64'),
      ...(publicKey === undefined ? {} : { publicKey: Buffer.from(publicKey, 'base64') }),
    });
  }
}

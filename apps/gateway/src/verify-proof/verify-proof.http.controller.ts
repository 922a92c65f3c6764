import { Body, Controller, UseInterceptors } from '@nestjs/common';
import {
  AirCheckRequest,
  type AirCheckResult,
  auditContract,
  proverContract,
  starkProveContract,
  starkRoutes,
  VerifyAuditRequest,
  VerifyProofRequest,
  type VerifyProofResult,
} from '@svc/contracts';
import { BusClient, parseOrProblem } from '@svc/platform';
import { Endpoint, UnpaidWork, WorkUnits } from '@svc/edge';

/** Looking at a definition with a statement takes half a second at most: sixty a minute of one address. */
const CHECK_UNITS = 500;

@Controller()
export class VerifyProofHttpController {
  constructor(private readonly bus: BusClient) {}

  /** @param body a proof or an audit proof; read by the schema of what it names, so that a fault is named within it */
  @Endpoint(starkRoutes.verifyProof)
  @UseInterceptors(UnpaidWork)
  verifyProof(@Body() body: unknown): Promise<VerifyProofResult> {
    if (typeof body === 'object' && body !== null && 'auditProof' in body) {
      return this.bus.call(auditContract.verifyAudit, parseOrProblem(VerifyAuditRequest, body));
    }
    const request = parseOrProblem(VerifyProofRequest, body);
    const proof = Buffer.from(request.proof, 'base64');
    return this.bus.call(proverContract.verifyProof, { ...request, proof });
  }

  @Endpoint(starkRoutes.checkAir)
  @UseInterceptors(UnpaidWork)
  @WorkUnits(CHECK_UNITS)
  checkAir(@Body({ schema: AirCheckRequest }) request: AirCheckRequest): Promise<AirCheckResult> {
    return this.bus.call(starkProveContract.checkAir, request);
  }
}

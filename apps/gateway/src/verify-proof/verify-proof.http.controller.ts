import { Body, Controller, UseInterceptors } from '@nestjs/common';
import {
  auditContract,
  proverContract,
  starkRoutes,
  VerifyAuditRequest,
  VerifyProofRequest,
  type VerifyProofResult,
} from '@svc/contracts';
import { BusClient, parseOrProblem } from '@svc/platform';
import { Endpoint, UnpaidWork } from '@svc/edge';

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
}

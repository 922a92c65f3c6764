import { Controller, Inject } from '@nestjs/common';
import {
  auditContract,
  type AuditProof,
  type ParsedRequestOf,
  type PqVerifyResult,
  type VerifyAuditRequest,
  type VerifyProofResult,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { AuditService } from './audit.service.js';
import { SignedProofService } from './signed-proof.service.js';
import { SIGNING_KEYS, type SigningKeys } from './signing-keys.js';

@Controller()
export class AuditNatsController {
  constructor(
    private readonly audits: AuditService,
    private readonly signed: SignedProofService,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
  ) {}

  @Handle(auditContract.attest)
  attest(request: ParsedRequestOf<typeof auditContract.attest>): Promise<AuditProof> {
    return this.audits.attest(request);
  }

  @Handle(auditContract.attestAll)
  async attestAll(request: ParsedRequestOf<typeof auditContract.attestAll>) {
    return { auditProofs: await this.audits.attestAll(request) };
  }

  @Handle(auditContract.verifyAudit)
  verifyAudit(request: VerifyAuditRequest): Promise<VerifyProofResult> {
    return this.signed.verifyAudit(request);
  }

  @Handle(auditContract.pqVerify)
  pqVerify(call: ParsedRequestOf<typeof auditContract.pqVerify>): Promise<PqVerifyResult> {
    return this.signed.pqVerify(call);
  }

  @Handle(auditContract.proofKeys)
  proofKeys() {
    return { keys: this.keys.published() };
  }
}

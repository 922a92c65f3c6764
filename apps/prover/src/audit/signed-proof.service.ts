import { Inject, Injectable } from '@nestjs/common';
import {
  AUDIT_AIR_ID,
  keyedSignatureFault,
  ROOT_SIGNATURE_CONTEXT,
  signatureFault,
  verifyAuditProof,
} from '@svc/audit-proof';
import type {
  auditContract,
  ParsedRequestOf,
  PqVerifyResult,
  VerifyAuditRequest,
  VerifyProofResult,
} from '@svc/contracts';
import { ProblemError } from '@svc/platform';
import type { VerifierBackend } from '@svc/stark-verifier';
import { VERIFIER_BACKEND } from '../engine.js';
import { ProofStore } from '../proofs/proof-store.js';
import { VerifyService } from '../verify/verify.service.js';
import { SIGNING_KEYS, type SigningKeys } from './signing-keys.js';

type PqVerifyCall = ParsedRequestOf<typeof auditContract.pqVerify>;
type SignatureVerdict = PqVerifyResult['signature'];

/** Checks what was signed: audit proofs, and any proof with an ML-DSA-65 signature. What is false is an answer. */
@Injectable()
export class SignedProofService {
  constructor(
    private readonly store: ProofStore,
    private readonly verifier: VerifyService,
    @Inject(VERIFIER_BACKEND) private readonly backend: VerifierBackend,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
  ) {}

  /** `POST /v1/stark/verify-proof` with an audit proof; the batch's proof is the one kept here. */
  async verifyAudit({ auditProof, result, request, policy }: VerifyAuditRequest): Promise<VerifyProofResult> {
    const startedAt = performance.now();
    const proof = await this.fetch(auditProof.proofId);
    if (!proof) return invalidAudit('proof-not-kept', startedAt);
    const claim = { auditProof, proof, keys: this.keys.published(), result, request };
    const { valid, reason, detail, stark } = verifyAuditProof(claim, policy, this.backend);
    if (!valid || !stark?.valid)
      return invalidAudit(detail ? `${reason}: ${detail}` : String(reason), startedAt);
    const { traceLength, blowupFactor, parameterSet, securityBits, conjecturedSecurityBits } = stark;
    return {
      valid,
      airId: AUDIT_AIR_ID,
      traceLength,
      friBlowup: blowupFactor,
      parameterSet,
      securityBits,
      conjecturedSecurityBits,
      verificationLatencyMs: elapsedMs(startedAt),
    };
  }

  /** `POST /v1/stark/pq-verify`: valid only if the proof and the signature over it are. */
  pqVerify(call: PqVerifyCall): PqVerifyResult {
    const { proof, publicInputs, airId, contextDomain, policy } = call;
    const verdict = this.verifier.verify({ proof, publicInputs, airId, contextDomain, policy });
    const signature = this.signatureVerdict(call);
    const valid = verdict.valid && signature.valid;
    if (valid) return { valid, proof: verdict, signature };
    const reason = verdict.valid ? `signature: ${signature.reason}` : `proof: ${verdict.reason}`;
    return { valid, reason, proof: verdict, signature };
  }

  private signatureVerdict(call: PqVerifyCall): SignatureVerdict {
    const { proof, publicInputs, airId, contextDomain, signature, context, expiresAt, keyId } = call;
    const named = keyId === undefined ? {} : { keyId };
    if (context !== ROOT_SIGNATURE_CONTEXT) return { valid: false, reason: 'wrong-context', ...named };
    const expiresAtSeconds = Date.parse(expiresAt) / 1_000;
    const statement = { proof, publicInputs, airId, contextDomain, expiresAtSeconds };
    const nowSeconds = Date.now() / 1_000;
    const reason = call.publicKey
      ? signatureFault(statement, signature, call.publicKey, nowSeconds, context, this.backend)
      : keyedSignatureFault(
          statement,
          signature,
          keyId ?? '',
          this.keys.published(),
          nowSeconds,
          this.backend,
        );
    return reason ? { valid: false, reason, ...named } : { valid: true, ...named };
  }

  private async fetch(proofId: string): Promise<Uint8Array | undefined> {
    try {
      return (await this.store.fetch(proofId)).proof;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}

function invalidAudit(reason: string, startedAt: number): VerifyProofResult {
  return {
    valid: false,
    reason,
    airId: AUDIT_AIR_ID,
    securityBits: 0,
    conjecturedSecurityBits: 0,
    verificationLatencyMs: elapsedMs(startedAt),
  };
}

const elapsedMs = (startedAt: number) => Math.round((performance.now() - startedAt) * 1_000) / 1_000;

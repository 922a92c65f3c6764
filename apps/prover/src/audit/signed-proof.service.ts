import { Inject, Injectable } from '@nestjs/common';
import { AUDIT_AIR_ID, ROOT_SIGNATURE_CONTEXT } from '@svc/audit-proof';
import { VerifierThreads } from '@svc/audit-proof/node';
import {
  type auditContract,
  type ParsedRequestOf,
  type PqVerifyResult,
  type VerifyAuditRequest,
  type VerifyProofResult,
} from '@svc/contracts';
import { ProblemError } from '@svc/platform';
import { ProofStore } from '../proofs/proof-store.js';
import { checked, milliseconds, VerifyService } from '../verify/verify.service.js';
import { SIGNING_KEYS, type SigningKeys } from './signing-keys.js';

type PqVerifyCall = ParsedRequestOf<typeof auditContract.pqVerify>;
type SignatureVerdict = PqVerifyResult['signature'];

/** Checks what was signed: audit proofs, and any proof with an ML-DSA-65 signature. What is false is an answer. */
@Injectable()
export class SignedProofService {
  constructor(
    private readonly store: ProofStore,
    private readonly verifier: VerifyService,
    private readonly threads: VerifierThreads,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
  ) {}

  /**
   * `POST /v1/stark/verify-proof` with an audit proof; the batch's proof is the one kept here, where it has one.
   * @throws ProblemError OVERLOADED
   */
  async verifyAudit({ auditProof, result, request, policy }: VerifyAuditRequest): Promise<VerifyProofResult> {
    const proof = 'proofId' in auditProof ? await this.fetch(auditProof.proofId) : undefined;
    if ('proofId' in auditProof && !proof) return invalidAudit('proof-not-kept', 0);
    const claim = { auditProof, proof, keys: this.keys.published(), result, request };
    const { verdict, ms } = await checked(this.threads.verifyAudit(claim, policy));
    const { valid, reason, detail, stark } = verdict;
    if (!valid) return invalidAudit(detail ? `${reason}: ${detail}` : String(reason), ms);
    if (!stark?.valid) return { ...SIGNED_ALONE, verificationLatencyMs: milliseconds(ms) };
    const { traceLength, blowupFactor, parameterSet, securityBits, conjecturedSecurityBits } = stark;
    return {
      valid,
      airId: AUDIT_AIR_ID,
      traceLength,
      friBlowup: blowupFactor,
      parameterSet,
      securityBits,
      conjecturedSecurityBits,
      verificationLatencyMs: milliseconds(ms),
    };
  }

  /** `POST /v1/stark/pq-verify`: valid only if the proof and the signature over it are. @throws ProblemError OVERLOADED */
  async pqVerify(call: PqVerifyCall): Promise<PqVerifyResult> {
    const { proof, publicInputs, airId, air, contextDomain, policy } = call;
    const verdict = await this.verifier.verify({ proof, publicInputs, airId, air, contextDomain, policy });
    const signature = await this.signatureVerdict(call);
    const valid = verdict.valid && signature.valid;
    if (valid) return { valid, proof: verdict, signature };
    const reason = verdict.valid ? `signature: ${signature.reason}` : `proof: ${verdict.reason}`;
    return { valid, reason, proof: verdict, signature };
  }

  private async signatureVerdict(call: PqVerifyCall): Promise<SignatureVerdict> {
    const { proof, publicInputs, airId, contextDomain, signature, publicKey, context, expiresAt, keyId } =
      call;
    const named = keyId === undefined ? {} : { keyId };
    if (context !== ROOT_SIGNATURE_CONTEXT) return { valid: false, reason: 'wrong-context', ...named };
    const expiresAtSeconds = Date.parse(expiresAt) / 1_000;
    const statement = { proof, publicInputs, airId, contextDomain, expiresAtSeconds };
    const key = publicKey
      ? { publicKey: Uint8Array.from(publicKey) }
      : { kid: keyId ?? '', keys: this.keys.published() };
    const { verdict: reason } = await checked(this.threads.signatureFault({ ...statement, signature, key }));
    return reason ? { valid: false, reason, ...named } : { valid: true, ...named };
  }

  private async fetch(proofId: string): Promise<Uint8Array | undefined> {
    // Postgres looks for no such id.
    if (proofId.includes('\0')) return undefined;
    try {
      return (await this.store.fetch(proofId)).proof;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}

/** What is said of an audit proof whose signature holds, and whose root no STARK covers. */
const SIGNED_ALONE = {
  valid: true,
  airId: AUDIT_AIR_ID,
  ...{ securityBits: 0, conjecturedSecurityBits: 0 },
  doesNotProve:
    'Anything by a STARK: the root of the batch is signed, and nothing shows that the rules of its other answers were applied right.',
};

function invalidAudit(reason: string, ms: number): VerifyProofResult {
  return {
    valid: false,
    reason,
    airId: AUDIT_AIR_ID,
    securityBits: 0,
    conjecturedSecurityBits: 0,
    verificationLatencyMs: milliseconds(ms),
  };
}

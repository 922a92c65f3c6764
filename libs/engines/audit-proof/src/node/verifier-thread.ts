import { answerTasks } from '@svc/kernels/node';
import { type ProofClaim, verify, type VerifierBackend, type VerifierPolicy } from '@svc/stark-verifier';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import { keyedSignatureFault, type ProofKey } from '../proof-key.js';
import { ROOT_SIGNATURE_CONTEXT, signatureFault, type SignedStatement } from '../root-signature.js';
import { type AuditClaim, type AuditPolicy, verifyAuditProof } from '../verify-audit-proof.js';

/** A proof with a signature over it, and the key that is to have made that. */
export interface SignedClaim extends SignedStatement {
  readonly signature: Uint8Array;
  readonly key:
    { readonly publicKey: Uint8Array } | { readonly kid: string; readonly keys: readonly ProofKey[] };
}

/** What a thread checks. */
export type VerifierTask =
  | { readonly kind: 'proof'; readonly claim: ProofClaim; readonly policy?: VerifierPolicy }
  | { readonly kind: 'audit'; readonly claim: AuditClaim; readonly policy?: AuditPolicy }
  | { readonly kind: 'signature'; readonly claim: SignedClaim };

/** What came out, and how long the check took, milliseconds. */
export interface VerifierReply {
  readonly verdict: unknown;
  readonly ms: number;
}

answerTasks<VerifierTask, VerifierReply>(async task => {
  const backend = await loadWasmVerifierBackend();
  const startedAt = performance.now();
  const verdict = check(task, backend);
  return { verdict, ms: performance.now() - startedAt };
});

function check(task: VerifierTask, backend: VerifierBackend): unknown {
  switch (task.kind) {
    case 'proof':
      return verify(task.claim, task.policy, backend);
    case 'audit':
      return verifyAuditProof(task.claim, task.policy, backend);
    case 'signature':
      return faultOf(task.claim, backend);
  }
}

function faultOf({ key, signature, ...statement }: SignedClaim, backend: VerifierBackend) {
  const nowSeconds = Date.now() / 1_000;
  return 'publicKey' in key
    ? signatureFault(statement, signature, key.publicKey, nowSeconds, ROOT_SIGNATURE_CONTEXT, backend)
    : keyedSignatureFault(statement, signature, key.kid, key.keys, nowSeconds, backend);
}

import type { ProofPath } from './asked-statement.js';
import { namedDifference } from './verify-bought.js';
import { type LocalClaim, type LocalVerdict, verifyLocally } from './verify-locally.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** A proof as `GET /v1/stark/proofs/:proofId` gives it, asked for JSON. */
export interface NamedProof {
  readonly proofId?: string;
  readonly airId: string;
  readonly publicInputs: Readonly<Record<string, never>>;
  readonly contextDomain?: string;
  /** base64 */
  readonly proof: string;
  /** When the service took back what it was made for. */
  readonly revokedAt?: string;
}

/** Whether an answer names the STARK that it rests on by its id, and does not have it. */
export const namesProof = (answer: JsonObject): answer is JsonObject & { proofId: string; airId: string } =>
  typeof answer['proofId'] === 'string' &&
  typeof answer['airId'] === 'string' &&
  typeof answer['proof'] !== 'string';

/** An answer with the proof that it names. What it states itself stays: the proof must be of that. */
export function withNamedProof(answer: JsonObject, named: NamedProof): JsonObject {
  const { publicInputs, contextDomain = '', proof } = named;
  return { publicInputs, contextDomain, ...answer, proof };
}

/** Where an answer that is a proof, or names one, was bought; undefined where it does not say. */
export function proofPathOf({ airId, statement, fieldPrimeHex }: JsonObject): ProofPath | undefined {
  if (airId === 'hash-chain/v1') return '/v1/zk/prove';
  if (airId === 'spatial-box/v1') return '/v1/tools/zk_prove_spatial';
  if (statement === undefined)
    return /^binding\//.test(String(airId)) ? '/v1/tools/generate_goldilocks_stark_proof' : undefined;
  if (fieldPrimeHex === '0xffffffff00000001') return '/v1/stark/prove-goldilocks';
  return fieldPrimeHex === '0x7fffffff' ? '/v1/stark/prove-m31' : undefined;
}

/**
 * Verifies the proof that an answer names on this machine: that it holds, is of what the answer states, has the root that the
 * answer has, and was not revoked. What was asked for is not compared: see `verifyBought`. What is false is a value, never an
 * exception.
 */
export function verifyNamedProof(
  answer: JsonObject,
  named: NamedProof,
  options: Pick<LocalClaim, 'traceData' | 'securityBitsMin'> = {},
): LocalVerdict {
  const { airId, publicInputs, contextDomain, proof } = withNamedProof(
    answer,
    named,
  ) as unknown as NamedProof;
  const startedAt = performance.now();
  const rejected = (reason: string, detail: string): LocalVerdict => ({
    ...{ valid: false, airId, reason, detail, verificationLatencyMs: performance.now() - startedAt },
  });
  const verdict = verifyLocally({ proof, airId, publicInputs, contextDomain, ...options });
  if (!verdict.valid) return verdict;
  const difference = namedDifference(answer, verdict);
  if (difference !== undefined) return rejected('proof-mismatch', difference);
  const { revokedAt } = named;
  return revokedAt === undefined ? verdict : rejected('revoked', `the service took it back at ${revokedAt}`);
}

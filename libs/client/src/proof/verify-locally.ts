import {
  findAir,
  hashChainInputDigest,
  parseTraceData,
  PROFILE_FACTS,
  proofRootHash,
  verify,
  WitnessError,
} from '@svc/stark-verifier';
import type { PublicInputs } from '../api-types.js';
import { decodeBase64, toHex } from '../challenge/byte-text.js';

/** A proof, and what it is said to prove. */
export interface LocalClaim {
  /** The proof's bytes, or their base64 as it comes in an answer. */
  readonly proof: Uint8Array | string;
  readonly publicInputs: PublicInputs;
  readonly airId: string;
  /** The definition that `airId` is the id of, where somebody else has made it: its text. */
  readonly air?: string;
  /** Statements that you accept, by their ids. Without it a proof under a definition is valid for the definition beside it, which its author chose. */
  readonly airIds?: readonly string[];
  readonly contextDomain?: string;
  /**
   * Rows that the proof must be about (`traceLength` of the answer). Without it any length passes,
   * so read `traceLength` of the verdict.
   */
  readonly traceLength?: number;
  /** The input that you sent: the proof must be about it, not only about what the answer repeats. */
  readonly traceData?: string;
  /** Least proven security that you accept, bits. Default 80. */
  readonly securityBitsMin?: number;
  readonly conjecturedSecurityBitsMin?: number;
}

export interface AcceptedProof {
  readonly valid: true;
  readonly airId: string;
  /** What the statement might be taken to say and does not, where another has replaced it. */
  readonly doesNotProve?: string;
  /** Of a definition that somebody else has made: whether `airIds` names it. */
  readonly definitionExpected?: boolean;
  readonly traceLength: number;
  readonly friBlowup: number;
  readonly parameterSet: string;
  readonly zeroKnowledge: boolean;
  /** Proven soundness, bits. */
  readonly securityBits: number;
  readonly conjecturedSecurityBits: number;
  /** BLAKE3 of the proof, 0x hex: what the answer calls it must be this. */
  readonly proofRootHash: string;
  /** Merkle commitment to the execution trace, 0x hex. */
  readonly starkRootCommitment: string;
  /** Whether `traceData` was given, and is what the proof is about. */
  readonly boundToTraceData: boolean;
  readonly verificationLatencyMs: number;
}

export interface RejectedProof {
  readonly valid: false;
  readonly airId: string;
  /** The first check that failed, a stable word: `trace-opening`, `trace-data-mismatch`, … */
  readonly reason: string;
  readonly detail?: string;
  readonly verificationLatencyMs: number;
}

export type LocalVerdict = AcceptedProof | RejectedProof;

/** The field that a proof is over. */
type ProofField = 'goldilocks' | 'm31';
const ELEMENT_DIGITS: Readonly<Record<ProofField, number>> = { goldilocks: 16, m31: 8 };

/**
 * The digest of an input as `hash-chain/v1` states it among its public inputs: 8 field elements,
 * `0x` and 16 hex digits each; over M31, 16 elements of 8 digits.
 *
 * @throws {WitnessError} for an input that cannot be proved: empty, too long, odd hex
 */
export function inputDigestOf(traceData: string, field: ProofField = 'goldilocks'): string[] {
  const digits = ELEMENT_DIGITS[field];
  return hashChainInputDigest(traceData, field).map(
    element => `0x${element.toString(16).padStart(digits, '0')}`,
  );
}

/** Why public inputs are not those of traceData, or undefined when they are. */
function traceDataFault(
  { airId, publicInputs }: LocalClaim,
  traceData: string,
  field: ProofField,
): string | undefined {
  if (airId !== 'hash-chain/v1') return `traceData is not an input of ${airId}`;
  let input: ReturnType<typeof parseTraceData>;
  try {
    input = parseTraceData(traceData);
  } catch (error) {
    if (error instanceof WitnessError) return error.message;
    throw error;
  }
  const air = findAir(airId, field);
  const stated = air?.publicInputsToJson(air.publicInputsFromJson(publicInputs)) ?? {};
  const { domain, bytes } = input;
  if (stated['domain'] !== domain) return `the proof is about ${stated['domain']}, traceData is ${domain}`;
  if (stated['length'] !== bytes.length)
    return `the proof is about ${stated['length']} bytes, traceData has ${bytes.length}`;
  if (String(stated['inputDigest']) !== String(inputDigestOf(traceData, field)))
    return 'the proof is about another input of the same length';
  return undefined;
}

/**
 * Verifies a proof on this machine, with no server to trust: in a browser as in Node. A false proof
 * is a value, never an exception; what is no claim at all is a TypeError.
 *
 * @example
 * const { data } = await client.prove({ traceData: 'hello' });
 * const verdict = verifyLocally({ ...data, traceData: 'hello' });
 * if (!verdict.valid) throw new Error(verdict.reason);
 */
export function verifyLocally(claim: LocalClaim, ...none: readonly never[]): LocalVerdict {
  // A policy that is written there would be passed over, and a proof of anything taken.
  if (none.length > 0)
    throw new TypeError('verifyLocally takes one argument: airIds and the rest are members of the claim');
  const startedAt = performance.now();
  const { airId, air, airIds, publicInputs, contextDomain, traceLength, traceData } = claim;
  const rejected = (reason: string, detail?: string): RejectedProof => ({
    valid: false,
    airId,
    reason,
    ...(detail === undefined ? {} : { detail }),
    verificationLatencyMs: performance.now() - startedAt,
  });
  const proof = typeof claim.proof === 'string' ? decodeBase64(claim.proof) : claim.proof;
  if (proof === undefined) return rejected('not-base64', 'the proof is not base64');
  const verdict = verify(
    { proof, airId, air, publicInputs, contextDomain, traceLength },
    {
      ...(airIds && { airIds }),
      securityBitsMin: claim.securityBitsMin,
      conjecturedSecurityBitsMin: claim.conjecturedSecurityBitsMin,
    },
  );
  if (!verdict.valid) return rejected(verdict.reason, verdict.detail);
  // Only after the verification, which has shown that the public inputs are well-formed.
  const fault =
    traceData === undefined
      ? undefined
      : traceDataFault(claim, traceData, PROFILE_FACTS[verdict.profile].base);
  if (fault !== undefined) return rejected('trace-data-mismatch', fault);
  return {
    valid: true,
    airId,
    ...(verdict.doesNotProve === undefined ? {} : { doesNotProve: verdict.doesNotProve }),
    ...(verdict.definitionExpected === undefined ? {} : { definitionExpected: verdict.definitionExpected }),
    traceLength: verdict.traceLength,
    friBlowup: verdict.blowupFactor,
    parameterSet: verdict.parameterSet,
    zeroKnowledge: verdict.zeroKnowledge,
    securityBits: verdict.securityBits,
    conjecturedSecurityBits: verdict.conjecturedSecurityBits,
    proofRootHash: proofRootHash(proof),
    starkRootCommitment: `0x${toHex(verdict.traceRoot)}`,
    boundToTraceData: traceData !== undefined,
    verificationLatencyMs: performance.now() - startedAt,
  };
}

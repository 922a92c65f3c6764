import type { ProofParameters } from '../../proof-parameters.js';
import { readFileSync } from 'node:fs';
import type { ParameterSet } from '../../parameters.js';
import type { ProofClaim, VerifierPolicy } from '../../verify.js';

/** A small proof that is pinned to the byte. */
export interface ProofVector {
  readonly name: string;
  readonly airId: string;
  /** As the AIR's witnessFromJson reads it. */
  readonly witness: unknown;
  readonly contextDomain: string;
  readonly parameters: ProofParameters;
  readonly publicInputs: Record<string, unknown>;
  readonly starkRootCommitment: string;
  readonly friBytes: number;
  /** Base64. */
  readonly proof: string;
}

export const PROOF_VECTORS_FILE = new URL('../../proof.vectors.json', import.meta.url);

function proofsIn(file: URL): readonly ProofVector[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { proofs: readonly ProofVector[] }).proofs;
}

/** Proofs of every profile, with and without zero knowledge, in the version of the format that is written. */
export const proofVectors = proofsIn(PROOF_VECTORS_FILE);
/** The same statements in version 2, as they were first made; these never change. */
export const version2ProofVectors = proofsIn(new URL('../../earlier-proof.vectors.json', import.meta.url));

/** A parameter set that prescribes just these parameters. */
export function parameterSetOf(parameters: ProofParameters, id = 'test'): ParameterSet {
  const { profile, blowupFactor, queryCount, grindingBits } = parameters;
  return { id, profile, grindingBits, queryCounts: { [blowupFactor]: queryCount } };
}

/** Accepts these parameters, whatever they are worth. */
export function laxPolicy(...accepted: ProofParameters[]): VerifierPolicy {
  return {
    parameterSets: accepted.map((parameters, i) => parameterSetOf(parameters, `test-${i}`)),
    securityBitsMin: 0,
  };
}

export function claimOf({ airId, contextDomain, publicInputs, proof }: ProofVector): ProofClaim {
  return { airId, contextDomain, publicInputs, proof: Uint8Array.from(Buffer.from(proof, 'base64')) };
}

import type { FormatVersion } from './proof-parameters.js';
import type { ProfileName } from './profile-facts.js';
import type { HeaderFault } from './proof-header.js';

/** Why a proof was rejected, from the first check that failed. */
export type RejectionReason =
  | HeaderFault
  | 'unknown-air'
  | 'air-not-expected'
  | 'definition-missing'
  | 'definition-refused'
  | 'definition-mismatch'
  | 'invalid-public-inputs'
  | 'invalid-context-domain'
  | 'parameters-not-allowed'
  | 'trace-length-mismatch'
  | 'insufficient-security'
  | 'truncated'
  | 'trailing-bytes'
  | 'non-canonical-element'
  | 'constraints-unsatisfied'
  | 'insufficient-grinding'
  | 'trace-opening'
  | 'composition-opening'
  | 'layer-opening'
  | 'final-polynomial-mismatch';

/** A proof that holds: everything below was checked, not just claimed. */
export interface ValidVerdict {
  readonly valid: true;
  readonly airId: string;
  /** What the statement might be taken to say and does not, of an AIR that another has replaced. */
  readonly doesNotProve?: string;
  /** Of a definition that somebody else has made: whether the policy names it. Where not, the proof is of the definition beside it. */
  readonly definitionExpected?: boolean;
  /** Version of the proof format. */
  readonly formatVersion?: FormatVersion;
  readonly parameterSet: string;
  readonly profile: ProfileName;
  readonly zeroKnowledge: boolean;
  readonly traceLength: number;
  readonly blowupFactor: number;
  readonly queryCount: number;
  readonly grindingBits: number;
  /** Proven soundness. */
  readonly securityBits: number;
  /** A heuristic; see security.ts. */
  readonly conjecturedSecurityBits: number;
  /** Merkle root of the trace, 32 bytes. */
  readonly traceRoot: Uint8Array;
}

/** A proof that does not hold proves nothing: its figures are 0. */
export interface InvalidVerdict {
  readonly valid: false;
  readonly airId: string;
  readonly reason: RejectionReason;
  /** More about the reason, for people. */
  readonly detail?: string;
  readonly securityBits: 0;
  readonly conjecturedSecurityBits: 0;
}

export type Verdict = ValidVerdict | InvalidVerdict;

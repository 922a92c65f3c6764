import type { ProfileName } from './profile-facts.js';

/** Versions of the proof format that are read (docs/stark-format.md); the last is the one that is written. */
export const FORMAT_VERSIONS = [2, 3] as const;

export type FormatVersion = (typeof FORMAT_VERSIONS)[number];

export const FORMAT_VERSION: FormatVersion = 3;

/** The numbers a proof is made under; everything else is fixed by the profile. */
export interface ProofParameters {
  /** Without it, the version that is written now. */
  readonly formatVersion?: FormatVersion;
  readonly profile: ProfileName;
  /** Rows of the trace, a power of two, 64 … 2^20; with zero knowledge at least 2,048 and `leastTraceLength`. */
  readonly traceLength: number;
  /** Inverse of the code's rate: 2, 4, 8, 16 or 32. */
  readonly blowupFactor: number;
  /** 1 … 512. */
  readonly queryCount: number;
  /** 0 … 32. */
  readonly grindingBits: number;
  readonly zeroKnowledge: boolean;
}

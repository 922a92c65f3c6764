/** The numbers a proof is made under; everything else is fixed by the profile. */
export interface ProofParameters {
  /** Rows of the trace, a power of two, 64 … 2^20. */
  readonly traceLength: number;
  /** Inverse of the code's rate: 2, 4, 8, 16 or 32. */
  readonly blowupFactor: number;
  readonly queryCount: number;
  readonly grindingBits: number;
}

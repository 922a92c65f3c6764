import type { BrokenConstraint } from './check-trace.js';

/** Why a witness cannot be proved; `malformed-*` codes are faults of form, the others of size or of truth. */
export type WitnessErrorCode =
  | 'malformed-hex-odd-length'
  | 'malformed-hex-digit'
  | 'malformed-text'
  | 'malformed-element'
  | 'malformed-number'
  | 'malformed-salt'
  | 'malformed-witness'
  | 'malformed-trace'
  | 'input-empty'
  | 'input-too-long'
  | 'input-exceeds-chain'
  | 'input-exceeds-trace'
  | 'input-out-of-range'
  | 'coordinate-outside-box'
  | 'preimage-mismatch'
  | 'constraint-violated';

/** What was broken: a bound, big numbers as text and choices as a list, and what stands against it where that is no value of the input. */
export interface WitnessBound {
  readonly max?: number | string | readonly string[];
  readonly got?: number | readonly string[];
}

/** A witness that the AIR cannot run on. `field` names the input, `max` and `got` the bound and the value where there is one. */
export class WitnessError extends Error {
  override readonly name = 'WitnessError';
  /** Where a trace breaks which constraint, of code `constraint-violated`. */
  readonly row?: number;
  readonly constraint?: string;

  constructor(
    readonly code: WitnessErrorCode,
    readonly field: string,
    message: string,
    readonly bound?: WitnessBound,
    broken?: BrokenConstraint,
  ) {
    super(`${field} ${message}`);
    if (broken) {
      this.row = broken.row;
      this.constraint = broken.constraint;
    }
  }
}

/** Why a witness cannot be proved; `malformed-*` codes are faults of form, the others of size. */
export type WitnessErrorCode =
  | 'malformed-hex-odd-length'
  | 'malformed-hex-digit'
  | 'malformed-text'
  | 'malformed-element'
  | 'input-empty'
  | 'input-too-long'
  | 'input-exceeds-chain';

/** A witness that the AIR cannot run on. `field` names the input, `max` and `got` the bound and the value where there is one. */
export class WitnessError extends Error {
  override readonly name = 'WitnessError';

  constructor(
    readonly code: WitnessErrorCode,
    readonly field: string,
    message: string,
    readonly bound?: { readonly max: number; readonly got: number },
  ) {
    super(`${field} ${message}`);
  }
}

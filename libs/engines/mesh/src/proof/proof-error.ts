/** Which part of a proof cannot be what it stands for. */
export type ProofPart =
  | 'METHOD'
  | 'PATH'
  | 'DESCRIPTION'
  | 'FINGERPRINT'
  | 'KEY'
  | 'NONCE'
  | 'TIMESTAMP'
  | 'SESSION_ID'
  | 'SIGNATURE';

/** A part of a proof of identity that is malformed. Whether a proof holds is another question. */
export class ProofError extends Error {
  override readonly name = 'ProofError';

  constructor(
    readonly part: ProofPart,
    message: string,
  ) {
    super(message);
  }
}

import { SvcError } from '../errors.js';

/** Why an answer, or what another peer says of itself, is not believed. */
export type MeshDistrust =
  | 'KEY_NOT_PUBLISHED'
  | 'SIGNATURE_INVALID'
  | 'ANSWER_EXPIRED'
  | 'DESCRIPTION_INVALID'
  | 'PROOF_MISSING'
  | 'PROOF_OF_OTHER_REQUEST'
  | 'PROOF_OF_OTHER_TARGET'
  | 'PROOF_OF_OTHER_PEER'
  | 'PROOF_UNTIMELY';

/** What came is not what it says it is; no connection was made with it, and none is tried again. */
export class MeshDistrustError extends SvcError {
  override readonly name = 'MeshDistrustError';

  constructor(
    override readonly code: MeshDistrust,
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
  }
}

/** Why there is no connection. */
export type MeshFailure =
  'WEBRTC_MISSING' | 'NOT_OPENED' | 'NOT_ANSWERED' | 'DISCONNECTED' | 'CLOSED' | 'TOO_MUCH_WAITS';

/** A connection did not come about, or is gone. */
export class MeshConnectionError extends SvcError {
  override readonly name = 'MeshConnectionError';

  constructor(
    override readonly code: MeshFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
  }
}

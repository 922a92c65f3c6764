import type { Answer, CallOptions } from '../paid-call.js';
import type {
  AcousticChallenge,
  AcousticChallengeRequest,
  DemodulateRequest,
  DemodulateResult,
  ModulateRequest,
  ModulateResult,
  PairingResult,
  VerifyPairingRequest,
} from '../api-types.js';
import type { Ask } from '../tool/tool-methods.js';

/** Packets of sound and pairing by them: within the month's quota for nothing, beyond it paid. */
export interface AcousticMethods {
  /** Makes a packet: `POST /v1/acoustic/modulate`. With `includeWav` its sound is in `wavBase64`. */
  modulate(request: ModulateRequest, options?: CallOptions): Promise<Answer<ModulateResult>>;
  /** Hears a recording: `POST /v1/acoustic/demodulate`. That nothing was found is an answer: `decoded: false`. */
  demodulate(request: DemodulateRequest, options?: CallOptions): Promise<Answer<DemodulateResult>>;
  /** A sound that proves proximity for 30 seconds: `POST /v1/acoustic/challenge`. */
  acousticChallenge(
    request: AcousticChallengeRequest,
    options?: CallOptions,
  ): Promise<Answer<AcousticChallenge>>;
  /**
   * Verifies a recording of a challenge: `POST /v1/acoustic/verify-pairing`. The nonce serves one call: give a retry the
   * `idempotencyKey` of the first try. Check the token with `checkPairing`.
   */
  verifyPairing(request: VerifyPairingRequest, options?: CallOptions): Promise<Answer<PairingResult>>;
}

const PACKET_FIELDS = { sha256: 'string', durationSeconds: 'number', auditProof: 'object' };
const HEARD_FIELDS = { decoded: 'boolean', packets: 'object', auditProof: 'object' };
const CHALLENGE_FIELDS = { challengeNonce: 'string', expiresAt: 'string', auditProof: 'object' };
const PAIRING_FIELDS = { pairingToken: 'string', validUntil: 'number', auditProof: 'object' };

/** @param once an Idempotency-Key of its own for each call that somebody remembers */
export function acousticMethods(
  ask: Ask,
  once: (isTicketed: boolean) => { idempotencyKey?: string },
): AcousticMethods {
  const buy = <T extends object>(
    verb: string,
    body: object,
    fields: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ) => ask<T>('POST', `/v1/acoustic/${verb}`, { ...once(false), ...options, body }, () => fields);
  return {
    modulate: (request, options) => buy('modulate', request, PACKET_FIELDS, options),
    demodulate: (request, options) => buy('demodulate', request, HEARD_FIELDS, options),
    acousticChallenge: (request, options) => buy('challenge', request, CHALLENGE_FIELDS, options),
    verifyPairing: (request, options) => buy('verify-pairing', request, PAIRING_FIELDS, options),
  };
}

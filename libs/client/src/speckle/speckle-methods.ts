import type { Answer, CallOptions } from '../paid-call.js';
import type {
  ExtractPufRequest,
  ExtractPufResult,
  VerifySlabRequest,
  VerifySlabResult,
} from '../api-types.js';
import type { Ask } from '../tool/tool-methods.js';

/** Fingerprints of surfaces: within the month's quota for nothing, beyond it paid. */
export interface SpeckleMethods {
  /** Reads a fingerprint out of an image, and keeps it with `enroll` and a key: `POST /v1/speckle/extract-puf`. */
  extractPuf(request: ExtractPufRequest, options?: CallOptions): Promise<Answer<ExtractPufResult>>;
  /**
   * Compares an image with an enrolled fingerprint: `POST /v1/speckle/verify-slab`. Figures come to the account that enrolled it;
   * others send its `verificationToken`, and get the verdict.
   */
  verifySlab(request: VerifySlabRequest, options?: CallOptions): Promise<Answer<VerifySlabResult>>;
}

const FINGERPRINT_FIELDS = { fingerprintHex: 'string', maskHex: 'string', auditProof: 'object' };
const VERDICT_FIELDS = { verdict: 'string', auditProof: 'object' };

/** @param once an Idempotency-Key of its own for each call that somebody remembers */
export function speckleMethods(
  ask: Ask,
  once: (isTicketed: boolean) => { idempotencyKey?: string },
): SpeckleMethods {
  const buy = <T extends object>(
    verb: string,
    body: object,
    fields: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ) => ask<T>('POST', `/v1/speckle/${verb}`, { ...once(false), ...options, body }, () => fields);
  return {
    extractPuf: (request, options) => buy('extract-puf', request, FINGERPRINT_FIELDS, options),
    verifySlab: (request, options) => buy('verify-slab', request, VERDICT_FIELDS, options),
  };
}

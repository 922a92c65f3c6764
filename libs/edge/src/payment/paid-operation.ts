import type { z } from 'zod';
import type { Admission } from './admission.js';
import type { WorkOfClaim } from './payment-in-flight.js';

/** What a priced route sells. */
export interface PaidOperation {
  /** Id in the price list; what a payment is bound to, with the body. */
  readonly operationId: string;
  /** Schema of the body: it is validated before anything is asked or taken for it. */
  readonly body: z.ZodType;
  /** Asked before a challenge is made, and before a claim. */
  readonly admit?: Admission;
  /** An answer may be an `UnchargedAnswer`: how many of them one caller gets is limited. */
  readonly mayBeUncharged?: boolean;
  /** Asked for the work that holds a payment which is in flight, where the operation can go on as such. */
  readonly workOfClaim?: WorkOfClaim;
  /** Whether a body asks for what costs nothing: it is answered uncounted, and no payment is looked at. */
  readonly isFree?: (body: unknown) => boolean;
  /**
   * Milliseconds that a call is expected to take beside its body, which counts by its bytes, by what its admission answered.
   * What nobody pays for is bounded by it.
   */
  readonly workOf?: (admitted: unknown) => number;
  /** The plan's requests of the month come before its price. */
  readonly metered?: boolean;
}

export const PAID_OPERATION = Symbol('PAID_OPERATION');

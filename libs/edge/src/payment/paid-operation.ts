import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { prefersAsync } from '../http/prefer.js';
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
  /** An answer may be an `UnchargedAnswer`, or a 422 that took the work to find out: how many of them one caller gets is limited. */
  readonly mayBeUncharged?: boolean;
  /** Asked for the work that holds a payment which is in flight, where the operation can go on as such. */
  readonly workOfClaim?: WorkOfClaim;
  /** Each call goes on as a task, which takes its claim over: its payment is held first, on the disk. */
  readonly goesOn?: boolean;
  /** Whether a body asks for what costs nothing: it is answered uncounted, and no payment is looked at. */
  readonly isFree?: (body: unknown) => boolean;
  /**
   * Milliseconds that a call is expected to take beside its body, which counts by its bytes, by what its admission answered.
   * What nobody pays for is bounded by it.
   */
  readonly workOf?: (admitted: unknown) => number;
  /** No key pays for it: one that comes along says whose it is. */
  readonly isPaidApart?: boolean;
  /** The plan's requests of the month come before its price. */
  readonly metered?: boolean;
}

/** Whether the work of a call ends with it, and does not go on as a job or a task. */
export const endsWithCall = ({ goesOn }: PaidOperation, { headers }: FastifyRequest): boolean =>
  !goesOn && !prefersAsync(headers.prefer as string | undefined);

export const PAID_OPERATION = Symbol('PAID_OPERATION');

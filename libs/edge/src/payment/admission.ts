import type { AdmittedWork, Procedure, RequestOf } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { CALL_UNITS } from '../rate-limit/free-work.js';

/**
 * Asks, with the validated body, whether a call could be answered, before anybody is asked to pay for it: nobody pays for
 * what is impossible or what nobody could do now. Its problem is the answer.
 */
export type Admission = (bus: BusClient, body: unknown, request: FastifyRequest) => Promise<unknown>;

/** The {@link Admission} by a procedure that takes the body as it is. */
export const admitBy =
  <P extends Procedure>(procedure: P): Admission =>
  (bus, body) =>
    bus.call(procedure, body as RequestOf<P>);

/** What a call is expected to take, as the service says that admits it. */
export const workOfAdmitted = (admitted: unknown): number =>
  CALL_UNITS + (admitted as AdmittedWork).workUnits;

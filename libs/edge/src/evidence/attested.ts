import { type AttestRequest, auditContract, type AuditProof } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash } from 'node:crypto';
import type { MeteredCall } from '../payment/paid-call.js';

/** What the evidence of an answer says beside the answer. */
export interface AnswerStatement {
  readonly proves: AttestRequest['proves'];
  /** One sentence. */
  readonly doesNotProve: string;
  /** As it was read, defaults filled in; or its {@link documentDigest}, where another service has read it. */
  readonly request: object | { readonly digest: Uint8Array };
  /** Whether the answer is free: its evidence is signed and not proved. Default: false. */
  readonly isFree?: boolean;
}

/** Whether nothing but the quota pays for a call, or nothing at all. */
export const isFreeCall = ({ payment }: Pick<MeteredCall, 'payment'>): boolean =>
  payment === undefined || 'counted' in payment;

/**
 * The evidence of an answer: a statement over the digests of request and answer that a STARK and a signature cover, or a signature
 * alone.
 * @param answer all that the evidence is to cover
 * @throws ProblemError SERVICE_UNAVAILABLE, OVERLOADED, TIMEOUT; the signal's reason when it aborts
 */
export function evidenceOf(
  bus: BusClient,
  answer: object,
  { proves, doesNotProve, request, isFree = false }: AnswerStatement,
  signal?: AbortSignal,
): Promise<AuditProof> {
  const digested = 'digest' in request && request.digest instanceof Uint8Array ? request.digest : undefined;
  const statement = {
    ...{ proves, doesNotProve, isFree },
    requestDigest: digested ?? documentDigest(request),
    resultDigest: documentDigest(answer),
  };
  return bus.call(auditContract.attest, statement, signal ? { signal } : {});
}

/** An answer that was computed, with what it says of itself and the evidence that covers all of that. */
export type Attested<Answer> = Answer & {
  readonly proves: 'commitment';
  readonly doesNotProve: string;
  readonly auditProof: AuditProof;
};

/**
 * The answer as a route and a desk give it, with its evidence: that it was given, and not changed since.
 * @throws ProblemError as {@link evidenceOf}
 * @example attested(bus, reply, { request, doesNotProve: SNN_DOES_NOT_PROVE.solve })
 */
export async function attested<Answer extends object>(
  bus: BusClient,
  answer: Answer,
  { request, doesNotProve, isFree }: Omit<AnswerStatement, 'proves'>,
  signal?: AbortSignal,
): Promise<Attested<Answer>> {
  const said = { ...answer, proves: 'commitment' as const, doesNotProve };
  const statement = { proves: said.proves, doesNotProve, request, isFree };
  return { ...said, auditProof: await evidenceOf(bus, said, statement, signal) };
}

/** SHA-256 of the canonical JSON, as whoever checks the evidence takes it. Members that are undefined are left out. */
export const documentDigest = (value: object): Uint8Array =>
  createHash('sha256').update(canonicalJson(value), 'utf8').digest();

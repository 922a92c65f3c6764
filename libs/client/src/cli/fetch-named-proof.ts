import { UnexpectedResponseError } from '../errors.js';
import type { NamedProof } from '../proof/named-proof.js';
import { openClient } from './connection.js';
import type { VerbContext } from './verb.js';

/** Asks the gateway for the proof that an answer names. @throws UnexpectedResponseError for what is none */
export async function fetchNamedProof(context: VerbContext, proofId: string): Promise<NamedProof> {
  const client = await openClient(context, 'free');
  const { data, status } = await client.request('GET' as string, '/v1/stark/proofs/{proofId}', {
    parameters: { proofId },
    signal: context.signal,
  });
  if (isNamedProof(data)) return data;
  throw new UnexpectedResponseError('the answer is no stored proof', status);
}

/** Whether a member of a saved answer is such a proof. */
export function isNamedProof(value: unknown): value is NamedProof {
  const { airId, proof, publicInputs } = Object(value) as Record<string, unknown>;
  return typeof airId === 'string' && typeof proof === 'string' && typeof publicInputs === 'object';
}

import { writeFile } from 'node:fs/promises';
import { encodeBase64 } from '../challenge/byte-text.js';
import { openClient } from './connection.js';
import type { VerbContext } from './verb.js';

/** Writes what a command was told to keep. @throws Error that names the file */
export async function saveFile(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (error) {
    throw new Error(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * The proof that the evidence of an answer lies under, so that it can be checked when no gateway can be asked for it. What
 * was bought is not lost where it cannot be had: a note says so. Evidence that is only signed has none.
 */
export async function fetchBatchProof(
  context: VerbContext,
  auditProof: object | undefined,
): Promise<Uint8Array | undefined> {
  const { proofId } = { ...auditProof } as { proofId?: string };
  if (proofId === undefined) return undefined;
  try {
    const client = await openClient(context, 'free');
    return (await client.fetchProof(proofId, { signal: context.signal })).data;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.terminal.note(`the batch proof ${proofId} is not in the file: ${reason}`);
    return undefined;
  }
}

/** As a member of a saved answer. */
export const batchProofMember = (proof: Uint8Array | undefined): object =>
  proof === undefined ? {} : { batchProof: encodeBase64(proof) };

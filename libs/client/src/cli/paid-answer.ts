import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { encodeBase64 } from '../challenge/byte-text.js';
import { openClient } from './connection.js';
import { UsageError } from './exit-code.js';
import type { VerbContext } from './verb.js';

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'it is not allowed',
  EROFS: 'it may only be read',
};

/**
 * Refuses a file that could not be written, before anything is paid for what goes there. It makes and changes nothing.
 * @throws UsageError that names the file
 */
export async function mustBeWritable(path: string): Promise<void> {
  const unwritable = (reason: string) => new UsageError(`${path} cannot be written: ${reason}`);
  if (path === '') throw new UsageError('a file to write cannot be written: it has no name');
  try {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    if (found?.isDirectory()) throw unwritable(UNWRITABLE['EISDIR']);
    if (found) await access(path, constants.W_OK);
    // A name that ends with a slash is that of a folder.
    else await access(/[\\/]$/.test(path) ? path : dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw unwritable(UNWRITABLE[code] ?? code);
  }
}

/** Writes what a command was told to keep. @returns the file @throws Error that names it */
export async function saveFile(path: string, content: string | Uint8Array): Promise<string> {
  try {
    await writeFile(path, content);
    return path;
  } catch (error) {
    throw new Error(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes a JSON document, where a file is named for it. @returns the file @throws Error that names it */
export const saveJson = async (path: string | undefined, value: object): Promise<string | undefined> =>
  path === undefined ? undefined : saveFile(path, `${JSON.stringify(value, undefined, 2)}\n`);

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

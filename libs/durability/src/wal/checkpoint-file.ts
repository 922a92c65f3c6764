import { type Checkpoint, checkpointMalformation, type SealedHeads, type WalHead } from './checkpoint.js';

/** Bytes of a line: one of as many leaves as a checkpoint may have has less. */
export const CHECKPOINT_LINE_BYTES_MAX = 2_097_152;
const NEWLINE = 10;

/** A checkpoint as it leaves the service: digests with `0x`. */
export type PublishedCheckpoint = Checkpoint;

const PREFIXED = ['root', 'prevHash', 'hash'] as const;

/** A checkpoint as answers, events and files carry it. */
export function publishCheckpoint(checkpoint: Checkpoint): PublishedCheckpoint {
  const { number, root, leafCount, prevHash, hash, at, keyId, signature } = checkpoint;
  const [publishedRoot, publishedPrev, publishedHash] = [root, prevHash, hash].map(digest => `0x${digest}`);
  return {
    number,
    root: publishedRoot,
    leafCount,
    prevHash: publishedPrev,
    hash: publishedHash,
    at,
    keyId,
    signature,
  };
}

/** Reads a published checkpoint; undefined for what is none. Whether it is true is not looked at. */
export function readCheckpoint(value: unknown): Checkpoint | undefined {
  if (!isRecord(value)) return undefined;
  const read: Record<string, unknown> = { ...value };
  for (const member of PREFIXED) read[member] = unprefixed(value[member]);
  const { number, root, leafCount, prevHash, hash, at, keyId, signature } = read as unknown as Checkpoint;
  const checkpoint = { number, root, leafCount, prevHash, hash, at, keyId, signature };
  return checkpointMalformation(checkpoint) ? undefined : checkpoint;
}

/**
 * A line of a checkpoint file, its newline included: the checkpoint, and its leaves as [saga, count, head], so that
 * whoever has the file can say which saga a database has lost.
 */
export function checkpointLine({ checkpoint, leaves }: SealedHeads): string {
  const rows = leaves.map(({ sagaId, count, head }) => [sagaId, count, `0x${head}`]);
  return `${JSON.stringify({ checkpoint: publishCheckpoint(checkpoint), leaves: rows })}\n`;
}

/** What was read of a line; `leaves` is undefined where it has none. */
export interface CheckpointEntry {
  readonly checkpoint: Checkpoint;
  readonly leaves: readonly WalHead[] | undefined;
}

export type CheckpointLine =
  | ({ readonly line: number } & CheckpointEntry)
  /** `torn`: the last line has no end, as a writer leaves it that was killed. */
  | { readonly line: number; readonly fault: 'line-malformed' | 'line-too-long' | 'torn' };

/** Reads one line; undefined for what is none. */
export function parseCheckpointLine(text: string): CheckpointEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const checkpoint = readCheckpoint(value['checkpoint']);
  if (!checkpoint) return undefined;
  if (value['leaves'] === undefined) return { checkpoint, leaves: undefined };
  if (!Array.isArray(value['leaves']) || value['leaves'].length !== checkpoint.leafCount) return undefined;
  const leaves = value['leaves'].map(readLeaf);
  return leaves.every(leaf => leaf !== undefined) ? { checkpoint, leaves } : undefined;
}

/**
 * Reads a checkpoint file as it comes, holding no more than one line of it.
 * @param chunks bytes of a UTF-8 file of JSON lines
 */
export async function* readCheckpointFile(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<CheckpointLine> {
  let line = 1;
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline === -1 ? chunk.length : newline;
      length += to - from;
      // What is beyond the bound is counted, and let go.
      if (length > CHECKPOINT_LINE_BYTES_MAX) pieces = [];
      // A copy: the source may use its buffer again.
      else pieces.push(chunk.slice(from, to));
      from = to + 1;
      if (newline === -1) break;
      const read = readLine(pieces, length, line);
      if (read) yield read;
      [line, pieces, length] = [line + 1, [], 0];
    }
  }
  if (length > 0) yield { line, fault: 'torn' };
}

function readLine(pieces: readonly Uint8Array[], length: number, line: number): CheckpointLine | undefined {
  if (length > CHECKPOINT_LINE_BYTES_MAX) return { line, fault: 'line-too-long' };
  if (length === 0) return undefined;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { line, fault: 'line-malformed' };
  }
  const entry = parseCheckpointLine(text);
  return entry ? { line, ...entry } : { line, fault: 'line-malformed' };
}

function readLeaf(value: unknown): WalHead | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [sagaId, count, head] = value as unknown[];
  const digest = unprefixed(head);
  if (typeof sagaId !== 'string' || typeof count !== 'number' || digest === undefined) return undefined;
  return { sagaId, count, head: digest };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The digits of a digest with `0x`. */
export const unprefixed = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith('0x') ? value.slice(2) : undefined;

import { randomUUID } from 'node:crypto';
import type { PresenceRevision } from './presence-board.js';

/** What one write leaves in the bucket: the value, and a mark that no other write has. */
export interface PresenceRecord {
  readonly mark: string;
  /** The value as JSON text. */
  readonly json: string;
}

/** A value is at most 8 KiB; beyond that it is none of ours, and not parsed. */
const RECORD_BYTES_MAX = 16 * 1024;
const MARK = /^[0-9a-f-]{36}$/;
const REVISION = /^([1-9][0-9]{0,15})\.([0-9a-f-]{36})$/;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A record of this value with a mark of its own. */
export function newRecord(json: string): PresenceRecord & { readonly bytes: Uint8Array } {
  const mark = randomUUID();
  return { mark, json, bytes: Buffer.from(`{"mark":"${mark}","value":${json}}`) };
}

/** undefined: nothing that a board has written. */
export function readRecord(bytes: Uint8Array): PresenceRecord | undefined {
  if (bytes.length > RECORD_BYTES_MAX) return undefined;
  try {
    const record: unknown = JSON.parse(decoder.decode(bytes));
    if (typeof record !== 'object' || record === null) return undefined;
    const { mark, value } = record as { mark?: unknown; value?: unknown };
    if (typeof mark !== 'string' || !MARK.test(mark) || value === undefined) return undefined;
    return { mark, json: JSON.stringify(value) };
  } catch {
    return undefined;
  }
}

/**
 * Sequence in the stream and mark of the record: a server that has lost its stream counts from 1 again, so that the sequence
 * of an old record may be that of another's new one.
 */
export function revisionOf(sequence: number, { mark }: Pick<PresenceRecord, 'mark'>): PresenceRevision {
  return `${sequence}.${mark}`;
}

/** The sequence of a revision, or undefined for what can be none. */
export function sequenceOf(revision: PresenceRevision): number | undefined {
  const match = REVISION.exec(revision);
  return match ? Number(match[1]) : undefined;
}

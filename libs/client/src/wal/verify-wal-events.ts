import {
  type Checkpoint,
  checkpointFault,
  checkSignature,
  isIncluded,
  readCheckpoint,
  readWalEvent,
  verifyChain,
  WAL_KINDS,
  type WalKey,
  type WalRecord,
} from '@svc/durability';
import { verifyEd25519 } from '../ed25519.js';

/** Records that are read of one answer. */
const EVENTS_MAX = 100_000;
/** More than any tree that fits the numbers of JSON is high. */
const PATH_MAX = 64;

/** What a saga's status asks of its last record. */
const LAST_KIND: Readonly<Record<string, string>> = {
  COMPLETED: 'SAGA_COMMIT',
  COMPENSATED: 'SAGA_ABORTED',
  STUCK: 'SAGA_STUCK',
};

export interface WalEventsOptions {
  /** The published keys, `GET /.well-known/svc-wal-keys.json`; without them signatures are not looked at. */
  readonly keys?: readonly WalKey[];
}

/** What a signed checkpoint says of a log. */
export interface CheckpointCover {
  readonly number: number;
  readonly at: string;
  /** Records of the log that it covers: they cannot be changed any more without it being seen. */
  readonly covers: number;
  readonly signature: 'good' | 'unchecked';
}

export type WalEventsVerdict =
  | {
      readonly valid: true;
      readonly sagaId: string;
      readonly count: number;
      /** `walHash`, with `0x`. */
      readonly head: string;
      /** Undefined where the answer shows no inclusion. */
      readonly checkpoint: CheckpointCover | undefined;
    }
  | {
      readonly valid: false;
      readonly reason: string;
      /** Of the record that does not hold, where it is one. */
      readonly seq?: number;
    };

const refused = (reason: string, seq?: number): WalEventsVerdict => ({
  valid: false,
  reason,
  ...(seq === undefined ? {} : { seq }),
});

/**
 * Checks the write-ahead log in an answer on this machine: of `POST /v1/x402/execute`, or of
 * `GET /v1/x402/sagas/{sagaId}`, which also shows where a signed checkpoint covers it.
 *
 * @param answer with `sagaId`, `walEvents`, and where it has them `walHash`, `walCount`, `status`, `checkpoint`, `inclusion`
 * @example
 * const verdict = await verifyWalEvents(answer, { keys });
 * if (!verdict.valid) console.log(verdict.reason, verdict.seq);
 */
export async function verifyWalEvents(
  answer: Readonly<Record<string, unknown>>,
  { keys }: WalEventsOptions = {},
): Promise<WalEventsVerdict> {
  const { sagaId, walEvents, walHash, walCount, status } = answer;
  if (typeof sagaId !== 'string' || !Array.isArray(walEvents)) return refused('no-log');
  if (walEvents.length > EVENTS_MAX) return refused('too-many-records');
  const records: WalRecord[] = [];
  for (const [index, event] of walEvents.entries()) {
    const record = readWalEvent(sagaId, event);
    if (!record) return refused(isOfNewerKind(event) ? 'kind-unknown' : 'record-malformed', index);
    records.push(record);
  }
  const chain = verifyChain(records);
  if (!chain.valid) return refused(chain.reason, chain.seq);
  const { count } = chain;
  const head = `0x${chain.head}`;
  if (walHash !== undefined && walHash !== head) return refused('wal-hash-differs', count - 1);
  if (walCount !== undefined && walCount !== count) return refused('wal-count-differs', count - 1);
  const lastKind = typeof status === 'string' ? LAST_KIND[status] : undefined;
  if (lastKind !== undefined && records[count - 1].kind !== lastKind)
    return refused('status-differs', count - 1);
  if (answer['checkpoint'] !== undefined) {
    const newest = await checkCheckpoint(answer['checkpoint'], keys);
    if (typeof newest === 'string') return refused(newest);
  }
  const cover =
    answer['inclusion'] === undefined ? undefined : await coverOf(answer['inclusion'], records, keys);
  if (typeof cover === 'string') return refused(cover);
  return { valid: true, sagaId, count, head, checkpoint: cover };
}

/** A kind that this reader does not know: what it may follow is not known either, so that its log is not checked. */
function isOfNewerKind(event: unknown): boolean {
  const { kind } = Object(event) as { kind?: unknown };
  return typeof kind === 'string' && !(WAL_KINDS as readonly string[]).includes(kind);
}

async function checkCheckpoint(
  value: unknown,
  keys: readonly WalKey[] | undefined,
): Promise<Checkpoint | string> {
  const checkpoint = readCheckpoint(value);
  if (!checkpoint) return 'checkpoint-malformed';
  const fault = checkpointFault({ checkpoint });
  if (fault) return fault;
  // Nothing later is at hand that could vouch for a key which was revoked.
  if (keys && (await checkSignature(checkpoint, keys, verifyEd25519)) !== 'good') return 'signature-bad';
  return checkpoint;
}

async function coverOf(
  inclusion: unknown,
  records: readonly WalRecord[],
  keys: readonly WalKey[] | undefined,
): Promise<CheckpointCover | string> {
  if (typeof inclusion !== 'object' || inclusion === null) return 'inclusion-malformed';
  const { checkpoint: signed, leafIndex, walCount, path } = inclusion as Record<string, unknown>;
  const nodes = Array.isArray(path) && path.length <= PATH_MAX ? path.map(digits) : [undefined];
  const last = records[(typeof walCount === 'number' ? walCount : 0) - 1] as WalRecord | undefined;
  if (typeof leafIndex !== 'number' || !nodes.every(node => node !== undefined)) return 'inclusion-malformed';
  if (!last) return 'inclusion-covers-other-records';
  const checkpoint = await checkCheckpoint(signed, keys);
  if (typeof checkpoint === 'string') return checkpoint;
  const head = { sagaId: last.sagaId, count: last.seq + 1, head: last.hash };
  if (!isIncluded(head, { leafIndex, path: nodes }, checkpoint)) return 'not-in-checkpoint';
  const { number, at } = checkpoint;
  return { number, at, covers: head.count, signature: keys ? 'good' : 'unchecked' };
}

/** Of a digest with `0x`. */
const digits = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith('0x') ? value.slice(2) : undefined;

import { unprefixed } from './checkpoint-file.js';
import { payloadDigest } from './wal-codec.js';
import { type JsonObject, WAL_KINDS, type WalRecord } from './wal-record.js';

/** A record as answers carry it: digests with `0x`, absent where the record has none, the saga named once beside them. */
export interface PublishedWalEvent {
  readonly seq: number;
  readonly kind: WalRecord['kind'];
  readonly step?: string;
  readonly at: string;
  readonly hash: string;
  readonly prevHash: string;
  readonly attempt: number;
  readonly idemKey?: string;
  readonly fence: number;
  readonly payloadDigest: string;
  readonly payload: Record<string, unknown>;
}

/** A record for an answer. */
export function publishRecord(record: WalRecord): PublishedWalEvent {
  const { seq, kind, step, at, hash, prevHash, attempt, idemKey, fence, payload } = record;
  return {
    seq,
    kind,
    ...(step === null ? {} : { step }),
    at,
    hash: `0x${hash}`,
    prevHash: `0x${prevHash}`,
    attempt,
    ...(idemKey === null ? {} : { idemKey: `0x${idemKey}` }),
    fence,
    payloadDigest: `0x${payloadDigest(payload)}`,
    payload,
  };
}

/**
 * Reads a record of an answer back; undefined for what is none, and where `payloadDigest` is not that of the payload.
 * Whether the record holds in its chain is not looked at.
 */
export function readWalEvent(sagaId: string, value: unknown): WalRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const event = value as Record<string, unknown>;
  const { kind, payload, step = null, attempt, fence, seq, at } = event;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined;
  const [hash, prevHash] = [unprefixed(event['hash']), unprefixed(event['prevHash'])];
  const idemKey = event['idemKey'] === undefined ? null : unprefixed(event['idemKey']);
  if (hash === undefined || prevHash === undefined || idemKey === undefined) return undefined;
  if (!WAL_KINDS.some(known => known === kind) || typeof at !== 'string') return undefined;
  if (step !== null && typeof step !== 'string') return undefined;
  if (![seq, attempt, fence].every(Number.isSafeInteger)) return undefined;
  const [record, digest] = [
    { sagaId, seq, kind, step, attempt, idemKey, fence, at, payload, prevHash, hash } as WalRecord,
    unprefixed(event['payloadDigest']),
  ];
  try {
    return payloadDigest(payload as JsonObject) === digest ? record : undefined;
  } catch {
    return undefined;
  }
}

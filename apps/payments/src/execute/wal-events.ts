import type { WalEvent } from '@svc/contracts';
import { payloadDigest, type WalRecord } from '@svc/durability';

const hex = (digest: string) => `0x${digest}`;

/** A log as callers see it: all of it, so that whoever has it can compute the chain anew. */
export const walEventsOf = (records: readonly WalRecord[]): WalEvent[] =>
  records.map(record => ({
    seq: record.seq,
    kind: record.kind,
    ...(record.step === null ? {} : { step: record.step }),
    at: record.at,
    hash: hex(record.hash),
    prevHash: hex(record.prevHash),
    attempt: record.attempt,
    ...(record.idemKey === null ? {} : { idemKey: hex(record.idemKey) }),
    fence: record.fence,
    payloadDigest: hex(payloadDigest(record.payload)),
    payload: record.payload as Record<string, unknown>,
  }));

/** Digest of the newest record of a log, as callers see it. */
export const walHashOf = (records: readonly WalRecord[]): string => hex(records.at(-1)!.hash);

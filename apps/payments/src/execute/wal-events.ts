import type { WalEvent } from '@svc/contracts';
import { publishRecord, type WalRecord } from '@svc/durability';

/** A log as callers see it: all of it, so that whoever has it can compute the chain anew. */
export const walEventsOf = (records: readonly WalRecord[]): WalEvent[] =>
  records.map(record => {
    const { payload, ...event } = publishRecord(record);
    return { ...event, payload: { ...payload } };
  });

/** Digest of the newest record of a log, as callers see it. */
export const walHashOf = (records: readonly WalRecord[]): string => `0x${records.at(-1)!.hash}`;

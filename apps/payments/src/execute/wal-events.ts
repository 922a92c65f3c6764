import type { WalEvent } from '@svc/contracts';
import { publishRecord, type SagaState, type WalRecord } from '@svc/durability';

/** A log as callers see it: all of it, so that whoever has it can compute the chain anew. */
export const walEventsOf = (records: readonly WalRecord[]): WalEvent[] =>
  records.map(record => {
    const { payload, ...event } = publishRecord(record);
    return { ...event, payload: { ...payload } };
  });

/** Digest of the newest record of a log, as callers see it. */
export const walHashOf = (records: readonly WalRecord[]): string => `0x${records.at(-1)!.hash}`;

/** How a saga stands, as callers see it: forwards or in reverse, it runs. */
export type ShownStatus = 'RUNNING' | 'COMPLETED' | 'COMPENSATED' | 'STUCK';
export const shownStatus = (state: SagaState): ShownStatus => (state === 'COMPENSATING' ? 'RUNNING' : state);

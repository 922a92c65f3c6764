import { accountContract } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { BurstLimits } from './burst-limits.js';
import { KnownKeys } from './known-keys.js';

/** The limits on bursts of one process: listeners that are given the same one count a caller together. */
export class ProcessBursts {
  private readonly byFactor = new Map<number, BurstLimits>();

  /** @param bus on which it is asked whose a key is; that of the listener that comes first serves all */
  of(factor: number, bus: Pick<BusClient, 'call'>): BurstLimits {
    const known = this.byFactor.get(factor);
    if (known) return known;
    const keys = new KnownKeys(accountKey => bus.call(accountContract.authenticate, { accountKey }));
    const bursts = new BurstLimits(factor, keys);
    this.byFactor.set(factor, bursts);
    return bursts;
  }
}

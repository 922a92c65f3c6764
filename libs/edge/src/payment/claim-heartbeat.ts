import { CLAIM_HEARTBEAT_MS, CLAIM_HEARTBEATS_MAX, type ClaimHandle, paymentsContract } from '@svc/contracts';
import type { BusClient } from '@svc/platform';

interface Held extends ClaimHandle {
  readonly sinceMs: number;
}

/**
 * Tells the payments service, as long as calls run, that their claims are held: where this process dies, it is not told any more,
 * and each payment is free within seconds. Calls that end before the first heartbeat cost nothing.
 */
export class ClaimHeartbeat {
  private readonly held = new Map<string, Held>();
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;

  constructor(
    private readonly bus: Pick<BusClient, 'call'>,
    private readonly everyMs: number = CLAIM_HEARTBEAT_MS,
  ) {}

  begin({ claimId, attempt }: ClaimHandle): void {
    this.held.set(claimId, { claimId, attempt, sinceMs: performance.now() });
    this.timer ??= setInterval(() => void this.beat(), this.everyMs).unref();
  }

  /** Ends the heartbeat of an attempt; that of a later one goes on. */
  end({ claimId, attempt }: ClaimHandle): void {
    if (this.held.get(claimId)?.attempt === attempt) this.held.delete(claimId);
    if (this.held.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** What payments do not hold any more was delivered or given back: it needs no heartbeat. */
  private async beat(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const due = [...this.held.values()].filter(
      ({ sinceMs }) => performance.now() - sinceMs > this.everyMs / 2,
    );
    try {
      while (due.length > 0) {
        const claims = due
          .splice(0, CLAIM_HEARTBEATS_MAX)
          .map(({ claimId, attempt }) => ({ claimId, attempt }));
        const reply = await this.bus.call(paymentsContract.heartbeat, { claims });
        const held = new Set(reply.held);
        for (const claim of claims) if (!held.has(claim.claimId)) this.end(claim);
      }
    } catch {
      // Payments are away: the leases outlast several heartbeats.
    } finally {
      this.isAsking = false;
    }
  }
}

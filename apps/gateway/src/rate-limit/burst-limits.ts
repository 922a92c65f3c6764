import type { QuotaState } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ACCOUNT_KEY_HEADER } from '../account/account-key.js';
import { setBurst } from './rate-limit-fields.js';
import { addressOf, noteCaller } from './caller.js';
import type { TrustedProxies } from './client-address.js';
import type { KnownKeys } from './known-keys.js';

/** The window in which requests are counted, seconds. */
export const BURST_WINDOW_SECONDS = 10;

type Tier = 'address' | QuotaState['plan'];

/** Requests of one window: by address for strangers, by account for holders of a key that is known. */
export const BURST_REQUESTS: Readonly<Record<Tier, number>> = {
  address: 3_000,
  demo: 3_000,
  developer: 6_000,
  pro_agent: 12_000,
  enterprise: 60_000,
};
/** Challenges of one window are this part of the requests: each costs a signed invoice. */
export const BURST_CHALLENGE_DIVISOR = 3;

/** Orchestrators ask these, often, and must have their answer. */
const UNLIMITED_PATHS = new Set(['/livez', '/readyz']);

/** Who is counted. */
interface Counted {
  readonly tier: Tier;
  readonly name: string;
}
const COUNTED = Symbol('COUNTED');
interface WithCounted {
  [COUNTED]?: Counted;
}

/**
 * Stops floods: counts what each caller asks of this replica in a short window, and refuses what is beyond. The quota of
 * a plan is another matter: that is counted once for all replicas, by the payments service.
 */
export class BurstLimits {
  private readonly requests: ReadonlyMap<Tier, RateLimiterMemory>;
  private readonly challenges: ReadonlyMap<Tier, RateLimiterMemory>;

  /** @param factor of the limits; 0 counts nothing */
  constructor(
    private readonly factor: number,
    private readonly proxies: TrustedProxies,
    private readonly keys: KnownKeys,
  ) {
    this.requests = limiters(factor);
    this.challenges = limiters(factor / BURST_CHALLENGE_DIVISOR);
  }

  /**
   * Lets a request in and notes who it is from.
   * @throws ProblemError RATE_LIMITED
   */
  async takeRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    noteCaller(request, this.proxies);
    if (this.factor === 0 || UNLIMITED_PATHS.has(request.url)) return;
    const counted = this.countedFor(request);
    (request as WithCounted)[COUNTED] = counted;
    await this.take('requests', counted, reply);
  }

  /** @throws ProblemError RATE_LIMITED */
  async takeChallenge(request: FastifyRequest): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (counted) await this.take('challenges', counted);
  }

  private async take(what: 'requests' | 'challenges', { tier, name }: Counted, reply?: FastifyReply) {
    const limiter = this[what].get(tier)!;
    try {
      await limiter.consume(name);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
      const burst = { quota: limiter.points, windowSeconds: BURST_WINDOW_SECONDS };
      if (reply) setBurst(reply, { ...burst, resetSeconds: retryAfterSeconds });
      const whose = tier === 'address' ? 'from this address' : 'of this account';
      const detail = `More than ${limiter.points} ${what} in ${BURST_WINDOW_SECONDS} s ${whose}`;
      throw problem('RATE_LIMITED', detail, { retryAfterSeconds });
    }
  }

  /** A key that nobody has vouched for counts by the address it comes from: anybody can make such keys up. */
  private countedFor(request: FastifyRequest): Counted {
    const key = request.headers[ACCOUNT_KEY_HEADER];
    const holder = typeof key === 'string' ? this.keys.holderOf(key.trim()) : undefined;
    if (holder) return { tier: holder.plan, name: holder.accountId };
    return { tier: 'address', name: addressOf(request) };
  }
}

function limiters(factor: number): ReadonlyMap<Tier, RateLimiterMemory> {
  const tiers = Object.entries(BURST_REQUESTS) as [Tier, number][];
  return new Map(
    tiers.map(([tier, requests]) => {
      const points = Math.max(1, Math.ceil(requests * factor));
      return [tier, new RateLimiterMemory({ points, duration: BURST_WINDOW_SECONDS })];
    }),
  );
}

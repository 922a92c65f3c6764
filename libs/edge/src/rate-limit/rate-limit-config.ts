import { z } from 'zod';
import { ProxyNetworkError, TrustedProxies } from './client-address.js';

/** How bursts are limited, and whom the gateway believes about addresses. */
export interface RateLimitSettings {
  /** Factor of the limits; 0 sets them off. */
  readonly factor: number;
  readonly trustedProxies: TrustedProxies;
}

/** Variables of the limits on bursts. */
export const rateLimitConfig = z.object({
  /** Multiplies the limits on bursts; 0 sets them off, which is for load tests. */
  RATE_LIMIT_FACTOR: z.coerce.number().min(0).max(1_000).default(1),
  /** Addresses and CIDRs of the proxies whose `X-Forwarded-For` is believed, with commas between them. */
  TRUSTED_PROXIES: z
    .string()
    .max(4_096)
    .default('')
    .transform((text, context) => {
      try {
        return new TrustedProxies(text.split(/[\s,]+/).filter(network => network !== ''));
      } catch (error) {
        if (!(error instanceof ProxyNetworkError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    }),
});

export const rateLimitsOf = (config: z.output<typeof rateLimitConfig>): RateLimitSettings => ({
  factor: config.RATE_LIMIT_FACTOR,
  trustedProxies: config.TRUSTED_PROXIES,
});

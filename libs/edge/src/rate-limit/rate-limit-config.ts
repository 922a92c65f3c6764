import { z } from 'zod';
import { ProxyNetworkError, TrustedProxies } from './client-address.js';
import { PublicUrlError, PublicUrls } from './public-urls.js';

/** How bursts are limited, and whom the gateway believes about addresses: those of callers and its own. */
export interface RateLimitSettings {
  /** Factor of the limits; 0 sets them off. */
  readonly factor: number;
  readonly trustedProxies: TrustedProxies;
  /** Any host where there are none. */
  readonly publicUrls?: PublicUrls;
  /** How a refusal waits before it is answered; by a timer where it is not given. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** In place of proxies, where the public reaches the address itself. */
const NO_PROXIES = 'none';

/** Variables of the limits on bursts. */
export const rateLimitConfig = z.object({
  /** Multiplies the limits on bursts; 0 sets them off, which is for load tests. */
  RATE_LIMIT_FACTOR: z.coerce.number().min(0).max(1_000).default(1),
  /**
   * Addresses and CIDRs of the proxies whose `X-Forwarded-For` is believed, with commas between them; `none` says that there are none.
   * Production needs one or the other.
   */
  TRUSTED_PROXIES: z
    .string()
    .max(4_096)
    .default('')
    .transform((text, context) => {
      try {
        if (text.trim() === NO_PROXIES) return new TrustedProxies([], true);
        return new TrustedProxies(text.split(/[\s,]+/).filter(network => network !== ''));
      } catch (error) {
        if (!(error instanceof ProxyNetworkError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    }),
  /**
   * Where the public reaches this address and its siblings: origins, with commas between them. Production needs them; a request
   * for another host is 421.
   */
  PUBLIC_URL: z
    .string()
    .max(4_096)
    .default('')
    .transform((text, context) => {
      try {
        return new PublicUrls(text.split(/[\s,]+/).filter(url => url !== ''));
      } catch (error) {
        if (!(error instanceof PublicUrlError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    }),
});

/** What an address of the public lacks in production. */
export const publicAddressFaults = ({
  PUBLIC_URL,
  TRUSTED_PROXIES,
}: Pick<z.output<typeof rateLimitConfig>, 'PUBLIC_URL' | 'TRUSTED_PROXIES'>): string[] => [
  ...(PUBLIC_URL.areKnown
    ? []
    : ['PUBLIC_URL: is not set, and production tells no address that a caller made up']),
  ...(TRUSTED_PROXIES.areKnown
    ? []
    : [
        `TRUSTED_PROXIES: is not set, and behind a proxy all callers would count as one; name it, or say '${NO_PROXIES}'`,
      ]),
];

export const rateLimitsOf = (config: z.output<typeof rateLimitConfig>): RateLimitSettings => ({
  factor: config.RATE_LIMIT_FACTOR,
  trustedProxies: config.TRUSTED_PROXIES,
  publicUrls: config.PUBLIC_URL,
});

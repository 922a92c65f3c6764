import { ConfigError, loadConfig, type ServiceEnvironment, type Variables } from '@svc/platform';
import { z } from 'zod';
import { isHttpsOrLoopback, PublicUrl } from '../public-url.js';
import { StripeAdapter } from './stripe-adapter.js';

/** Variables of the card processor, beside those of the service. */
export const cardConfig = z.object({
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_[A-Za-z0-9_]{8,250}$/, 'must be a secret or restricted key: sk_… or rk_…')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9_+/=-]{8,250}$/, 'must be the signing secret of an endpoint: whsec_…')
    .optional(),
  /** In place of https://api.stripe.com: the emulator's address. */
  STRIPE_API_URL: z.url().refine(isHttpsOrLoopback, 'must be https, or http on loopback').optional(),
  /** Business Network profile that shared payment tokens are granted to. */
  STRIPE_NETWORK_ID: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be a profile id')
    .optional(),
  /** How the preview version in use names a shared payment token. */
  STRIPE_SPT_PARAMETER: z
    .enum(['shared_payment_granted_token', 'payment_method_data.shared_payment_granted_token'])
    .default('shared_payment_granted_token'),
  STRIPE_PREVIEW_VERSION: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}\.[a-z]+$/, 'must be a version such as 2026-07-29.preview')
    .default('2026-07-29.preview'),
  /** What a hosted checkout sends browsers back to. */
  PUBLIC_URL: PublicUrl.optional(),
});

type Known = Pick<ServiceEnvironment, 'production' | 'secrets'>;

/** The profile of a sandbox that names none: the emulator grants tokens to any. */
const SANDBOX_NETWORK_ID = 'profile_test_svc_sandbox';

/** Faults of the card processor's variables, all of them at once; none where there is no processor. */
export function cardFaults(known: Known, variables: Variables): string[] {
  const given = { ...variables, ...known.secrets };
  let config: z.output<typeof cardConfig>;
  try {
    config = loadConfig(cardConfig, given);
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults];
    throw error;
  }
  const { STRIPE_SECRET_KEY: key, STRIPE_API_URL: url } = config;
  if (key === undefined) {
    return url === undefined ? [] : ['STRIPE_SECRET_KEY: is not set, and STRIPE_API_URL is'];
  }
  const faults: string[] = [];
  if (config.STRIPE_WEBHOOK_SECRET === undefined) faults.push('STRIPE_WEBHOOK_SECRET: is not set');
  const live = /^.._live_/.test(key);
  if (live && url !== undefined) {
    faults.push('STRIPE_API_URL: is set, and a live key goes to Stripe alone');
  }
  if (known.production) faults.push(...productionFaults(live, config));
  return faults;
}

function productionFaults(live: boolean, config: z.output<typeof cardConfig>): string[] {
  const faults: string[] = [];
  if (!live)
    faults.push('STRIPE_SECRET_KEY: is a test key, and production takes live ones (sk_live_, rk_live_)');
  if (!live && config.STRIPE_API_URL !== undefined) {
    faults.push('STRIPE_API_URL: is set, and production speaks to Stripe alone');
  }
  if (config.STRIPE_NETWORK_ID === undefined) faults.push('STRIPE_NETWORK_ID: is not set');
  if (config.PUBLIC_URL === undefined)
    faults.push('PUBLIC_URL: is not set, and checkouts send browsers there');
  return faults;
}

/** What this deployment does with cards. */
export interface CardSettings {
  readonly stripe: StripeAdapter;
  readonly networkId: string;
  readonly publicUrl?: string;
}

/** Injection token of {@link CardSettings}, or of null where no card processor is configured. */
export const CARD_SETTINGS = Symbol('CARD_SETTINGS');

/**
 * The card processor of this deployment; undefined where none is configured.
 * @throws ConfigError naming every fault
 */
export function cardSettingsOf(known: Known, variables: Variables = process.env): CardSettings | undefined {
  const faults = cardFaults(known, variables);
  if (faults.length > 0) throw new ConfigError(faults);
  const config = loadConfig(cardConfig, { ...variables, ...known.secrets });
  if (config.STRIPE_SECRET_KEY === undefined) return undefined;
  return {
    stripe: new StripeAdapter({
      secretKey: config.STRIPE_SECRET_KEY,
      webhookSecret: config.STRIPE_WEBHOOK_SECRET!,
      apiUrl: config.STRIPE_API_URL,
      tokenParameter: config.STRIPE_SPT_PARAMETER,
      previewVersion: config.STRIPE_PREVIEW_VERSION,
    }),
    networkId: config.STRIPE_NETWORK_ID ?? SANDBOX_NETWORK_ID,
    ...(config.PUBLIC_URL === undefined ? {} : { publicUrl: config.PUBLIC_URL.replace(/\/+$/, '') }),
  };
}

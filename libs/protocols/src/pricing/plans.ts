/** A monthly plan: its quota counts requests of operations priced {@link QUOTA_PRICE_MICRO_USD_MAX} at most. */
export interface Plan {
  readonly planId: 'demo' | 'developer' | 'pro_agent' | 'enterprise';
  readonly name: string;
  readonly amountMicroUsdPerMonth: number;
  /** `null` is unlimited. */
  readonly requestsPerMonth: number | null;
  readonly description: string;
}

/** A prepaid pack of certificate audits. */
export interface CreditPack {
  readonly packId: 'pack_10' | 'pack_50' | 'pack_250';
  readonly amountMicroUsd: number;
  readonly audits: number;
}

export const PLANS: readonly Plan[] = [
  {
    planId: 'demo',
    name: 'Free demo',
    amountMicroUsdPerMonth: 0,
    requestsPerMonth: 1_000,
    description: 'Operations that have no price of their own, by key or by address',
  },
  {
    planId: 'developer',
    name: 'Developer',
    amountMicroUsdPerMonth: 49_000_000,
    requestsPerMonth: 50_000,
    description: 'Operations priced up to 0.001 USD',
  },
  {
    planId: 'pro_agent',
    name: 'Pro agent',
    amountMicroUsdPerMonth: 299_000_000,
    requestsPerMonth: 500_000,
    description: 'Operations priced up to 0.001 USD',
  },
  {
    planId: 'enterprise',
    name: 'Enterprise',
    amountMicroUsdPerMonth: 1_200_000_000,
    requestsPerMonth: null,
    description: 'Unlimited requests with a dedicated service-level agreement',
  },
];

export const CREDIT_PACKS: readonly CreditPack[] = [
  { packId: 'pack_10', amountMicroUsd: 10_000_000, audits: 40 },
  { packId: 'pack_50', amountMicroUsd: 50_000_000, audits: 200 },
  { packId: 'pack_250', amountMicroUsd: 250_000_000, audits: 1_000 },
];

/** What one audit credit is worth: 10 USD for 40 audits. */
export const AUDIT_CREDIT_MICRO_USD = 250_000;
/** Dearest operation that a paid plan's quota covers; dearer ones debit credit. */
export const QUOTA_PRICE_MICRO_USD_MAX = 1_000;
/** Least amount that a card can be charged; the remainder becomes credit. */
export const CARD_BUNDLE_MICRO_USD_MIN = 500_000;

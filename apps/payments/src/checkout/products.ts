import { PURCHASE_TIERS } from '@svc/contracts';
import { CREDIT_PACKS, type Plan, PLANS } from '@svc/protocols';

export type PurchaseTier = (typeof PURCHASE_TIERS)[number];

/** A licence that comes with a tier. */
export interface LicenceGrant {
  readonly tier: PurchaseTier;
  readonly features: readonly string[];
  readonly seats: number;
}

/** What a checkout sells. */
export interface Product {
  readonly kind: 'pack' | 'subscription';
  /** Pack or tier. */
  readonly productId: string;
  /** As the hosted page names it. */
  readonly name: string;
  /** Once, or a month. */
  readonly amountMicroUsd: number;
  readonly plan?: Plan['planId'];
  readonly licence?: LicenceGrant;
}

/** The plan of each tier of `create_purchase_link`, and the licence that comes with it. */
const TIERS: Readonly<Record<PurchaseTier, { plan: Plan['planId']; licence?: Omit<LicenceGrant, 'tier'> }>> =
  {
    developer_sdk: { plan: 'developer', licence: { features: ['sdk'], seats: 1 } },
    bullion_pro_trader: { plan: 'pro_agent' },
    enterprise_sam: { plan: 'enterprise', licence: { features: ['sdk', 'sam', 'sla'], seats: 25 } },
  };

/** @throws RangeError for a pack that the price list does not hold */
export function packProduct(packId: string): Product {
  const pack = CREDIT_PACKS.find(each => each.packId === packId);
  if (!pack) throw new RangeError(`there is no pack ${packId}`);
  const name = `${pack.audits} certificate audits (${pack.packId})`;
  return { kind: 'pack', productId: pack.packId, name, amountMicroUsd: pack.amountMicroUsd };
}

/** @throws RangeError for a tier that is none */
export function tierProduct(tier: PurchaseTier): Product {
  const { plan: planId, licence } = TIERS[tier] ?? {};
  const plan = PLANS.find(each => each.planId === planId);
  if (!plan) throw new RangeError(`there is no tier ${tier}`);
  return {
    kind: 'subscription',
    productId: tier,
    name: `${plan.name} plan (${tier})`,
    amountMicroUsd: plan.amountMicroUsdPerMonth,
    plan: plan.planId,
    ...(licence && { licence: { tier, ...licence } }),
  };
}

/** The product of a row. */
export const productOf = (kind: Product['kind'], productId: string): Product =>
  kind === 'pack' ? packProduct(productId) : tierProduct(productId as PurchaseTier);

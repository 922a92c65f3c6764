import { microUsdFromSats, satsFromMicroUsd, usdText } from './money.js';

/**
 * When a call is charged: `always`, or only `over-quota`, once the plan's requests of the month are
 * used up.
 */
export type Charged = 'always' | 'over-quota';

/** The price of one call of one operation. */
export interface Price {
  /** Stable id: `zk.prove`, `tool.arena_challenge`. Payments are bound to it; it is never reused. */
  readonly operationId: string;
  readonly amountMicroUsd: number;
  /** The same amount in satoshis, rounded up. */
  readonly amountSats: number;
  /** Decimal USD as it is published, `0.001`. */
  readonly priceUsd: string;
  /** What is bought, in at most 100 ASCII characters: it also goes into the Lightning invoice. */
  readonly description: string;
  readonly charged: Charged;
}

/** Fee of a proof, and of every catalogue tool that names no other price. */
export const PROOF_FEE_MICRO_USD = 1_000;

type Listing = readonly [operationId: string, amountMicroUsd: number, description: string, charged?: Charged];

const LISTINGS: readonly Listing[] = [
  ['zk.prove', PROOF_FEE_MICRO_USD, 'STARK proof of an execution trace'],
  ['stark.prove-goldilocks', PROOF_FEE_MICRO_USD, 'STARK proof over the Goldilocks field'],
  ['stark.prove-m31', PROOF_FEE_MICRO_USD, 'Circle STARK proof over the Mersenne-31 field'],

  ['tool.zk_prove_spatial', PROOF_FEE_MICRO_USD, 'Tool zk_prove_spatial'],
  ['tool.generate_goldilocks_stark_proof', PROOF_FEE_MICRO_USD, 'Tool generate_goldilocks_stark_proof'],
  ['tool.verify_acoustic_proximity_token', PROOF_FEE_MICRO_USD, 'Tool verify_acoustic_proximity_token'],
  ['tool.evaluate_spatial_parcel_fep', PROOF_FEE_MICRO_USD, 'Tool evaluate_spatial_parcel_fep'],
  ['tool.create_purchase_link', PROOF_FEE_MICRO_USD, 'Tool create_purchase_link'],
  ['tool.get_product_catalog', PROOF_FEE_MICRO_USD, 'Tool get_product_catalog'],
  ['tool.webgpu_snn_attractor', PROOF_FEE_MICRO_USD, 'Tool webgpu_snn_attractor'],
  ['tool.sync_mesh_crdt', PROOF_FEE_MICRO_USD, 'Tool sync_mesh_crdt'],
  ['tool.arena_challenge', PROOF_FEE_MICRO_USD, 'Tool arena_challenge'],
  ['tool.m2m_license_contract', 5_000, 'Tool m2m_license_contract'],

  ['agent.verify-bullion', 50_000, 'Bullion verification by resonance and melt value'],
  ['agent.card-valuation', 30_000, 'Valuation of a graded sports card'],
  ['agent.coi-verify', 250_000, 'Compliance audit of an ACORD 25 certificate'],

  ['snn.solve', 1_000, 'Spiking network simulation', 'over-quota'],
  ['snn.solve-graph', 1_000, 'Spiking network graph solution', 'over-quota'],
  ['acoustic.modulate', 1_000, 'Acoustic packet modulation', 'over-quota'],
  ['acoustic.demodulate', 1_000, 'Acoustic packet demodulation', 'over-quota'],
  ['acoustic.challenge', 1_000, 'Acoustic pairing challenge', 'over-quota'],
  ['acoustic.verify-pairing', 1_000, 'Acoustic pairing verification', 'over-quota'],
  ['mesh.rendezvous', 1_000, 'Peer-to-peer rendezvous', 'over-quota'],
  ['speckle.extract-puf', 1_000, 'Speckle fingerprint extraction', 'over-quota'],
  ['speckle.verify-slab', 1_000, 'Slab verification by speckle fingerprint', 'over-quota'],
  ['fep.active-inference', 1_000, 'Active inference step', 'over-quota'],
];

/** Every priced operation, in the order it is published. */
export const PRICE_LIST: readonly Price[] = LISTINGS.map(
  ([operationId, amountMicroUsd, description, charged = 'always']) =>
    Object.freeze({
      operationId,
      amountMicroUsd,
      amountSats: satsFromMicroUsd(amountMicroUsd),
      priceUsd: usdText(amountMicroUsd),
      description,
      charged,
    }),
);

const byOperationId = new Map(PRICE_LIST.map(price => [price.operationId, price]));

/**
 * The price of an operation, or `undefined` where it has none.
 *
 * @example
 * findPrice('zk.prove')?.amountSats; // 2
 */
export function findPrice(operationId: string): Price | undefined {
  return byOperationId.get(operationId) ?? topUpPrice(operationId) ?? bundlePrice(operationId);
}

/** Cents of the largest top-up. */
export const TOP_UP_CENTS_MAX = 100_000;
const TOP_UP = /^account\.top-up\.([1-9][0-9]{0,5})$/;

/**
 * The operation that turns a payment of so many cents into credit: its price is its amount.
 *
 * @param cents whole, 1 to {@link TOP_UP_CENTS_MAX}
 */
export const topUpOperation = (cents: number): string => `account.top-up.${cents}`;

/** Whether a payment for this operation becomes credit, and is not earned. */
export const isTopUp = (operationId: string): boolean => topUpPrice(operationId) !== undefined;

function topUpPrice(operationId: string): Price | undefined {
  const cents = Number(TOP_UP.exec(operationId)?.[1] ?? Number.NaN);
  if (!(cents <= TOP_UP_CENTS_MAX)) return undefined;
  const amountMicroUsd = cents * 10_000;
  const priceUsd = usdText(amountMicroUsd);
  return {
    ...{ operationId, amountMicroUsd, priceUsd, amountSats: satsFromMicroUsd(amountMicroUsd) },
    ...{ description: `Credit of ${priceUsd} USD`, charged: 'always' as const },
  };
}

/** Satoshis of the smallest bundle, the lowest price of a call, and of the largest, the largest top-up. */
export const BUNDLE_SATS_MIN = satsFromMicroUsd(PROOF_FEE_MICRO_USD);
export const BUNDLE_SATS_MAX = satsFromMicroUsd(TOP_UP_CENTS_MAX * 10_000);
const BUNDLE = /^l402\.bundle\.([1-9][0-9]{0,6})$/;

/**
 * The operation that opens an L402 bundle: its price is the budget of the bundle.
 *
 * @param sats whole, {@link BUNDLE_SATS_MIN} to {@link BUNDLE_SATS_MAX}
 */
export const bundleOperation = (sats: number): string => `l402.bundle.${sats}`;

/** Whether what an operation was paid with is credit, and nothing of it is earned: a top-up, or a bundle. */
export const isPrepaid = (operationId: string): boolean =>
  isTopUp(operationId) || bundlePrice(operationId) !== undefined;

function bundlePrice(operationId: string): Price | undefined {
  const amountSats = Number(BUNDLE.exec(operationId)?.[1] ?? Number.NaN);
  if (!(amountSats >= BUNDLE_SATS_MIN && amountSats <= BUNDLE_SATS_MAX)) return undefined;
  const amountMicroUsd = microUsdFromSats(amountSats);
  return {
    ...{ operationId, amountMicroUsd, amountSats, priceUsd: usdText(amountMicroUsd) },
    ...{ description: `Bundle of calls for ${amountSats} sats`, charged: 'always' as const },
  };
}

/**
 * In which order a call that a key pays is sold:
 * - `hold-first`: the payment is held, on the disk, before the work begins; it is for work that has effects.
 * - `hold-lazily`: the work begins before the hold is on the disk; the answer leaves after both are. A hold that a crash of the database
 *   loses was never answered for. For long work that has no effect.
 * - `run-first`: the work runs, and its answer is sold in one step; for work of a few milliseconds that has no effect.
 */
export type SaleOrder = 'hold-first' | 'hold-lazily' | 'run-first';

/** Operations without an effect. Whatever is not listed has one, or may have. */
const WITHOUT_EFFECT: Readonly<Record<Exclude<SaleOrder, 'hold-first'>, readonly string[]>> = {
  'run-first': ['tool.get_product_catalog', 'tool.evaluate_spatial_parcel_fep'],
  'hold-lazily': [
    ...['zk.prove', 'stark.prove-goldilocks', 'stark.prove-m31'],
    ...['tool.zk_prove_spatial', 'tool.generate_goldilocks_stark_proof', 'tool.webgpu_snn_attractor'],
    ...['agent.verify-bullion', 'agent.card-valuation'],
    ...['snn.solve', 'snn.solve-graph', 'acoustic.modulate', 'acoustic.demodulate', 'fep.active-inference'],
  ],
};

const orders: ReadonlyMap<string, SaleOrder> = new Map(
  Object.entries(WITHOUT_EFFECT).flatMap(([order, operations]) =>
    operations.map(operationId => [operationId, order as SaleOrder] as const),
  ),
);

/** The order in which an operation may be sold at best; one that asks for more waiting is always right. */
export const saleOrderOf = (operationId: string): SaleOrder => orders.get(operationId) ?? 'hold-first';

/** An operation id that the price list does not hold. */
export class UnknownOperationError extends Error {
  readonly code = 'UNKNOWN_OPERATION';
  constructor(readonly operationId: string) {
    super(`operationId ${JSON.stringify(operationId.slice(0, 80))} has no price`);
    this.name = 'UnknownOperationError';
  }
}

/**
 * The price of an operation that must have one.
 *
 * @throws {UnknownOperationError} when the price list does not hold it
 */
export function priceOf(operationId: string): Price {
  const price = findPrice(operationId);
  if (!price) throw new UnknownOperationError(operationId);
  return price;
}

/**
 * Says whether a pattern of a key or a bundle covers an operation, or a narrower pattern.
 *
 * @param pattern an operation id, a family as `zk.*`, or `*` for everything
 */
export const coversOperation = (pattern: string, operation: string): boolean =>
  pattern === '*' ||
  pattern === operation ||
  (pattern.endsWith('.*') && operation.startsWith(pattern.slice(0, -1)));

/** Says whether a pattern covers any operation of the price list. */
export const coversAnyOperation = (pattern: string): boolean =>
  PRICE_LIST.some(({ operationId }) => coversOperation(pattern, operationId));

/**
 * Says whether a key may pay for an operation.
 *
 * @param patterns what it may pay for; absent for everything
 *
 * @example
 * mayPayFor(['zk.*'], 'zk.prove'); // true
 */
export const mayPayFor = (patterns: readonly string[] | undefined, operationId: string): boolean =>
  patterns === undefined || patterns.some(pattern => coversOperation(pattern, operationId));

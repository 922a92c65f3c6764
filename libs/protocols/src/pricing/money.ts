/**
 * Money is integer micro-USD (µUSD, 1e-6 USD) everywhere; a price in satoshis is derived, never set.
 * All dual prices that are published equal 2,000 sat/USD, so the rate is a constant and not a feed.
 */
export const MICRO_USD_PER_USD = 1_000_000;
export const MICRO_USD_PER_SAT = 500;

/** Largest amount that any price, pack or plan may name: 1,000,000 USD. */
export const AMOUNT_MICRO_USD_MAX = 1_000_000 * MICRO_USD_PER_USD;

/** An amount is no whole, positive, bounded number of micro-USD. */
export class AmountError extends RangeError {
  readonly code = 'AMOUNT_OUT_OF_RANGE';
  constructor(
    readonly field: string,
    readonly got: unknown,
  ) {
    super(`${field} must be an integer from 1 to ${AMOUNT_MICRO_USD_MAX}, got ${String(got)}`);
    this.name = 'AmountError';
  }
}

function checkedAmount(field: string, amount: number): number {
  if (!Number.isInteger(amount) || amount < 1 || amount > AMOUNT_MICRO_USD_MAX) {
    throw new AmountError(field, amount);
  }
  return amount;
}

/**
 * Satoshis that cover an amount, rounded up: a payer never pays less than the price.
 *
 * @param amountMicroUsd integer, 1 to {@link AMOUNT_MICRO_USD_MAX}
 * @throws {AmountError} outside that range
 */
export function satsFromMicroUsd(amountMicroUsd: number): number {
  return Math.ceil(checkedAmount('amountMicroUsd', amountMicroUsd) / MICRO_USD_PER_SAT);
}

/**
 * The value of a number of satoshis, micro-USD.
 *
 * @param amountSats integer ≥ 1
 * @throws {AmountError} when it is no such integer or its value exceeds {@link AMOUNT_MICRO_USD_MAX}
 */
export function microUsdFromSats(amountSats: number): number {
  if (!Number.isInteger(amountSats)) throw new AmountError('amountSats', amountSats);
  return checkedAmount('amountSats × 500 µUSD', amountSats * MICRO_USD_PER_SAT);
}

/**
 * Decimal USD without needless digits and with at least the digits that prices are listed with:
 * `1_000` → `0.001`, `50_000` → `0.05`, `500_000` → `0.50`, `49_000_000` → `49`.
 *
 * @throws {AmountError} outside 1 to {@link AMOUNT_MICRO_USD_MAX}
 */
export function usdText(amountMicroUsd: number): string {
  const micro = checkedAmount('amountMicroUsd', amountMicroUsd);
  const whole = Math.floor(micro / MICRO_USD_PER_USD);
  const fraction = String(micro % MICRO_USD_PER_USD)
    .padStart(6, '0')
    .replace(/0+$/, '');
  if (fraction === '') return String(whole);
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

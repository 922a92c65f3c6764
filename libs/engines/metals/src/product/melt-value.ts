import { Decimal as DecimalOf20Digits } from 'decimal.js';

/** Products of a mass, a fineness and a price have up to 45 digits; none is lost before the last rounding. */
const Decimal = DecimalOf20Digits.clone({ precision: 64 });

/** Grams of a troy ounce, by definition. */
export const TROY_OUNCE_G = '31.1034768';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A price is current for so long while markets are open. */
export const SPOT_FRESH_MS = DAY_MS;
/** By a price of this age a value is history. */
export const SPOT_USABLE_MS = 7 * DAY_MS;
/** 1 January 1970 was a Thursday. */
const FIRST_SATURDAY_DAY = 2;

export type SpotAge = 'fresh' | 'stale' | 'expired';

/**
 * Whether a spot price may still be used. It is stale after 24 h in which Saturdays and Sundays (UTC) do not count, for markets are
 * closed: one of Friday noon is fresh until Monday noon, 72 h. After 7 days it is expired, whatever days these were.
 */
export function spotAge(asOfMs: number, nowMs: number): SpotAge {
  if (nowMs - asOfMs > SPOT_USABLE_MS) return 'expired';
  return nowMs - asOfMs - weekendMs(asOfMs, nowMs) > SPOT_FRESH_MS ? 'stale' : 'fresh';
}

/** So much of a span of time lies on Saturdays and Sundays (UTC). */
function weekendMs(fromMs: number, toMs: number): number {
  let sum = 0;
  for (let day = Math.floor(fromMs / DAY_MS); day * DAY_MS < toMs; day++) {
    const weekday = (day - FIRST_SATURDAY_DAY) % 7;
    if (weekday !== 0 && weekday !== 1) continue;
    sum += Math.min(toMs, (day + 1) * DAY_MS) - Math.max(fromMs, day * DAY_MS);
  }
  return Math.max(0, sum);
}

/** Mass of the metal itself, grams, to 0.1 mg. */
export function fineMassG(massG: number, fineness: number): number {
  return new Decimal(massG).times(fineness).toDecimalPlaces(4).toNumber();
}

/**
 * What the metal of a piece is worth: grams × fineness / 31.1034768 × price, to the cent.
 * @param price of one troy ounce, decimal text
 * @example meltValue(33.93, 0.9167, '2387.15') // '2387.16'
 */
export function meltValue(massG: number, fineness: number, price: string): string {
  return new Decimal(massG).times(fineness).times(price).dividedBy(TROY_OUNCE_G).toFixed(2);
}

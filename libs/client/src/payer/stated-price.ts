import { decodeBase64JsonObject } from '../challenge/byte-text.js';
import { PaymentRefusedError } from '../errors.js';

/** Micro-USD of a decimal USD text; undefined for anything else. */
function microUsdOf(usd: unknown): number | undefined {
  const match = typeof usd === 'string' ? /^(\d{1,7})(?:\.(\d{1,6}))?$/.exec(usd) : null;
  return match ? Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0')) : undefined;
}

/**
 * The price of a call, micro-USD, as the 402's body and its signed challenge token both say it.
 * @throws {PaymentRefusedError} PRICE_NOT_STATED, PRICE_MISMATCH
 */
export function statedPriceMicroUsd(headers: Headers, body: Record<string, unknown> | undefined): number {
  const token = headers.get('x-402-challenge') ?? body?.['challengeToken'];
  const signed = typeof token === 'string' ? decodeBase64JsonObject(token.split('.')[1] ?? '') : undefined;
  const price = microUsdOf(body?.['priceUsd']);
  if (price === undefined)
    throw new PaymentRefusedError('PRICE_NOT_STATED', 'the 402 states no price to hold its offer against');
  const amount = signed?.['amountMicroUsd'];
  if (amount !== undefined) requireAmount('the challenge token', amount, price);
  return price;
}

/** @throws {PaymentRefusedError} PRICE_MISMATCH, PRICE_ABOVE_LIMIT */
export function requireAmount(source: string, got: unknown, expected: number, max = Infinity): void {
  if (got !== expected)
    throw new PaymentRefusedError(
      'PRICE_MISMATCH',
      `the price is ${expected} micro-USD, ${source} says ${String(got).slice(0, 40)}`,
      { expected, got },
    );
  if (expected > max)
    throw new PaymentRefusedError(
      'PRICE_ABOVE_LIMIT',
      `${source} asks for ${expected} micro-USD, above the limit of ${max} micro-USD a call`,
      { max, got: expected },
    );
}

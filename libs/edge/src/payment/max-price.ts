import { problem } from '@svc/platform';
import { MICRO_USD_PER_USD, priceOf } from '@svc/protocols';
import type { IncomingMessage } from 'node:http';
import { headerLines } from '../http/header-lines.js';

const MAX_PRICE = 'X-Svc-Max-Price';
const USD = /^(0|[1-9][0-9]{0,6})(\.[0-9]{1,6})?$/;

/**
 * Refuses a call that costs more than its caller pays at most, before anything is shown to who would take it. A key sees no challenge:
 * without this it pays whatever the price list says by then.
 *
 * @throws ProblemError VALIDATION_FAILED for a header that is no number of dollars, PRECONDITION_FAILED with both amounts
 */
export function requireWithinMaxPrice(
  request: Pick<IncomingMessage, 'rawHeaders'>,
  operationId: string,
): void {
  const [line, ...more] = headerLines(request.rawHeaders, MAX_PRICE.toLowerCase());
  if (line === undefined) return;
  if (more.length > 0 || !USD.test(line)) {
    const message = 'must be one decimal number of dollars, as 0.01';
    throw problem('VALIDATION_FAILED', `${MAX_PRICE}: ${message}`, {
      errors: [{ path: MAX_PRICE, message, got: line.slice(0, 80) }],
    });
  }
  const { amountMicroUsd: priceMicroUsd, priceUsd } = priceOf(operationId);
  const maxMicroUsd = Math.round(Number(line) * MICRO_USD_PER_USD);
  if (priceMicroUsd <= maxMicroUsd) return;
  const detail = `The call costs ${priceUsd} USD, and ${MAX_PRICE} is ${line}; nothing was taken`;
  throw problem('PRECONDITION_FAILED', detail, { extensions: { priceMicroUsd, maxMicroUsd } });
}

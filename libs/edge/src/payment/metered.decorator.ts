import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { priceOf } from '@svc/protocols';
import { PAID_OPERATION, type PaidOperation } from './paid-operation.js';
import { PaymentInterceptor } from './payment.interceptor.js';

/**
 * Meters a route of `access: 'quota'`: a call counts against the plan of the key, or of the caller's address, and is
 * answered for nothing while the month's requests last. Beyond them, or with a payment credential, it is sold as by
 * {@link Paid}. A call that fails is not counted. The handler returns the JSON of a 2xx answer, `AnswerWithStatus` where that
 * is not the status of its route, or a `DeferredAnswer` where a task goes on with it; `MeteredCallOf` gives it what pays for the
 * call.
 *
 * @throws {UnknownOperationError} at start-up when the operation has no price
 * @throws {TypeError} at start-up when its price is asked always
 */
export function Metered(operation: Omit<PaidOperation, 'metered'>): MethodDecorator {
  if (priceOf(operation.operationId).charged !== 'over-quota') {
    throw new TypeError(`${operation.operationId} is charged always: no quota covers it`);
  }
  const metered: PaidOperation = { ...operation, metered: true };
  return applyDecorators(SetMetadata(PAID_OPERATION, metered), UseInterceptors(PaymentInterceptor));
}

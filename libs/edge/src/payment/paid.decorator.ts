import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { priceOf } from '@svc/protocols';
import { PAID_OPERATION, type PaidOperation } from './paid-operation.js';
import { PaymentInterceptor } from './payment.interceptor.js';

/**
 * Sells a route: without payment it answers 402, and of any number of requests with one payment the
 * handler runs for one, whose answer the others get. The handler returns the JSON of a 2xx answer, or a
 * {@link DeferredAnswer} where work that goes on has taken the payment over, or an {@link AnswerOfPayment} where it has
 * waited for such work, or an {@link UnchargedAnswer}, after which the payment is given back too; where it throws, it is given
 * back.
 *
 * @throws {UnknownOperationError} at start-up when the operation has no price
 * @example `Paid({ operationId: 'zk.prove', body: ProveRequest, admit: admitBy(proverContract.admit) })`
 */
export function Paid(operation: PaidOperation): MethodDecorator {
  priceOf(operation.operationId);
  return applyDecorators(SetMetadata(PAID_OPERATION, operation), UseInterceptors(PaymentInterceptor));
}

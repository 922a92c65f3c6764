import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { runInTurn } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { bodyBytesOf, BurstLimits } from './burst-limits.js';
import { unitsOfCall } from './free-work.js';

/**
 * Stands before a free route whose answer is work: bounds how much of it one caller has at once and in a window, as that within a
 * quota is bounded, and beyond it is 429 before anything is asked of a service. Where the work waits, callers take turns.
 */
@Injectable()
export class UnpaidWork implements NestInterceptor {
  constructor(private readonly bursts: BurstLimits) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return from(
      runUnpaid(this.bursts, request, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
    );
  }
}

/** Does the work of an unpaid call, as {@link UnpaidWork} bounds it. @throws ProblemError RATE_LIMITED */
export function runUnpaid<T>(
  bursts: BurstLimits,
  request: FastifyRequest,
  run: () => Promise<T>,
): Promise<T> {
  const turn = { subject: bursts.subjectOf(request), standing: 'later' as const };
  return runInTurn(turn, () => bursts.whileFree(request, unitsOfCall(bodyBytesOf(request)), run));
}

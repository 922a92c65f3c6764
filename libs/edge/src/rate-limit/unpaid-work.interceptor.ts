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
    const run = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    const turn = { subject: this.bursts.subjectOf(request), standing: 'later' as const };
    const work = () => this.bursts.whileFree(request, unitsOfCall(bodyBytesOf(request)), run);
    return from(runInTurn(turn, work));
  }
}

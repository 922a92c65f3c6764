import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { runInTurn } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { bodyBytesOf, BurstLimits } from './burst-limits.js';
import { unitsOfCall } from './free-work.js';

const WORK_UNITS = 'svc:work-units';
/** What a call of a free route takes of its caller's window, where that is more than its body tells: what it leaves stored, say. */
export const WorkUnits = (units: number) => SetMetadata(WORK_UNITS, units);

/**
 * Stands before a free route whose answer is work: bounds how much of it one caller has at once and in a window, as that within a
 * quota is bounded, and beyond it is 429 before anything is asked of a service. Where the work waits, callers take turns.
 */
@Injectable()
export class UnpaidWork implements NestInterceptor {
  constructor(private readonly bursts: BurstLimits) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const units = (Reflect.getMetadata(WORK_UNITS, context.getHandler()) as number | undefined) ?? 0;
    const run = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(runUnpaid(this.bursts, request, run, units));
  }
}

/** Does the work of an unpaid call of at least so many units, as {@link UnpaidWork} bounds it. @throws ProblemError RATE_LIMITED */
export function runUnpaid<T>(
  bursts: BurstLimits,
  request: FastifyRequest,
  run: () => Promise<T>,
  unitsMin = 0,
): Promise<T> {
  const turn = { subject: bursts.subjectOf(request), standing: 'later' as const };
  return runInTurn(turn, () =>
    bursts.whileFree(request, Math.max(unitsMin, unitsOfCall(bodyBytesOf(request))), run),
  );
}

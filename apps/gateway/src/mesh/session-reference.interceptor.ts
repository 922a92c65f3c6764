import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

export const sessionPathOf = (sessionId: string): string => `/v1/mesh/sessions/${sessionId}`;

/**
 * Says where the session of an answer is. Stands outside the payment guard: an answer that is given again has its `Location`
 * too, while its `ETag` would be one of the past.
 */
@Injectable()
export class SessionLocation implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: Buffer) => {
        const { sessionId } = JSON.parse(answer.toString('utf8')) as { sessionId: string };
        reply.header('location', sessionPathOf(sessionId));
        return answer;
      }),
    );
  }
}

import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { etagOf } from './session-tag.js';

export const sessionPathOf = (sessionId: string): string => `/v1/mesh/sessions/${sessionId}`;

/** Says where the session of an answer is. Stands outside the payment guard: an answer that is given again says it too. */
@Injectable()
export class SessionReference implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: Buffer) => {
        const { sessionId } = JSON.parse(answer.toString('utf8')) as { sessionId: string };
        reply.header('location', sessionPathOf(sessionId)).header('etag', etagOf(sessionId));
        return answer;
      }),
    );
  }
}

import { applyDecorators, type ArgumentsHost, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { ParsedRequestOf, Procedure, ReplyOf } from '@svc/contracts';
import { type Observable, throwError } from 'rxjs';
import { parseOrProblem } from '../problem-details/field-faults.js';

/** Hands errors to the bus server as they are: it knows the code, the logger and the trace. */
@Catch()
export class PassErrorFilter implements ExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}

/** A controller method that answers the procedure. */
type HandlerOf<P extends Procedure> = (
  payload: ParsedRequestOf<P>,
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- further parameters are Nest's to inject
  ...injected: any[]
) => ReplyOf<P> | Promise<ReplyOf<P>>;

/**
 * Makes a controller method the handler of a procedure: it answers the procedure's subject, gets the
 * payload as `procedure.request` parsed it (a fault becomes VALIDATION_FAILED without running the
 * method), and its ProblemErrors reach the caller as they are. The payload is the first parameter.
 *
 * @example `Handle(proverContract.prove)` above `prove(request: ProveRequest): Promise<ProveReply>`
 */
export function Handle<P extends Procedure>(procedure: P) {
  return <M extends HandlerOf<P>>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    const method = descriptor.value!;
    const validated = async function (this: unknown, payload: unknown, ...injected: unknown[]) {
      return method.call(this, parseOrProblem(procedure.request, payload) as ParsedRequestOf<P>, ...injected);
    };
    Object.defineProperty(validated, 'name', { value: method.name });
    descriptor.value = validated as unknown as M;
    applyDecorators(MessagePattern(procedure.subject), UseFilters(PassErrorFilter))(target, name, descriptor);
  };
}

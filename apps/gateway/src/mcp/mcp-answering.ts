import { Logger } from '@nestjs/common';
import { originOf, pauseRefusal } from '@svc/edge';
import { asProblem, currentTrace, problemDetails, ProblemError } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { isRecord, JsonRpcFault, jsonRpcErrorOf } from './json-rpc.js';
import type { McpCall, McpMethod } from './mcp-catalogue.js';

const logger = new Logger('Mcp');

/**
 * Answers a method for a call of either era.
 * @throws JsonRpcFault what its caller is told of a failure: of an unknown one nothing but the trace id
 */
export async function answerOf({ answer }: McpMethod, call: McpCall): Promise<object> {
  try {
    return await answer(call);
  } catch (error) {
    if (error instanceof JsonRpcFault) throw error;
    if (error instanceof ProblemError) await pauseRefusal(call.request, call.reply, error.status);
    else logger.error(error);
    const { code, message, data } = jsonRpcErrorOf(problemDetails(asProblem(error), contextOf(call.request)));
    throw new JsonRpcFault(code, message, data);
  }
}

/** Where a problem of a request happened. */
export const contextOf = (request: FastifyRequest) => ({
  origin: originOf(request),
  traceId: currentTrace().traceId,
});

/** Whether a client says in its capabilities that it speaks the `Payment` scheme (draft-payment-transport-mcp section 5.2). */
export function declaresPayment(capabilities: unknown): boolean {
  const experimental = isRecord(capabilities) ? capabilities.experimental : undefined;
  return isRecord(experimental) && isRecord(experimental.payment);
}

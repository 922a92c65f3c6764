import { Body, Controller, Req, UseInterceptors } from '@nestjs/common';
import { meshContract, meshRoutes, RendezvousRequest, type RendezvousResult } from '@svc/contracts';
import {
  addressOf,
  type Admission,
  AnswerWithStatus,
  Endpoint,
  idempotencyKeyOf,
  mayHaveBeenAnswered,
  Metered,
  type MeteredCall,
  MeteredCallOf,
} from '@svc/edge';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { SessionReference } from './session-reference.interceptor.js';

const { rendezvous } = meshRoutes;

/** Whether a rendezvous can be tried now, or may be the retry of one that was answered. */
const admitRendezvous: Admission = async (bus, body, http) => {
  const asked = { request: body as RendezvousRequest, caller: { address: addressOf(http) } };
  try {
    return await bus.call(meshContract.admitRendezvous, asked);
  } catch (error) {
    if (mayHaveBeenAnswered(http, error)) return undefined;
    throw error;
  }
};

/**
 * Answers to offers, the service's or another peer's: within the month's requests for nothing, beyond them sold. A session that
 * waits for its peer is delivered as one that is answered: it is there, and whoever asked for it holds its id.
 */
@Controller()
export class RendezvousHttpController {
  constructor(private readonly bus: BusClient) {}

  // Of two decorators the lower one is applied first, and stands outside.
  @Endpoint(rendezvous)
  @Metered({
    operationId: rendezvous.operationId,
    body: RendezvousRequest,
    admit: admitRendezvous,
  })
  @UseInterceptors(SessionReference)
  async rendezvous(
    @Body() request: RendezvousRequest,
    @MeteredCallOf() call: MeteredCall,
    @Req() http: FastifyRequest,
  ): Promise<RendezvousResult | AnswerWithStatus> {
    const caller = { address: addressOf(http) };
    const idemKey = callKeyOf(call, idempotencyKeyOf(http.raw), request);
    // Goes on without its client once it has begun: the nonce is used then, and the peer may be answering.
    const asked = { request, caller, ...(idemKey && { idemKey }) };
    const { version: _version, ...answer } = await this.bus.call(meshContract.rendezvous, asked);
    if (answer.outcome === 'pending') {
      const { outcome: _pending, ...pending } = answer;
      return new AnswerWithStatus(202, pending);
    }
    const { outcome: _answered, ...answered } = answer;
    return answered;
  }
}

/**
 * Names a call, so that its retries are known: by its payment, or by what its caller calls it together with the request itself,
 * because callers do not know of one another's names. A call that has neither is one of its own.
 */
function callKeyOf(
  { payment }: MeteredCall,
  idempotencyKey: string | undefined,
  request: RendezvousRequest,
): string | undefined {
  const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('hex');
  if (payment !== undefined && 'claim' in payment) return digest('rendezvous-claim', payment.claim.claimId);
  if (idempotencyKey === undefined) return undefined;
  return digest('rendezvous', idempotencyKey, JSON.stringify(request));
}

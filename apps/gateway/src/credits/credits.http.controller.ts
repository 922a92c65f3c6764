import { Body, Controller, Headers, Query, Req, Res } from '@nestjs/common';
import {
  checkoutContract,
  CreditPackRequest,
  type CreditPackResult,
  creditsRoutes,
  type KeyHolder,
  type PrepayConfirmation,
  PROBLEMS,
} from '@svc/contracts';
import { BusClient, ProblemError, runInTurn } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  AccountOf,
  addressOf,
  BurstLimits,
  Endpoint,
  idempotencyKeyOf,
  Keyed,
  preferredType,
  realmOf,
  schemeOf,
  unguessableKeyOf,
} from '@svc/edge';
import { prepayPage, prepayProblemPage } from './prepay-page.js';

const { prepayCredits, prepaySuccess } = creditsRoutes;

/** Sells packs, and shows what a checkout has bought. */
@Controller()
export class CreditsHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly bursts: BurstLimits,
  ) {}

  @Endpoint(prepayCredits)
  @Keyed({ optional: true })
  prepay(
    @Body({ schema: CreditPackRequest.prefault({}) }) pack: z.output<typeof CreditPackRequest>,
    @AccountOf() holder: KeyHolder | undefined,
    @Req() request: FastifyRequest,
  ): Promise<z.output<typeof CreditPackResult>> {
    const idempotencyKey = holder ? idempotencyKeyOf(request.raw) : unguessableKeyOf(request.raw);
    const asked = {
      pack,
      baseUrl: `${schemeOf(request)}://${realmOf(request)}`,
      address: addressOf(request),
      ...(holder && { accountId: holder.accountId }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    return this.inTurn(request, () => this.bus.call(checkoutContract.prepay, asked));
  }

  /** JSON for a client, a page for a browser; nothing on the way may keep it, since it may hold the key. */
  @Endpoint(prepaySuccess)
  async confirm(
    @Query({ schema: prepaySuccess.query }) { session_id: sessionId }: { session_id: string },
    @Headers('accept') accept: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof PrepayConfirmation> | string> {
    reply
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .header('vary', 'accept');
    const isPage = preferredType(accept, ['application/json', 'text/html']) === 'text/html';
    const showKey = !isLookedAtByNobody(request);
    try {
      const confirmation = await this.inTurn(request, () =>
        this.bus.call(checkoutContract.confirm, { sessionId, showKey }),
      );
      return isPage ? sendPage(reply, prepayPage(confirmation)) : confirmation;
    } catch (error) {
      if (!isPage || !(error instanceof ProblemError) || error.status >= 500) throw error;
      reply.status(error.status);
      return sendPage(reply, prepayProblemPage(PROBLEMS[error.code].title, error.payload.detail));
    }
  }

  /** The card processor is asked for callers by turns. */
  private inTurn<T>(request: FastifyRequest, ask: () => Promise<T>): Promise<T> {
    return runInTurn({ subject: this.bursts.subjectOf(request), standing: 'later' }, ask);
  }
}

/** Browsers fetch ahead what may never be opened, and HEAD has no body: neither may use the one showing up. */
function isLookedAtByNobody({ method, headers }: FastifyRequest): boolean {
  const purpose = [headers['sec-purpose'], headers.purpose].join(' ').toLowerCase();
  return method === 'HEAD' || purpose.includes('prefetch') || purpose.includes('prerender');
}

function sendPage(reply: FastifyReply, page: string): string {
  reply.header('content-type', 'text/html; charset=utf-8');
  return page;
}

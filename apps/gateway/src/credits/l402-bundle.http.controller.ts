import { Body, Controller, Req, Res } from '@nestjs/common';
import {
  BundleRequest,
  type BundleState,
  l402BundleContract,
  l402BundleRoutes,
  type PaymentCredential,
} from '@svc/contracts';
import {
  BurstLimits,
  ChallengeMaker,
  Endpoint,
  isEmptyBody,
  isOutcomeUnknown,
  Keyed,
  paymentRequired,
  presentPayment,
  readCredential,
  requireWithinMaxPrice,
  settlementUnknown,
} from '@svc/edge';
import { BusClient, parseOrProblem, problem, ProblemError, unprocessable } from '@svc/platform';
import { bundleOperation, coversAnyOperation } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sells L402 tokens that pay several calls, and says what is left of one. */
@Controller()
export class L402BundleHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly challenges: ChallengeMaker,
    private readonly bursts: BurstLimits,
  ) {}

  @Endpoint(l402BundleRoutes.bundle)
  @Keyed({ optional: true })
  async bundle(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BundleState | Buffer> {
    reply.header('cache-control', 'no-store');
    const says = !isEmptyBody(body);
    const asked = parseOrProblem(BundleRequest, says ? body : {});
    refuseUnknown(asked);
    try {
      const credential = credentialOf(request);
      if (!credential) {
        const challenge = await this.quote(asked, request);
        return this.challenges.ask(paymentRequired(bundleOperation(asked.sats)), challenge, request, reply);
      }
      requireWithinMaxPrice(request.raw, bundleOperation(asked.sats));
      return await this.open(credential, says ? asked : undefined, request, reply);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status !== 402) throw error;
      throw this.challenges.offer(error, await this.quote(asked, request), request, reply);
    }
  }

  private async open(
    credential: PaymentCredential,
    asked: BundleRequest | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<BundleState> {
    const terms = asked && { sats: asked.sats, capabilities: asked.capabilities };
    const opening = presentPayment(this.bursts, request, credential, () =>
      this.bus.call(l402BundleContract.open, { credential, ...(terms && { asked: terms }) }),
    );
    const { state, headers } = await opening.catch((error: unknown) => {
      throw isOutcomeUnknown(error) ? settlementUnknown(error) : error;
    });
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    return state;
  }

  private quote({ sats, capabilities, validSeconds }: BundleRequest, request: FastifyRequest) {
    const bundle = { capabilities, validSeconds };
    const terms = { families: ['lightning' as const], bundle };
    return this.challenges.quote(bundleOperation(sats), request, undefined, terms);
  }
}

/** @throws ProblemError as {@link readCredential}; PAYMENT_METHOD_UNSUPPORTED for another payment than L402 */
function credentialOf({ raw }: FastifyRequest): PaymentCredential | undefined {
  const { payment } = readCredential(raw);
  if (!payment || payment.scheme === 'L402') return payment;
  throw problem('PAYMENT_METHOD_UNSUPPORTED', `A bundle is paid with L402, and not with ${payment.scheme}`);
}

/** @throws ProblemError UNPROCESSABLE naming the capability */
function refuseUnknown({ capabilities }: BundleRequest): void {
  const place = capabilities.findIndex(pattern => !coversAnyOperation(pattern));
  if (place < 0) return;
  const message = `${capabilities[place]} is no operation that has a price, nor a family of them`;
  throw unprocessable(`capabilities[${place}]`, message, { got: capabilities[place] });
}

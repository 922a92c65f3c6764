import { Injectable } from '@nestjs/common';
import {
  type ChallengeReply,
  paymentsContract,
  type Route,
  ROUTES,
  type X402Resources,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { findPrice, type Price } from '@svc/protocols';
import { z } from 'zod';
import { sellsTools, toolPrices, toolTargetOf } from '@svc/edge';

/** Terms are asked for again after this; each asking makes a challenge for each price, of x402 alone: that costs no invoice. */
const TERMS_KEPT_MS = 60_000;

/** A priced route, of one tool where its price is that of its tool, and the terms on which x402 pays now. */
interface Priced {
  readonly route: Route;
  /** Path, with the query that names the tool. */
  readonly target: string;
  readonly price: Price;
  readonly accepts: readonly Record<string, unknown>[];
}
interface Terms {
  readonly priced: readonly Priced[];
  readonly atMs: number;
}

const PaymentRequired = z.object({ accepts: z.array(z.record(z.string(), z.unknown())).min(1) });

/** `GET /.well-known/x402`: what x402 can pay for here, on the very terms of the 402s. */
@Injectable()
export class X402ResourceList {
  private terms: Promise<Terms> | undefined;
  private untilMs = 0;

  constructor(private readonly bus: BusClient) {}

  /**
   * @param origin `https://host` that the client called
   * @throws ProblemError SERVICE_UNAVAILABLE
   */
  async list(origin: string, realm: string): Promise<X402Resources> {
    // The terms are kept; whether anything can be paid by them now is asked each time.
    const { rails } = await this.bus.call(paymentsContract.rails, {});
    const { priced, atMs } = rails.includes('x402')
      ? await this.termsNow(realm)
      : { priced: [], atMs: Date.now() };
    const payable = priced.filter(({ accepts }) => accepts.length > 0);
    return {
      x402Version: 2,
      version: 1,
      resources: payable.map(({ target }) => origin + target),
      items: payable.map(({ route, target, price, accepts }) => ({
        ...{ resource: origin + target, type: 'http', method: route.method, x402Version: 2 },
        accepts: [...accepts],
        lastUpdated: new Date(atMs).toISOString(),
        metadata: {
          ...{ operationId: route.operationId, description: price.description, priceUsd: price.priceUsd },
        },
      })),
      rails: [...rails],
      docs: { openapi: '/openapi.json', llms: '/llms.txt', reference: '/docs' },
    };
  }

  private termsNow(realm: string): Promise<Terms> {
    if (!this.terms || this.untilMs <= Date.now()) {
      this.untilMs = Date.now() + TERMS_KEPT_MS;
      const asked = this.ask(realm);
      this.terms = asked;
      asked.catch(() => this.terms === asked && (this.terms = undefined));
    }
    return this.terms;
  }

  private async ask(realm: string): Promise<Terms> {
    const ofRoutes = ROUTES.filter(isPayable).map(async (route): Promise<Priced[]> => {
      const price = findPrice(route.operationId)!;
      return [{ route, target: route.path, price, accepts: await this.termsOf(price, realm) }];
    });
    const ofTools = toolPrices().map(async (price): Promise<Priced[]> => {
      const accepts = await this.termsOf(price, realm);
      const at = (route: Route) => ({ route, target: toolTargetOf(route, price.tool), price, accepts });
      return ROUTES.filter(sellsTools).map(at);
    });
    const priced = await Promise.all([...ofRoutes, ...ofTools]);
    return { priced: priced.flat(), atMs: Date.now() };
  }

  private async termsOf({ operationId }: Price, realm: string): Promise<Priced['accepts']> {
    const asked = { operationId, realm, families: ['x402' as const] };
    return acceptsOf(await this.bus.call(paymentsContract.challenge, asked));
  }
}

function isPayable({ access, operationId }: Route): boolean {
  return (access === 'paid' || access === 'quota') && findPrice(operationId) !== undefined;
}

/** The terms of a challenge, without what makes it this challenge and no other. */
function acceptsOf({ offers }: ChallengeReply): Record<string, unknown>[] {
  const header = offers.find(({ rail }) => rail === 'x402')?.headers?.['PAYMENT-REQUIRED'];
  if (header === undefined) return [];
  const read = PaymentRequired.safeParse(JSON.parse(Buffer.from(header, 'base64').toString('utf8')));
  if (!read.success) return [];
  return read.data.accepts.map(accept => {
    if (typeof accept.extra !== 'object' || accept.extra === null) return accept;
    const { jti: _jti, ...extra } = accept.extra as Record<string, unknown>;
    return { ...accept, extra };
  });
}

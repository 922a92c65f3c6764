import { Injectable } from '@nestjs/common';
import {
  type ChallengeReply,
  paymentsContract,
  type Route,
  SOLD_RESOURCES,
  type X402Resources,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { type Price, priceOf } from '@svc/protocols';
import { z } from 'zod';

/** Terms are asked for again after this; each asking makes a challenge for each price, of x402 alone: that costs no invoice. */
const TERMS_KEPT_MS = 60_000;

/** What is sold at an address, and the terms on which x402 pays for it now. */
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

/**
 * `GET /.well-known/x402`: what x402 can pay for here, on the very terms of the 402s. Each address that it lists answers a bare request
 * with these terms: crawlers send nothing more, and drop what answers otherwise.
 */
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
    const asked = new Map<string, Promise<Priced['accepts']>>();
    const termsOf = (operationId: string) => {
      const known = asked.get(operationId) ?? this.termsOf(operationId, realm);
      asked.set(operationId, known);
      return known;
    };
    const priced = SOLD_RESOURCES.map(async ({ operationId, route, target }): Promise<Priced> => {
      return { route, target, price: priceOf(operationId), accepts: await termsOf(operationId) };
    });
    return { priced: await Promise.all(priced), atMs: Date.now() };
  }

  private async termsOf(operationId: string, realm: string): Promise<Priced['accepts']> {
    const asked = { operationId, realm, families: ['x402' as const] };
    return acceptsOf(await this.bus.call(paymentsContract.challenge, asked));
  }
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

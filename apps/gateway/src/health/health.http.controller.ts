import { Controller, Inject, Res } from '@nestjs/common';
import { gatewayRoutes, type HealthReport } from '@svc/contracts';
import type { Readiness } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { Endpoint } from '@svc/edge';
import { HealthService } from './health.service.js';

/** Token of the function that says whether the gateway is ready. */
export const READINESS = Symbol('READINESS');

@Controller()
export class HealthHttpController {
  constructor(
    private readonly health: HealthService,
    @Inject(READINESS) private readonly readiness: () => Readiness,
  ) {}

  @Endpoint(gatewayRoutes.health)
  async report(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    reply.header('cache-control', 'no-store');
    return this.health.report();
  }

  @Endpoint(gatewayRoutes.livez)
  livez(@Res({ passthrough: true }) reply: FastifyReply): { status: 'ok' } {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  }

  @Endpoint(gatewayRoutes.readyz)
  readyz(@Res({ passthrough: true }) reply: FastifyReply): {
    status: string;
    checks: Record<string, string>;
  } {
    const { ready, checks } = this.readiness();
    reply.header('cache-control', 'no-store').status(ready ? 200 : 503);
    return { status: ready ? 'ok' : 'unavailable', checks };
  }
}

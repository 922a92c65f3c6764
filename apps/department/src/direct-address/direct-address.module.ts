import { Controller, type DynamicModule, Inject, Module, Res } from '@nestjs/common';
import { departmentsRoutes, gatewayRoutes } from '@svc/contracts';
import {
  BurstLimits,
  ChallengeMaker,
  DepartmentsHttpController,
  type DocumentedApi,
  Endpoint,
  EventStreams,
  OpenApiHttpController,
  PaymentDesk,
  ProblemTypesHttpController,
  PublishedDocument,
  TaskSale,
  TicketedTask,
} from '@svc/edge';
import { type BusLink, BusModule, type Readiness, SERVICE_READINESS } from '@svc/platform';
import type { FastifyReply } from 'fastify';

/** What the department answers at its own address. */
export const DIRECT_API: DocumentedApi = {
  name: 'Departments of the Proof, Signal and Payment Gateway API',
  description: 'The desks and their tasks at the address of the department service itself.',
  routes: [
    ...Object.values(departmentsRoutes),
    gatewayRoutes.openapi,
    gatewayRoutes.problem,
    gatewayRoutes.livez,
    gatewayRoutes.readyz,
  ],
  docs: { openapi: '/openapi.json' },
};

/** The probes of the address; readiness is that of the whole service. */
@Controller()
class ProbesHttpController {
  constructor(@Inject(SERVICE_READINESS) private readonly readiness: () => Promise<Readiness>) {}

  @Endpoint(gatewayRoutes.livez)
  livez(@Res({ passthrough: true }) reply: FastifyReply): { status: 'ok' } {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  }

  @Endpoint(gatewayRoutes.readyz)
  async readyz(
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ status: string; checks: Record<string, string> }> {
    const { ready, checks } = await this.readiness();
    reply.header('cache-control', 'no-store').status(ready ? 200 : 503);
    return { status: ready ? 'ok' : 'unavailable', checks };
  }
}

/** What the service gives its own address. */
export interface DirectParts {
  /** The service's end of the bus. */
  readonly link: BusLink;
  readonly readiness: () => Promise<Readiness>;
  readonly bursts: BurstLimits;
}

/** The gateway's controllers of desks and tasks, with guards, limits and a payment desk of their own. */
@Module({})
export class DirectAddressModule {
  static register({ link, readiness, bursts }: DirectParts): DynamicModule {
    return {
      module: DirectAddressModule,
      imports: [BusModule.forLink(link)],
      controllers: [
        DepartmentsHttpController,
        OpenApiHttpController,
        ProbesHttpController,
        ProblemTypesHttpController,
      ],
      providers: [
        ...[ChallengeMaker, PaymentDesk, TaskSale, TicketedTask, EventStreams, PublishedDocument],
        { provide: BurstLimits, useValue: bursts },
        { provide: SERVICE_READINESS, useValue: readiness },
      ],
    };
  }
}

import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { SERVICES, type ServiceName } from '@svc/contracts';
import {
  API_VERSION,
  createLogger,
  MemoryBus,
  type RunningService,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import { type RateLimitSettings, TrustedProxies } from '@svc/edge';
import { type GatewayEnvironment, type RunningGateway, startGateway } from '../src/start-gateway.js';

/** What a service under test adds to its ping. */
export interface ServiceUnderTest {
  readonly controllers?: Type[];
  readonly measurements?: Record<string, string>;
}

@Module({})
class ServiceUnderTestModule {}

/** Starts a service without a database on a bus. */
export function startServiceOn(
  bus: MemoryBus,
  name: ServiceName,
  { controllers = [], measurements }: ServiceUnderTest = {},
): Promise<RunningService> {
  const module: DynamicModule = { module: ServiceUnderTestModule, controllers };
  return startService({ name, migrations: [], measurements, module: () => module }, environmentOn(bus, name));
}

/** No limits on bursts: tests ask more of one address than anybody else. */
export const WITHOUT_LIMITS: RateLimitSettings = { factor: 0, trustedProxies: new TrustedProxies([]) };

/** Starts a gateway on any free port of the loopback interface, without limits on bursts. */
export function startGatewayOn(
  bus: MemoryBus,
  overrides: Partial<GatewayEnvironment> = {},
): Promise<RunningGateway> {
  return startGateway({
    ...environmentOn(bus, 'gateway'),
    port: 0,
    host: '127.0.0.1',
    rateLimits: WITHOUT_LIMITS,
    ...overrides,
  });
}

/** The names of the services that a gateway asks. */
export const ASKED = SERVICES.filter(service => service !== 'gateway');

/** Environment of a service or gateway whose log goes nowhere. */
export function environmentOn(bus: MemoryBus, service: ServiceName): ServiceEnvironment {
  return {
    service,
    version: API_VERSION,
    bus: { kind: 'memory', bus },
    production: false,
    secrets: {},
    logger: createLogger(service, { level: 'silent' }),
  };
}

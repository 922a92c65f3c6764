import { Controller, Inject, type Type } from '@nestjs/common';
import { pingProcedure, type PingReply } from '@svc/contracts';
import { randomUUID } from 'node:crypto';
import { Handle } from '../messaging/handle.js';
import { MeasurementRegistry } from '../observability/measurement-registry.js';
import {
  API_VERSION,
  type Readiness,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from './service-definition.js';
import type { ServiceName } from '@svc/contracts';

/** The controller that answers a service's ping: whether it is ready, and the figures it measured. */
export function pingController(service: ServiceName, readiness: () => Promise<Readiness>): Type {
  @Controller()
  class PingController {
    private readonly instanceId = randomUUID();
    private readonly startedAtMs = Date.now();

    constructor(
      @Inject(MeasurementRegistry) private readonly measurements: MeasurementRegistry,
      @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
    ) {}

    @Handle(pingProcedure(service))
    async ping(): Promise<PingReply> {
      const { ready } = await readiness();
      return {
        service: this.environment.service,
        instanceId: this.instanceId,
        version: API_VERSION,
        ready,
        uptimeSeconds: (Date.now() - this.startedAtMs) / 1_000,
        measurements: this.measurements.snapshot(),
      };
    }
  }
  return PingController;
}

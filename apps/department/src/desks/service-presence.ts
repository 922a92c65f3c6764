import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { pingProcedure, type ServiceName } from '@svc/contracts';
import { BusClient, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { DESKS } from './desks.js';

const PING_EVERY_MS = 3_000;
/** A service is there when it answered within this time. */
const ONLINE_WITHIN_MS = 10_000;

/** Knows which of the services beneath the desks answer, and are ready. */
@Injectable()
export class ServicePresence implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly seenAtMs = new Map<ServiceName, number>();
  private readonly asked: readonly ServiceName[];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: BusClient,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {
    const beneath = DESKS.flatMap(({ capabilities }) => capabilities.map(({ service }) => service));
    this.asked = [...new Set(beneath)].filter(service => service !== environment.service);
  }

  onApplicationBootstrap(): void {
    void this.look();
    this.timer = setInterval(() => void this.look(), PING_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  isOnline(service: ServiceName): boolean {
    if (service === this.environment.service) return true;
    return performance.now() - (this.seenAtMs.get(service) ?? -Infinity) <= ONLINE_WITHIN_MS;
  }

  private async look(): Promise<void> {
    await Promise.all(
      this.asked.map(async service => {
        const answer = await this.bus.call(pingProcedure(service), {}).catch(() => undefined);
        if (answer?.ready) this.seenAtMs.set(service, performance.now());
      }),
    );
  }
}

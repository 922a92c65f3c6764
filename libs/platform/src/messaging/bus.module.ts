import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { ServiceName } from '@svc/contracts';
import type { Logger } from 'pino';
import { createLogger } from '../observability/logger.js';
import { BusClient } from './bus-client.js';
import type { BusLink } from './bus-link.js';
import { type MemoryBus, MemoryLink } from './memory-bus.js';
import { NatsLink } from './nats-link.js';

/** Which bus a service speaks on. */
export type BusConfig =
  | {
      readonly kind: 'nats';
      readonly url: string;
      readonly user?: string;
      readonly password?: string;
      readonly token?: string;
    }
  | { readonly kind: 'memory'; readonly bus: MemoryBus };

/** Opens a service's end of the bus; nothing is sent before `connect`. */
export function openBusLink(config: BusConfig, service: ServiceName, logger?: Logger): BusLink {
  if (config.kind === 'memory') return new MemoryLink(config.bus);
  return new NatsLink(config, service, logger ?? createLogger(service));
}

const OWNED_LINK = Symbol('OWNED_LINK');

/** The service's end of the bus, for what needs more of it than {@link BusClient} has. */
export const BUS_LINK = Symbol('BUS_LINK');

/** Gives every provider of a service the {@link BusClient}. */
@Module({})
export class BusModule implements OnApplicationShutdown {
  constructor(@Inject(OWNED_LINK) private readonly owned: BusLink | null) {}

  /** For an application of its own: opens the bus at the start and closes it at the end. */
  static register(config: BusConfig, service: ServiceName): DynamicModule {
    const opened = {
      provide: OWNED_LINK,
      useFactory: async () => {
        const link = openBusLink(config, service);
        await link.connect();
        return link;
      },
    };
    const client = {
      provide: BusClient,
      useFactory: (link: BusLink) => new BusClient(link),
      inject: [OWNED_LINK],
    };
    const link = { provide: BUS_LINK, useExisting: OWNED_LINK };
    return {
      module: BusModule,
      global: true,
      providers: [opened, client, link],
      exports: [BusClient, BUS_LINK],
    };
  }

  /** For a runtime that owns the link itself, because its server listens on the same one. */
  static forLink(link: BusLink): DynamicModule {
    return {
      module: BusModule,
      global: true,
      providers: [
        { provide: OWNED_LINK, useValue: null },
        { provide: BusClient, useValue: new BusClient(link) },
        { provide: BUS_LINK, useValue: link },
      ],
      exports: [BusClient, BUS_LINK],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.owned?.close();
  }
}

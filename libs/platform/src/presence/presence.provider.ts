import { openPresenceBoard } from './open-presence-board.js';
import type { Provider } from '@nestjs/common';
import { z } from 'zod';
import { loadConfig } from '../config/load-config.js';
import type { BusLink } from '../messaging/bus-link.js';
import { BUS_LINK } from '../messaging/bus.module.js';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '../runtime/service-definition.js';

/** Injection token of a service's own {@link PresenceBoard}. */
export const PRESENCE_BOARD = Symbol('PRESENCE_BOARD');

const MIB = 1024 * 1024;

/** Variables of a service that has a presence board. */
export const presenceConfig = z.object({
  /** Lifetime of an entry that is not renewed. */
  PRESENCE_TTL_SECONDS: z.coerce.number().int().min(1).max(86_400).default(60),
  /** NATS servers that keep each entry. */
  PRESENCE_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** Size of all entries together, in the memory of NATS. */
  PRESENCE_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(MIB)
    .max(1024 * MIB)
    .default(16 * MIB),
});

/** The presence board of the service, over its own link. @throws ConfigError */
export const presenceProvider: Provider = {
  provide: PRESENCE_BOARD,
  inject: [BUS_LINK, SERVICE_ENVIRONMENT],
  useFactory: (link: BusLink, { service, variables = process.env, logger }: ServiceEnvironment) => {
    const config = loadConfig(presenceConfig, variables);
    return openPresenceBoard(
      link,
      {
        owner: service,
        ttlMs: config.PRESENCE_TTL_SECONDS * 1_000,
        replicas: config.PRESENCE_REPLICAS,
        bytesMax: config.PRESENCE_BYTES_MAX,
      },
      logger,
    );
  },
};

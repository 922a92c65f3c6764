import { openWorkQueue } from './open-work-queue.js';
import type { Provider } from '@nestjs/common';
import { z } from 'zod';
import { loadConfig } from '../config/load-config.js';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '../runtime/service-definition.js';
import type { BusLink } from './bus-link.js';
import { BUS_LINK } from './bus.module.js';

/** Injection token of a service's own {@link WorkQueue}. */
export const WORK_QUEUE = Symbol('WORK_QUEUE');

const MIB = 1024 * 1024;

/** Variables of a service that has work queues. */
export const workQueueConfig = z.object({
  /** NATS servers that keep each piece of work. */
  WORK_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  WORK_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(8 * MIB)
    .max(1024 * 1024 * MIB)
    .default(64 * MIB),
  /** Pieces of one priority in one queue. */
  WORK_PIECES_MAX: z.coerce.number().int().min(1).max(10_000_000).default(10_000),
});

/** The work queues of the service, over its own link. @throws ConfigError */
export const workQueueProvider: Provider = {
  provide: WORK_QUEUE,
  inject: [BUS_LINK, SERVICE_ENVIRONMENT],
  useFactory: (link: BusLink, { service, variables = process.env, logger }: ServiceEnvironment) => {
    const config = loadConfig(workQueueConfig, variables);
    return openWorkQueue(
      link,
      {
        owner: service,
        replicas: config.WORK_REPLICAS,
        bytesMax: config.WORK_BYTES_MAX,
        piecesMax: config.WORK_PIECES_MAX,
      },
      logger,
    );
  },
};

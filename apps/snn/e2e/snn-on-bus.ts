import {
  API_VERSION,
  BusClient,
  type BusConfig,
  createLogger,
  MemoryBus,
  openBusLink,
  type RunningService,
  startService,
  type Variables,
} from '@svc/platform';
import { deflateRawSync } from 'node:zlib';
import { snnService } from '../src/index.js';

/** Services as they are, on one bus, and the gateway's end of it. */
export interface SnnOnBus {
  readonly client: BusClient;
  readonly services: readonly RunningService[];
  close(): Promise<void>;
}

/** @param replicas services on the bus, which are asked in turn */
export async function startSnnOnBus({
  replicas = 1,
  variables = {},
  bus = { kind: 'memory', bus: new MemoryBus() },
}: { replicas?: number; variables?: Variables; bus?: BusConfig } = {}): Promise<SnnOnBus> {
  const logger = createLogger('snn', { level: 'silent' });
  const services: RunningService[] = [];
  for (let i = 0; i < replicas; i++) {
    services.push(
      await startService(snnService, {
        service: 'snn',
        version: API_VERSION,
        bus,
        production: false,
        secrets: {},
        variables,
        logger,
      }),
    );
  }
  const link = openBusLink(bus, 'gateway', logger);
  await link.connect();
  return {
    client: new BusClient(link),
    services,
    close: async () => {
      await Promise.all(services.map(service => service.close()));
      await link.close();
    },
  };
}

export const callIdOf = (letter: string) => `snc_${letter.repeat(22)}`;

/** A graph as it travels. */
export const packed = (request: unknown): Uint8Array =>
  deflateRawSync(typeof request === 'string' ? request : JSON.stringify(request));

import { PACKET_RECORDING_BOUNDS } from '@svc/modem';
import {
  API_VERSION,
  BusClient,
  createLogger,
  type EmbeddedPostgres,
  MemoryBus,
  openBusLink,
  ProblemError,
  type RunningService,
  type ServiceEnvironment,
  startService,
  startTemporaryPostgres,
} from '@svc/platform';
import { readWav, writeWav } from '@svc/recording';
import { DataSource } from 'typeorm';
import { acousticService } from '../src/index.js';

export const ACOUSTIC_SECRETS = {
  ACOUSTIC_SECRET: 'acoustic-secret-of-the-tests-of-32-characters',
  PAIRING_SIGNING_SEEDS: 'pairing-seed-of-the-tests-of-32-characters',
};

/** Services as they are, on one bus and one database, and the gateway's end of the bus. */
export interface AcousticOnBus {
  readonly client: BusClient;
  readonly postgres: EmbeddedPostgres;
  /** A connection of the tests' own, to look into and age the tables, with the role that owns them. */
  readonly database: DataSource;
  readonly services: RunningService[];
  /** Another replica, on the same bus and database. */
  start(more?: Partial<ServiceEnvironment>): Promise<RunningService>;
  close(): Promise<void>;
}

/** @param replicas services on the bus, which are asked in turn */
export async function startAcousticOnBus(replicas = 1): Promise<AcousticOnBus> {
  const bus = { kind: 'memory', bus: new MemoryBus() } as const;
  const logger = createLogger('acoustic', { level: 'silent' });
  const postgres = await startTemporaryPostgres();
  const services: RunningService[] = [];
  const start = async (more: Partial<ServiceEnvironment> = {}) => {
    const service = await startService(acousticService, {
      ...{ service: 'acoustic', version: API_VERSION, bus, production: false, variables: {}, logger },
      ...{ secrets: ACOUSTIC_SECRETS, ...postgres.urlsFor('acoustic'), ...more },
    });
    services.push(service);
    return service;
  };
  const stop = async () => {
    await Promise.all(services.map(service => service.close()));
    await postgres.stop();
  };
  try {
    for (let i = 0; i < replicas; i++) await start();
    const link = openBusLink(bus, 'gateway', logger);
    await link.connect();
    const database = await new DataSource({
      type: 'postgres',
      url: postgres.migrationUrlFor('acoustic'),
      schema: 'acoustic',
      extra: { options: '-c search_path=acoustic' },
    }).initialize();
    return {
      ...{ client: new BusClient(link), postgres, database, services, start },
      close: async () => {
        await link.close();
        await database.destroy();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The problem that a call ends in. @throws whatever else it ends in */
export async function problemOf(work: Promise<unknown>): Promise<ProblemError> {
  const error = await work.then(
    value => new Error(`expected a problem, got ${JSON.stringify(value).slice(0, 200)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProblemError)) throw error;
  return error;
}

/** A file as somebody has recorded it: quieter, with silence before and after, and the low bits that every recording has of its own. */
export function recordedAgain(wav: Uint8Array, { gain = 0.5, noise = 1e-3, seed = 1 } = {}): Uint8Array {
  const { samples, sampleRateHz } = readWav(wav, PACKET_RECORDING_BOUNDS);
  const pad = Math.round(sampleRateHz / 5);
  let state = seed >>> 0 || 1;
  const heard = new Float32Array(samples.length + 2 * pad);
  for (let n = 0; n < heard.length; n++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    heard[n] = gain * (samples[n - pad] ?? 0) + noise * (state / 2 ** 31 - 1);
  }
  return writeWav([heard], sampleRateHz);
}

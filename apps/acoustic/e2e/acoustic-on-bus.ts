import { PACKET_RECORDING_BOUNDS } from '@svc/modem';
import { type RunningService, type ServiceEnvironment } from '@svc/platform';
import { TemporaryServices } from '@svc/platform/testing';
import { readWav, writeWav } from '@svc/recording';
import { acousticService } from '../src/index.js';

export const ACOUSTIC_SECRETS = {
  ACOUSTIC_SECRET: 'acoustic-secret-of-the-tests-of-32-characters',
  PAIRING_SIGNING_SEEDS: 'pairing-seed-of-the-tests-of-32-characters',
};

/** Services as they are, on one bus and one database. */
export interface AcousticOnBus extends Pick<
  TemporaryServices,
  'client' | 'postgres' | 'database' | 'services' | 'close'
> {
  /** Another replica, on the same bus and database. */
  start(more?: Partial<ServiceEnvironment>): Promise<RunningService>;
}

/** @param replicas services on the bus, which are asked in turn */
export async function startAcousticOnBus(replicas = 1): Promise<AcousticOnBus> {
  const temporary = await TemporaryServices.open('acoustic');
  const start = (more: Partial<ServiceEnvironment> = {}) =>
    temporary.start(acousticService, { secrets: ACOUSTIC_SECRETS, ...more });
  await temporary.orClosed(async () => {
    for (let i = 0; i < replicas; i++) await start();
  });
  const { client, postgres, database, services } = temporary;
  return { client, postgres, database, services, start, close: () => temporary.close() };
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

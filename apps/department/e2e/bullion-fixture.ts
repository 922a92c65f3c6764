import { PRODUCTS } from '@svc/metals';
import { addNoise, powerAfterStrike, SeededRandom, synthesizeRing } from '@svc/metals/testing';
import { bullionContract, type EnrolmentFile, type VerifyBullionResult } from '@svc/contracts';
import { writeWav } from '@svc/recording';
import type { DepartmentFixture } from './department-fixture.js';
import { OPERATOR_KEY } from './payments-stand-in.js';

export interface RingOptions {
  readonly sampleRateHz?: number;
  readonly seed?: number;
  readonly snrDb?: number;
  /** By how much the samples exceed full scale. */
  readonly overload?: number;
  /** Played before the ring, at the same rate. */
  readonly before?: Float32Array;
  readonly channels?: 1 | 2;
}

/** A WAV of a piece that rings with such modes and a Q of a thousand. */
export function ringWav(modesHz: readonly number[], options: RingOptions = {}): Uint8Array {
  const { sampleRateHz = 48_000, seed = 1, snrDb = 30, overload = 0.7, before, channels = 1 } = options;
  const random = new SeededRandom(seed);
  const modes = modesHz.map((frequencyHz, i) => ({
    frequencyHz,
    amplitude: 1 / (1 + i / 4),
    decaySeconds: 1_000 / (Math.PI * frequencyHz),
    phase: random.uniform(0, 2 * Math.PI),
  }));
  const strikeSeconds = 0.1;
  const samples = synthesizeRing(modes, { seconds: 1, strikeSeconds, sampleRateHz }, random);
  addNoise(samples, powerAfterStrike(samples, strikeSeconds, sampleRateHz) / 10 ** (snrDb / 10), random);
  const highest = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const ring = samples.map(x => Math.max(-1, Math.min(1, (x * overload) / highest)));
  const sound = before ? Float64Array.from([...before, ...ring]) : ring;
  return writeWav(channels === 2 ? [sound, sound] : [sound], sampleRateHz);
}

/** The lines that the table has of a product, scaled. */
export const linesOf = (productId: string, scale = 1): number[] =>
  Object.values(PRODUCTS.get(productId)?.measuredModesHz ?? {})
    .flat()
    .map(hz => hz * scale);

/** The gateway's calls. */
export function bullionClient({ bus }: DepartmentFixture) {
  const callOf = (request: Record<string, unknown>, recording?: Uint8Array) => ({
    request,
    ...(recording && { recording }),
  });
  return {
    admit: (request: Record<string, unknown>, recording?: Uint8Array) =>
      bus.call(bullionContract.admit, callOf(request, recording)),
    verify: (request: Record<string, unknown>, recording?: Uint8Array): Promise<VerifyBullionResult> =>
      bus.call(bullionContract.verify, callOf(request, recording)),
    challenge: () => bus.call(bullionContract.challenge, {}),
    products: async () => (await bus.call(bullionContract.products, {})).items,
    exported: (productId: string, accountKey = OPERATOR_KEY) =>
      bus.call(bullionContract.exportEnrolments, { accountKey, productId }),
    imported: (file: EnrolmentFile, accountKey = OPERATOR_KEY) =>
      bus.call(bullionContract.importEnrolments, { accountKey, file }),
    enrol: (request: Record<string, unknown>, recording: Uint8Array, accountKey = OPERATOR_KEY) =>
      bus.call(bullionContract.enrol, { accountKey, request, recording }),
  };
}

import { readWav, type Recording, RecordingError } from '@svc/recording';
import { RING_RECORDING_BOUNDS } from '../ring/ring-bounds.js';
import { PRODUCTS } from '../product/product.js';
import { analyseRing } from '../ring/analyse-ring.js';
import { type Judgement, judgeRing, type Verdict } from '../verdict/judge-ring.js';
import { productTest } from '../verdict/product-test.js';
import type { PieceKind } from './ring-piece.js';
import { generateRingRecording, type RingRecordingOptions, type RingTruth } from './ring-recording.js';

/** What came of one recording. */
export interface RingScore {
  readonly truth: RingTruth;
  /** UNREADABLE where the file was refused, as a clipped one is. */
  readonly verdict: Verdict | 'UNREADABLE';
  readonly judgement: Judgement | null;
  /** The least z that would have to be allowed for the ring alone to agree; infinite where fewer than two modes are heard. */
  readonly leastZ: number;
}

/** Shares of a set of recordings, parts of one. */
export interface RingTally {
  readonly count: number;
  readonly pass: number;
  readonly fail: number;
  readonly inconclusive: number;
}

/** One point of the receiver operating characteristic of the ring alone, mass and measures left out. */
export interface RocPoint {
  readonly z: number;
  /** Genuine pieces whose ring agrees. */
  readonly truePass: number;
  /** Fakes whose ring agrees. */
  readonly falsePass: number;
}

/**
 * Makes a recording, reads it, analyses it and judges it, as the service does.
 *
 * @param options.ringAlone give the mass of the genuine piece in place of the weighed one: what the ring decides by itself
 */
export function scoreRingRecording(
  seed: number,
  { ringAlone = false, ...options }: RingRecordingOptions & { readonly ringAlone?: boolean } = {},
): RingScore {
  const { wav, truth } = generateRingRecording(seed, options);
  try {
    return scoreRecording(truth, readWav(wav, RING_RECORDING_BOUNDS), { ringAlone });
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { truth, verdict: 'UNREADABLE', judgement: null, leastZ: Infinity };
  }
}

/** As {@link scoreRingRecording}, of a recording of that piece that was read already. */
export function scoreRecording(
  truth: RingTruth,
  recording: Recording,
  { ringAlone = false }: { readonly ringAlone?: boolean } = {},
): RingScore {
  const product = PRODUCTS.get(truth.piece.productId);
  if (!product) throw new Error(`no product ${truth.piece.productId}`);
  const { peaks, snrDb, clippedFraction, strikes } = analyseRing(recording);
  const massG = ringAlone ? product.massG : truth.weighedG;
  const quality = { snrDb, clippedFraction, strikes };
  const judgement = judgeRing(productTest(product, { massG, peaks, quality }));
  return { truth, verdict: judgement.verdict, judgement, leastZ: leastZOf(judgement) };
}

/** Two modes within z, none beyond twice that: the rule of the verdict, with its 2 and 4 as one number. */
function leastZOf({ match }: Judgement): number {
  const zs = match.modes.flatMap(({ z }) => (z === null ? [] : [z])).sort((a, b) => a - b);
  return zs.length < 2 ? Infinity : Math.max(zs[1], (zs.at(-1) as number) / 2);
}

/** Shares of the verdicts on those pieces that are of one of some kinds. */
export function tally(scores: readonly RingScore[], kinds: readonly PieceKind[]): RingTally {
  const some = scores.filter(({ truth }) => kinds.includes(truth.piece.kind));
  const share = (...verdicts: RingScore['verdict'][]) =>
    some.filter(({ verdict }) => verdicts.includes(verdict)).length / Math.max(1, some.length);
  return {
    count: some.length,
    pass: share('PASS'),
    fail: share('FAIL'),
    inconclusive: share('INCONCLUSIVE', 'UNREADABLE'),
  };
}

/** How many genuine pieces and fakes agree as the allowed z grows. */
export function rocOf(scores: readonly RingScore[], zs: readonly number[]): RocPoint[] {
  const share = (isGenuine: boolean, z: number) => {
    const some = scores.filter(({ truth }) => truth.piece.isGenuine === isGenuine);
    return some.filter(({ leastZ }) => leastZ <= z).length / Math.max(1, some.length);
  };
  return zs.map(z => ({ z, truePass: share(true, z), falsePass: share(false, z) }));
}

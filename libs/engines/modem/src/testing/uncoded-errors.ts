import { SeededRandom } from '@svc/kernels/testing';
import { CopySearch } from '../copy-search.js';
import { CHIRP_SAMPLES, modulate, packetCopies, RAMP_SAMPLES } from '../modulate.js';
import { encodeFrame, PILOT, PILOT_BITS } from '../packet-frame.js';
import { HOPS_PER_SYMBOL, type PilotLock } from '../pilot-search.js';
import { SymbolTracker } from '../symbol-tracker.js';
import { type Baud, samplesPerSymbol } from '../tones.js';
import { noiseSigmaOf } from './acoustic-channel.js';
import { GaussianNoise } from './gaussian-noise.js';

const PAYLOAD_BYTES = 250;
const BLOCK_SAMPLES = 2_016;
const SILENCE_SAMPLES = 44_100;

export interface UncodedErrors {
  readonly bits: number;
  readonly errors: number;
  readonly frames: number;
  /** Frames whose pilot was not found where it is: their bits are not counted. */
  readonly missed: number;
}

/**
 * Bits that the receiver decides wrongly before any decoding, in white noise: frames are found by their chirp and pilot as in
 * any recording, its clock is followed symbol by symbol, and the stronger tone is the bit. Eb of an uncoded bit is its own
 * energy alone.
 *
 * @param ebN0Db by 10·log10(Eb/N0); 0.5·exp(−Eb/2N0) is what theory has for noncoherent orthogonal tones (Proakis, Digital
 *   Communications, 5th edition, 4.5-44)
 * @param errorsMin counts until so many errors, or `bitsMax` bits
 */
export function countUncodedErrors(
  { baud, ebN0Db }: { readonly baud: Baud; readonly ebN0Db: number },
  {
    errorsMin,
    bitsMax,
    seed,
  }: { readonly errorsMin: number; readonly bitsMax: number; readonly seed: number },
): UncodedErrors {
  const total = { bits: 0, errors: 0, frames: 0, missed: 0 };
  while (total.errors < errorsMin && total.bits < bitsMax && total.missed < 100) {
    const frame = countFrame(baud, ebN0Db, seed + total.frames);
    total.frames++;
    if (frame) {
      total.bits += frame.bits;
      total.errors += frame.errors;
    } else total.missed++;
  }
  return total;
}

function countFrame(baud: Baud, ebN0Db: number, seed: number) {
  const random = new SeededRandom(seed);
  const payload = Uint8Array.from({ length: PAYLOAD_BYTES }, () => random.uniform(0, 256));
  const bits = encodeFrame(payload);
  const sound = modulate(payload, { baud });
  const before = SILENCE_SAMPLES + Math.floor(random.uniform(0, 2_000));
  const samples = new Float32Array(before + sound.length + SILENCE_SAMPLES);
  samples.set(sound, before);
  const symbolEnergy = samplesPerSymbol(baud) * (0.5 ** 2 / 2);
  new GaussianNoise(seed).addTo(samples, noiseSigmaOf(symbolEnergy, 1, ebN0Db));
  const search = new CopySearch(packetCopies({ baud })[0], baud, BLOCK_SAMPLES);
  const hopSamples = samplesPerSymbol(baud) / HOPS_PER_SYMBOL;
  const startHop = (before + RAMP_SAMPLES + CHIRP_SAMPLES) / hopSamples;
  let tracker: SymbolTracker | undefined;
  let [at, errors] = [0, 0];
  for (let from = 0; from + BLOCK_SAMPLES <= samples.length; from += BLOCK_SAMPLES) {
    const block = samples.slice(from, from + BLOCK_SAMPLES);
    if (tracker) {
      // What else looks like a beginning is not asked for.
      search.hops.space.push(block);
      search.hops.mark.push(block);
    } else {
      const lock = search.push(block).find(found => isAt(found, startHop));
      if (lock) tracker = new SymbolTracker(search.hops, lock);
    }
    while (tracker?.ready && at < bits.length) {
      const { space, mark } = tracker.next(at < PILOT_BITS ? PILOT[at] : undefined);
      if (at >= PILOT_BITS && mark > space !== (bits[at] === 1)) errors++;
      at++;
    }
  }
  return tracker && { bits: at - PILOT_BITS, errors };
}

/** Within half a symbol of where it truly is. */
function isAt({ startHop }: PilotLock, trueStartHop: number): boolean {
  return Math.abs(startHop - trueStartHop) < HOPS_PER_SYMBOL / 2;
}

/** 0.5·exp(−Eb/2N0). */
export function noncoherentErrorRate(ebN0Db: number): number {
  return 0.5 * Math.exp(-(10 ** (ebN0Db / 10)) / 2);
}

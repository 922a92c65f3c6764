import { type Recording, writeWav } from '@svc/recording';
import { hannWindow, RealFft } from '@svc/kernels';

/** A sequence of tones that nobody can know before it was drawn. */
export interface ChallengeTone {
  readonly tonesHz: readonly number[];
  readonly toneSeconds: number;
  /** 48 kHz, 16 bits, to be played beside the microphone before the piece is struck. */
  readonly wav: Uint8Array;
}

/** Where a sequence was heard. */
export interface ChallengeMatch {
  readonly found: boolean;
  /** Tones that were the loudest of their alphabet at their time. */
  readonly matched: number;
  readonly of: number;
  readonly startSeconds: number;
  /** The ring comes after this. */
  readonly endSeconds: number;
}

/** Alphabet: 32 tones that a phone's speaker plays well, far enough apart for a clock that is 1 % off. */
const LOWEST_HZ = 1_000;
const STEP_HZ = 75;
const ALPHABET = 32;
const TONES = 12;
const TONE_SECONDS = 0.06;
const WAV_RATE_HZ = 48_000;
const WAV_AMPLITUDE = 0.5;
const RAMP_SECONDS = 0.005;
/**
 * Tones that must be heard. Of another sequence, or in noise, each is the loudest of 32 by chance: 9 of 12 at one place and
 * clock once in 10¹¹, so in the 10,000 places and clocks of 20 s once in ten million recordings.
 */
const MATCHED_MIN = 9;
/** Where a tone may begin, and how fast the clocks may run against one another. */
const HOP_SECONDS = 0.01;
const CLOCKS = [0.99, 0.995, 1, 1.005, 1.01];
export const CHALLENGE_SECRET_BYTES_MIN = TONES;

/**
 * The tones that a secret stands for: twelve of 32, no two neighbours alike, 59 bits in all.
 *
 * @param secret random bytes, at least 12; the first 12 are used
 * @throws RangeError for fewer
 */
export function makeChallengeTone(secret: Uint8Array): ChallengeTone {
  if (secret.length < CHALLENGE_SECRET_BYTES_MIN) {
    throw new RangeError(
      `a challenge takes ${CHALLENGE_SECRET_BYTES_MIN} random bytes, got ${secret.length}`,
    );
  }
  const tonesHz: number[] = [];
  let symbol = 0;
  for (let i = 0; i < TONES; i++) {
    // Some of the other 31, so that two tones never run into one.
    symbol = i === 0 ? secret[0] % ALPHABET : (symbol + 1 + (secret[i] % (ALPHABET - 1))) % ALPHABET;
    tonesHz.push(frequencyOf(symbol));
  }
  const wav = writeWav([synthesize(tonesHz)], WAV_RATE_HZ);
  return { tonesHz, toneSeconds: TONES * TONE_SECONDS, wav };
}

function frequencyOf(symbol: number): number {
  return LOWEST_HZ + STEP_HZ * symbol;
}

function synthesize(tonesHz: readonly number[]): Float32Array {
  const perTone = TONE_SECONDS * WAV_RATE_HZ;
  const ramp = RAMP_SECONDS * WAV_RATE_HZ;
  const samples = new Float32Array(tonesHz.length * perTone);
  tonesHz.forEach((hz, tone) => {
    for (let n = 0; n < perTone; n++) {
      // Soft edges: a click at each tone would be heard as a strike.
      const gain = Math.min(1, (n + 0.5) / ramp, (perTone - n - 0.5) / ramp);
      const phase = (2 * Math.PI * hz * n) / WAV_RATE_HZ;
      samples[tone * perTone + n] = WAV_AMPLITUDE * Math.sin((Math.PI / 2) * gain) ** 2 * Math.sin(phase);
    }
  });
  return samples;
}

/**
 * Looks for a sequence of tones in a recording: at each place and for clocks up to 1 % apart it counts the tones that are
 * the loudest of the alphabet when their turn comes.
 *
 * @param tonesHz of `makeChallengeTone`
 */
export function findChallengeTone(recording: Recording, tonesHz: readonly number[]): ChallengeMatch {
  const symbols = tonesHz.map(hz => Math.round((hz - LOWEST_HZ) / STEP_HZ));
  let best = { matched: 0, power: 0, hop: 0, clock: 1 };
  for (const heard of loudestTones(recording)) {
    const { clock } = heard;
    const hopsPerTone = TONE_SECONDS / clock / HOP_SECONDS;
    const lastStart = heard.symbols.length - 1 - Math.round((symbols.length - 1) * hopsPerTone);
    for (let hop = 0; hop <= lastStart; hop++) {
      let matched = 0;
      let power = 0;
      for (let tone = 0; tone < symbols.length; tone++) {
        const at = hop + Math.round(tone * hopsPerTone);
        if (heard.symbols[at] !== symbols[tone]) continue;
        matched++;
        power += heard.shares[at];
      }
      if (matched > best.matched || (matched === best.matched && power > best.power)) {
        best = { matched, power, hop, clock };
      }
    }
  }
  const startSeconds = best.hop * HOP_SECONDS;
  return {
    found: best.matched >= MATCHED_MIN,
    matched: best.matched,
    of: symbols.length,
    startSeconds,
    endSeconds: startSeconds + (symbols.length * TONE_SECONDS) / best.clock,
  };
}

/** What one clock hears at each hop: the loudest tone of the alphabet, and its share of the power of all of them. */
interface HeardTones {
  readonly clock: number;
  readonly symbols: Int8Array;
  readonly shares: Float64Array;
}

function loudestTones({ samples, sampleRateHz }: Recording): HeardTones[] {
  const count = Math.round(TONE_SECONDS * sampleRateHz);
  const fft = new RealFft(2 ** Math.ceil(Math.log2(count)));
  const window = hannWindow(count);
  const windowed = new Float64Array(count);
  const spectrum = new Float64Array(2 * fft.bins);
  const hops = Math.max(0, Math.floor((samples.length - count) / (HOP_SECONDS * sampleRateHz)) + 1);
  const clocks = CLOCKS.map(clock => ({
    clock,
    bins: Array.from({ length: ALPHABET }, (_, symbol) =>
      Math.round((frequencyOf(symbol) * clock * fft.size) / sampleRateHz),
    ),
    symbols: new Int8Array(hops),
    shares: new Float64Array(hops),
  }));
  for (let hop = 0; hop < hops; hop++) {
    const start = Math.round(hop * HOP_SECONDS * sampleRateHz);
    for (let i = 0; i < count; i++) windowed[i] = samples[start + i] * window[i];
    fft.forward(windowed, spectrum);
    for (const heard of clocks) hearTone(heard, hop, spectrum);
  }
  return clocks;
}

function hearTone(
  heard: HeardTones & { readonly bins: readonly number[] },
  hop: number,
  spectrum: Float64Array,
): void {
  let loudest = 0;
  let highest = -1;
  let sum = 0;
  heard.bins.forEach((bin, symbol) => {
    const power = spectrum[2 * bin] ** 2 + spectrum[2 * bin + 1] ** 2;
    sum += power;
    if (power <= highest) return;
    highest = power;
    loudest = symbol;
  });
  heard.symbols[hop] = loudest;
  heard.shares[hop] = sum > 0 ? highest / sum : 0;
}

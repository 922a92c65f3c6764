import { samplesPerSymbol, PACKET_SAMPLE_RATE_HZ, type Baud, type TonePair } from './tones.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { cos, PI, sin } = Math;

/**
 * Readable oracle of the receiver's symbols: the powers of both tones, each symbol by itself, where the first one's first
 * sample is known and no clock is off.
 *
 * @param firstSample of the first symbol
 */
export function naiveSymbolPowers(
  samples: Float32Array,
  firstSample: number,
  symbols: number,
  { spaceHz, markHz }: TonePair,
  baud: Baud,
): { space: Float32Array; mark: Float32Array } {
  const length = samplesPerSymbol(baud);
  const powersOf = (hz: number) =>
    Float32Array.from({ length: symbols }, (_, symbol) => {
      let re = 0;
      let im = 0;
      for (let n = 0; n < length; n++) {
        const at = firstSample + symbol * length + n;
        const angle = (2 * PI * hz * at) / PACKET_SAMPLE_RATE_HZ;
        re += samples[at] * cos(angle);
        im -= samples[at] * sin(angle);
      }
      return re * re + im * im;
    });
  return { space: powersOf(spaceHz), mark: powersOf(markHz) };
}

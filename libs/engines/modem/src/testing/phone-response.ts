import { RealFft } from '@svc/kernels';
import type { SeededRandom } from '@svc/kernels/testing';

const TAPS = 511;

/** Of one part of a phone, in decibels by frequency. */
export interface PhonePart {
  /** Above it sound falls off by `slopeDbPerKhz`. */
  readonly cornerHz: number;
  readonly slopeDbPerKhz: number;
  /** Resonances and dips of the case and its ducts. */
  readonly resonances: readonly { readonly hz: number; readonly widthHz: number; readonly db: number }[];
}

/**
 * A speaker or a microphone as a seed draws it: nothing below 300 Hz or above 21.5 kHz, a fall of 2 to 6 dB a kilohertz that
 * begins at 16 to 17.5 kHz, and resonances of some decibels a few hundred hertz to two kilohertz wide, some within the band
 * of ultrasound.
 *
 * That devices fall off and are uneven there is published (Lee et al., Chirp signal-based aerial acoustic communication for
 * smart devices, INFOCOM 2015; Getreuer et al., Ultrasonic communication using consumer hardware, IEEE Trans. Multimedia
 * 20(6), 2018); the numbers are assumed, of no measured device.
 */
export function drawPhonePart(random: SeededRandom): PhonePart {
  const anywhere = Array.from({ length: 4 }, () => ({
    hz: random.logUniform(1_500, 17_000),
    widthHz: random.uniform(300, 2_000),
    db: random.gaussian(0, 4),
  }));
  const inBand = Array.from({ length: 3 }, () => ({
    hz: random.uniform(18_000, 20_000),
    widthHz: random.uniform(200, 800),
    db: random.gaussian(0, 2.5),
  }));
  return {
    cornerHz: random.uniform(16_000, 17_500),
    slopeDbPerKhz: random.uniform(2, 6),
    resonances: [...anywhere, ...inBand],
  };
}

/** Level at a frequency, decibels. */
export function partLevelDb({ cornerHz, slopeDbPerKhz, resonances }: PhonePart, hz: number): number {
  if (hz < 20) return -120;
  const low = -10 * Math.log10(1 + (300 / hz) ** 4);
  const high = -slopeDbPerKhz * Math.max(0, (hz - cornerHz) / 1_000) - (hz > 21_500 ? 60 : 0);
  const uneven = resonances.reduce((sum, { hz: at, widthHz, db }) => {
    return sum + db / (1 + ((hz - at) / (widthHz / 2)) ** 2);
  }, 0);
  return low + high + uneven;
}

/**
 * The filter of parts in a row, at its highest within the sample rate's own band; linear phase, so that it delays by
 * `(length − 1) / 2` samples and moves nothing else.
 */
export function phoneFilter(parts: readonly PhonePart[], sampleRateHz: number): Float64Array {
  const size = 2_048;
  const fft = new RealFft(size);
  const spectrum = new Float64Array(2 * fft.bins);
  for (let k = 0; k < fft.bins; k++) {
    const db = parts.reduce((sum, part) => sum + partLevelDb(part, (k * sampleRateHz) / size), 0);
    spectrum[2 * k] = 10 ** (db / 20);
  }
  const circular = fft.inverse(spectrum);
  const middle = (TAPS - 1) / 2;
  return Float64Array.from({ length: TAPS }, (_, n) => {
    const window = 0.5 + 0.5 * Math.cos((Math.PI * (n - middle)) / (middle + 1));
    return window * circular[(n - middle + size) % size];
  });
}

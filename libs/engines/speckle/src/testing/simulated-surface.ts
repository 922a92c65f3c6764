import { ComplexFft2d, type Dsp } from '@svc/kernels';
import { SeededRandom } from '@svc/kernels/testing';
import type { SpeckleModality } from '../modality.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { ceil, exp, floor, max, PI, round, sqrt, SQRT2 } = Math;

/** A surface that can be looked at again and again. */
export interface SimulatedSurface {
  readonly modality: SpeckleModality;
  /** A side of what is seen; it goes on at the opposite edge, so that pictures are cut well inside. */
  readonly sidePx: number;
  /**
   * What is seen of it, mean 1.
   *
   * @param correlation with the first look: of the field of laser light, of the texture otherwise; the rest is drawn anew
   */
  look(correlation?: number, random?: SeededRandom): Float32Array;
}

export interface SurfaceOptions {
  readonly seed: number;
  /** A power of two; 512. */
  readonly sidePx?: number;
}

/** Of paper and rough metal: standard deviation by mean. */
export const TEXTURE_CONTRAST = 0.1;

export function simulateSurface(
  dsp: Dsp,
  modality: SpeckleModality,
  options: SurfaceOptions,
): SimulatedSurface {
  if (modality === 'laser_speckle') return laserSurface(dsp, options);
  return texturedSurface(dsp, modality, options);
}

/** Radius of the lens’s opening in the frequency plane: 24 of 256, speckle of 5.5 pixels. */
const APERTURE_CYCLES_A_PIXEL = 24 / 256;

/**
 * Fully developed speckle: each point of a circular aperture with a random amplitude and phase, its transform’s intensity
 * (Goodman, Speckle Phenomena in Optics, 2007, ch. 3 and 4).
 */
function laserSurface(dsp: Dsp, { seed, sidePx = 512 }: SurfaceOptions): SimulatedSurface {
  const modes = modesWithin(sidePx, APERTURE_CYCLES_A_PIXEL);
  const field = gaussians(new SeededRandom(seed), 2 * modes.length);
  return {
    modality: 'laser_speckle',
    sidePx,
    look(correlation = 1, random = new SeededRandom(~seed)) {
      const seen = mixed(field, correlation, random);
      const plane = new ComplexFft2d(dsp, sidePx, sidePx);
      const { data } = plane;
      data.fill(0);
      for (let i = 0; i < modes.length; i++) {
        data[2 * modes[i]] = seen[2 * i];
        data[2 * modes[i] + 1] = seen[2 * i + 1];
      }
      plane.inverse();
      const intensity = new Float32Array(sidePx * sidePx);
      for (let i = 0; i < intensity.length; i++) {
        intensity[i] = data[2 * i] * data[2 * i] + data[2 * i + 1] * data[2 * i + 1];
      }
      plane.free();
      return withMeanOne(intensity);
    },
  };
}

function texturedSurface(
  dsp: Dsp,
  modality: SpeckleModality,
  { seed, sidePx = 512 }: SurfaceOptions,
): SimulatedSurface {
  const draw =
    modality === 'paper_texture' ? fibreTexture : (random: SeededRandom) => slopeTexture(dsp, random, sidePx);
  const texture = draw(new SeededRandom(seed), sidePx);
  return {
    modality,
    sidePx,
    look(correlation = 1, random = new SeededRandom(~seed)) {
      const rest = sqrt(1 - correlation * correlation);
      const other = rest > 0 ? draw(random, sidePx) : undefined;
      return texture.map((value, i) => {
        const mix = other ? correlation * value + rest * other[i] : value;
        return max(0, 1 + TEXTURE_CONTRAST * mix);
      });
    },
  };
}

const FIBRES_A_PIXEL = 0.012;
const FIBRE_LENGTH_PX = [20, 70] as const;
/** Of a fibre’s profile, a Gaussian’s deviation: 25 µm at 100 pixels a millimetre, about. */
const FIBRE_DEVIATION_PX = 1.6;

/** Paper against the light: fibres at random, each a straight piece that darkens what it covers. Mean 0, deviation 1. */
function fibreTexture(random: SeededRandom, sidePx: number): Float32Array {
  const density = new Float32Array(sidePx * sidePx);
  const reachPx = ceil(3 * FIBRE_DEVIATION_PX);
  const fibres = round(FIBRES_A_PIXEL * sidePx * sidePx);
  for (let fibre = 0; fibre < fibres; fibre++) {
    const angle = random.uniform(0, PI);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const half = random.uniform(...FIBRE_LENGTH_PX) / 2;
    const [x, y] = [random.uniform(0, sidePx), random.uniform(0, sidePx)];
    const weight = random.uniform(0.5, 1.5);
    for (let along = -half; along <= half; along++) {
      for (let across = -reachPx; across <= reachPx; across++) {
        const column = round(x + along * cos - across * sin) & (sidePx - 1);
        const row = round(y + along * sin + across * cos) & (sidePx - 1);
        density[row * sidePx + column] -= weight * exp(-0.5 * (across / FIBRE_DEVIATION_PX) ** 2);
      }
    }
  }
  return standardised(density);
}

const HURST = 0.8;
/** Finer roughness than this is blurred by the lens. */
const FINEST_CYCLES_A_PIXEL = 0.25;
const COARSEST_CYCLES_A_PIXEL = 1 / 128;

/**
 * Cast or rolled metal under light that falls along it: the slope towards the light of a self-affine height (Mandelbrot 1985),
 * lit from 45°. Mean 0, deviation 1.
 */
function slopeTexture(dsp: Dsp, random: SeededRandom, sidePx: number): Float32Array {
  const plane = new ComplexFft2d(dsp, sidePx, sidePx);
  const { data } = plane;
  data.fill(0);
  for (const mode of modesWithin(sidePx, FINEST_CYCLES_A_PIXEL)) {
    const u = signedFrequency(mode % sidePx, sidePx);
    const v = signedFrequency(floor(mode / sidePx), sidePx);
    const frequency = sqrt(u * u + v * v);
    const gain = frequency < COARSEST_CYCLES_A_PIXEL ? 0 : ((u + v) / SQRT2) * frequency ** -(1 + HURST);
    data[2 * mode] = gain * random.gaussian();
    data[2 * mode + 1] = gain * random.gaussian();
  }
  plane.inverse();
  const slope = Float32Array.from({ length: sidePx * sidePx }, (_, i) => data[2 * i]);
  plane.free();
  return standardised(slope);
}

const signedFrequency = (k: number, sidePx: number) => (k < sidePx / 2 ? k : k - sidePx) / sidePx;

/** Indices of the frequencies within a radius. */
function modesWithin(sidePx: number, cyclesAPixel: number): number[] {
  const modes: number[] = [];
  for (let mode = 0; mode < sidePx * sidePx; mode++) {
    const u = signedFrequency(mode % sidePx, sidePx);
    const v = signedFrequency(floor(mode / sidePx), sidePx);
    if (u * u + v * v <= cyclesAPixel * cyclesAPixel) modes.push(mode);
  }
  return modes;
}

const gaussians = (random: SeededRandom, count: number) =>
  Float32Array.from({ length: count }, () => random.gaussian());

function mixed(field: Float32Array, correlation: number, random: SeededRandom): Float32Array {
  const rest = sqrt(1 - correlation * correlation);
  return rest > 0 ? field.map(value => correlation * value + rest * random.gaussian()) : field;
}

function withMeanOne(intensity: Float32Array): Float32Array {
  const mean = intensity.reduce((sum, value) => sum + value, 0) / intensity.length;
  return intensity.map(value => value / mean);
}

function standardised(texture: Float32Array): Float32Array {
  const mean = texture.reduce((sum, value) => sum + value, 0) / texture.length;
  const variance = texture.reduce((sum, value) => sum + (value - mean) ** 2, 0) / texture.length;
  return texture.map(value => (value - mean) / sqrt(variance));
}

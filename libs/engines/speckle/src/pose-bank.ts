import { ComplexFft2d, type Dsp } from '@svc/kernels';
import type { NormalisedSquare } from './local-contrast.js';
import { PATCH_PX, type ModalityParameters } from './modality.js';
import type { Alignment } from './resample-square.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { ceil, exp, floor, hypot, min, PI, sqrt } = Math;

/** A step of the bank: at half of it, a quarter of the correlation is lost at the rim of the window. */
const TURN_STEP_DEG = 4;
/** Ten steps double the scale; half a step beyond 0.7 and 1.4 is reached. */
const SCALE_STEPS = Array.from({ length: 11 }, (_, i) => 2 ** ((i - 5) / 10));
/** Every third pixel: the filters’ band ends below half the frequency that leaves. */
const STRIDE = 3;
const PLANE = 128;
const SPAN_PX = PLANE * STRIDE;
/** Half the window of the enrolled patch that is looked for. */
const WINDOW_PX = 72;
/** Its middle lies so far inside the picture. */
const INSIDE_PX = 36;
/** Where the window may lie beside the middle of the patch: where that is flat or dark, structure may be at a side. */
const ASIDE_PX = 52;
/** A window aside has to stand out of the noise by so much more than the one in the middle. */
const CLEARER = 1.5;

/** A place in the enrolled patch, from its middle. */
export interface PatchPlace {
  readonly dx: number;
  readonly dy: number;
}

/** What is looked at of a normalised square. */
type SearchedSquare = Pick<NormalisedSquare, 'sidePx' | 'values'>;

/** A pose worth a closer look. */
export interface PoseCandidate extends Alignment {
  /** Of its peak, as a multiple of the deviation of the correlation that it stands in. */
  readonly height: number;
}

/**
 * The window of a patch that is looked for: the middle one, or where another stands out of the noise much more clearly.
 * @param smooth the patch, smoothed
 */
export function clearestWindow(patch: Float32Array, smooth: Float32Array): PatchPlace {
  const places = [0, -ASIDE_PX, ASIDE_PX].flatMap(dy => [0, -ASIDE_PX, ASIDE_PX].map(dx => ({ dx, dy })));
  const [middle, ...others] = places.map(place => ({ place, clearness: clearnessAt(patch, smooth, place) }));
  const best = others.reduce((a, b) => (b.clearness > a.clearness ? b : a));
  return best.clearness > CLEARER * middle.clearness ? best.place : middle.place;
}

/** Squares of what smoothing leaves, by those of what it takes away. */
function clearnessAt(patch: Float32Array, smooth: Float32Array, { dx, dy }: PatchPlace): number {
  const [column, row] = [PATCH_PX / 2 + dx, PATCH_PX / 2 + dy];
  let [left, taken] = [0, Number.MIN_VALUE];
  for (let y = row - WINDOW_PX; y < row + WINDOW_PX; y++) {
    for (let x = column - WINDOW_PX; x < column + WINDOW_PX; x++) {
      const at = y * PATCH_PX + x;
      const fine = patch[at] - smooth[at];
      left += smooth[at] * smooth[at];
      taken += fine * fine;
    }
  }
  return left / taken;
}

/**
 * Looks for a window of an enrolled patch in every direction and at every scale from 0.7 to 1.4: a bank of phase correlations
 * (Kuglin and Hines 1975), 90 directions by 11 scales, each over all shifts.
 *
 * @param enrolled the 256 × 256 of a fingerprint, smoothed
 * @param window its middle
 * @param seen the picture, normalised at its own scale
 * @returns the best of each direction and scale, the highest first
 */
export function findPoses(
  dsp: Dsp,
  enrolled: Float32Array,
  window: PatchPlace,
  seen: SearchedSquare,
  parameters: ModalityParameters,
): PoseCandidate[] {
  const plane = new ComplexFft2d(dsp, PLANE, PLANE);
  const weights = bandWeights(parameters.centreFrequency);
  const directions = Array.from({ length: 180 / TURN_STEP_DEG }, (_, i) => i * TURN_STEP_DEG);
  const turned = directions.map(rotationDeg => {
    placeWindow(plane.data, enrolled, window, rotationDeg);
    plane.forward();
    return phasesOf(plane.data, weights);
  });
  const candidates: PoseCandidate[] = [];
  for (const scale of SCALE_STEPS) {
    placeSeen(plane.data, seen, scale);
    plane.forward();
    const fresh = phasesOf(plane.data, weights);
    const reachPx = min(SPAN_PX, seen.sidePx / scale) / 2 - INSIDE_PX;
    directions.forEach((rotationDeg, i) => {
      // One transform gives both ways round: the spectrum of what is turned by 180° is the conjugate.
      correlateBothWays(plane.data, fresh, turned[i]);
      plane.inverse();
      for (const half of [0, 1] as const) {
        const { x, y, height } = peakOf(plane.data, half, reachPx);
        const turn = half === 0 ? rotationDeg : rotationDeg - 180;
        const [cos, sin] = [Math.cos((turn * PI) / 180), Math.sin((turn * PI) / 180)];
        candidates.push({
          shiftXPx: scale * (x - cos * window.dx + sin * window.dy),
          shiftYPx: scale * (y - sin * window.dx - cos * window.dy),
          rotationDeg: turn,
          ...{ scale, height },
        });
      }
    });
  }
  plane.free();
  return candidates.sort((a, b) => b.height - a.height);
}

/** Every third pixel of the patch’s as they lie at a scale, the middle of the square at the middle of the plane. */
function placeSeen(plane: Float32Array, { values, sidePx }: SearchedSquare, scale: number): void {
  const middle = (sidePx - 1) / 2;
  const step = STRIDE * scale;
  plane.fill(0);
  for (let v = -PLANE / 2; v < PLANE / 2; v++) {
    for (let u = -PLANE / 2; u < PLANE / 2; u++) {
      const at = 2 * ((v + PLANE / 2) * PLANE + u + PLANE / 2);
      plane[at] = meanAbout(values, sidePx, middle + step * u, middle + step * v);
    }
  }
}

function placeWindow(
  plane: Float32Array,
  patch: Float32Array,
  { dx, dy }: PatchPlace,
  rotationDeg: number,
): void {
  const angle = (rotationDeg * PI) / 180;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const middle = (PATCH_PX - 1) / 2;
  plane.fill(0);
  const reach = ceil(WINDOW_PX / STRIDE);
  for (let v = -reach; v <= reach; v++) {
    for (let u = -reach; u <= reach; u++) {
      const radius = (STRIDE * hypot(u, v)) / WINDOW_PX;
      if (radius >= 1) continue;
      const x = middle + dx + STRIDE * (cos * u + sin * v);
      const y = middle + dy + STRIDE * (-sin * u + cos * v);
      const weight = 0.5 + 0.5 * Math.cos(PI * radius);
      plane[2 * ((v + PLANE / 2) * PLANE + u + PLANE / 2)] = weight * meanAbout(patch, PATCH_PX, x, y);
    }
  }
}

/** Over the pixels about a point, each as much as it lies within one and a half of it. */
function meanAbout(square: Float32Array, sidePx: number, x: number, y: number): number {
  const left = floor(x);
  const top = floor(y);
  const u = x - left;
  const v = y - top;
  if (left < 1 || top < 1 || left > sidePx - 3 || top > sidePx - 3) return 0;
  let sum = 0;
  for (let row = -1; row <= 2; row++) {
    const at = (top + row) * sidePx + left;
    const down = row === -1 ? 1 - v : row === 2 ? v : 1;
    sum += down * ((1 - u) * square[at - 1] + square[at] + square[at + 1] + u * square[at + 2]);
  }
  return sum / 9;
}

/** A ring about the frequency of the filters. */
function bandWeights(centreFrequency: number): Float32Array {
  const weights = new Float32Array(PLANE * PLANE);
  const cyclesAPixel = (k: number) => (k < PLANE / 2 ? k : k - PLANE) / SPAN_PX;
  for (let row = 0; row < PLANE; row++) {
    for (let column = 0; column < PLANE; column++) {
      const frequency = hypot(cyclesAPixel(column), cyclesAPixel(row));
      weights[row * PLANE + column] = sqrt(exp(-(((frequency / centreFrequency - 0.8) / 0.45) ** 2) / 2));
    }
  }
  return weights;
}

function phasesOf(spectrum: Float32Array, weights: Float32Array): Float32Array {
  const phases = new Float32Array(spectrum.length);
  for (let i = 0; i < weights.length; i++) {
    const a = spectrum[2 * i];
    const b = spectrum[2 * i + 1];
    const length = sqrt(a * a + b * b);
    const gain = length > 0 ? weights[i] / length : 0;
    phases[2 * i] = gain * a;
    phases[2 * i + 1] = gain * b;
  }
  return phases;
}

/**
 * data = fresh · conj(turned) + i · fresh · turned. Both are spectra of real planes, so that what stands at one frequency gives what
 * stands at its opposite.
 */
function correlateBothWays(data: Float32Array, fresh: Float32Array, turned: Float32Array): void {
  for (let row = 0; row <= PLANE / 2; row++) {
    const at = row * PLANE;
    const opposite = ((PLANE - row) % PLANE) * PLANE;
    for (let column = 0; column < PLANE; column++) {
      const i = 2 * (at + column);
      const j = 2 * (opposite + ((PLANE - column) & (PLANE - 1)));
      const a = fresh[i];
      const b = fresh[i + 1];
      const c = turned[i];
      const d = turned[i + 1];
      const ac = a * c;
      const bd = b * d;
      const ad = a * d;
      const bc = b * c;
      data[i] = ac + bd - ad - bc;
      data[i + 1] = bc - ad + ac - bd;
      data[j] = ac + bd + ad + bc;
      data[j + 1] = ad - bc + ac - bd;
    }
  }
}

/** The highest point within reach of the middle; columns and rows before it lie at the end of the plane. */
function peakOf(correlation: Float32Array, half: 0 | 1, reachPx: number) {
  const reach = floor(reachPx / STRIDE);
  let height = -Infinity;
  let peak = 0;
  let squares = 0;
  for (let v = -reach; v <= reach; v++) {
    const row = (v & (PLANE - 1)) * PLANE;
    for (const [from, to] of [
      [0, reach],
      [PLANE - reach, PLANE - 1],
    ]) {
      for (let at = row + from; at <= row + to; at++) {
        const value = correlation[2 * at + half];
        squares += value * value;
        if (value > height) {
          height = value;
          peak = at;
        }
      }
    }
  }
  const deviation = sqrt(squares / (2 * reach + 1) ** 2);
  const signed = (k: number) => STRIDE * (k < PLANE / 2 ? k : k - PLANE);
  const [x, y] = [signed(peak % PLANE), signed(floor(peak / PLANE))];
  return { x, y, height: deviation > 0 ? height / deviation : 0 };
}

// Sums of samples against a tone. The tone is a phasor in four lanes, turned by four samples at a time; rounding would walk
// away with it over long hops, so it is set afresh from the phase in double precision every RUN samples.

import { sumOfLanes } from './dsp-filter';

const RUN: i32 = 64;
const TURN: f64 = 6.283185307179586;

// @ts-ignore: decorator
@inline
function lanes(a: f64, b: f64, c: f64, d: f64): v128 {
  let x = f32x4.splat(<f32>a);
  x = f32x4.replace_lane(x, 1, <f32>b);
  x = f32x4.replace_lane(x, 2, <f32>c);
  return f32x4.replace_lane(x, 3, <f32>d);
}

let sumI: f32 = 0;
let sumQ: f32 = 0;

/** Adds one run to sumI and sumQ; `angle` is the tone's at the first sample, `step` its advance a sample, in radians. */
function addRun(x: usize, count: i32, angle: f64, step: f64): void {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const cos1 = Math.cos(step);
  const sin1 = Math.sin(step);
  const cos2 = cos1 * cos1 - sin1 * sin1;
  const sin2 = 2 * cos1 * sin1;
  const cos3 = cos2 * cos1 - sin2 * sin1;
  const sin3 = sin2 * cos1 + cos2 * sin1;
  let re = lanes(cos, cos * cos1 - sin * sin1, cos * cos2 - sin * sin2, cos * cos3 - sin * sin3);
  let im = lanes(sin, sin * cos1 + cos * sin1, sin * cos2 + cos * sin2, sin * cos3 + cos * sin3);
  const turnRe = f32x4.splat(<f32>(cos2 * cos2 - sin2 * sin2));
  const turnIm = f32x4.splat(<f32>(2 * cos2 * sin2));
  let inPhase = f32x4.splat(0);
  let quadrature = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= count; i += 4, x += 16) {
    const samples = v128.load(x);
    inPhase = f32x4.add(inPhase, f32x4.mul(samples, re));
    quadrature = f32x4.sub(quadrature, f32x4.mul(samples, im));
    const turned = f32x4.sub(f32x4.mul(re, turnRe), f32x4.mul(im, turnIm));
    im = f32x4.add(f32x4.mul(re, turnIm), f32x4.mul(im, turnRe));
    re = turned;
  }
  if (i < count) {
    let last = v128.load32_zero(x);
    if (i + 1 < count) last = v128.load_lane<f32>(x + 4, last, 1);
    if (i + 2 < count) last = v128.load_lane<f32>(x + 8, last, 2);
    inPhase = f32x4.add(inPhase, f32x4.mul(last, re));
    quadrature = f32x4.sub(quadrature, f32x4.mul(last, im));
  }
  sumI += sumOfLanes(inPhase);
  sumQ += sumOfLanes(quadrature);
}

/**
 * For `hops` stretches of samples, ends[h − 1] ≤ i < ends[h] (32-bit, the first from 0): I = Σ x·cos and Q = −Σ x·sin of the
 * tone, which turns `cycles` times a sample; the first here is number `first` since it began. Pairs are written `stride` bytes apart.
 */
export function toneHops(
  out: usize,
  stride: usize,
  x: usize,
  ends: usize,
  hops: i32,
  first: f64,
  cycles: f64,
): void {
  let at = 0;
  for (let h = 0; h < hops; h++) {
    const end = load<i32>(ends + (<usize>h << 2));
    sumI = 0;
    sumQ = 0;
    while (at < end) {
      const count = min(RUN, end - at);
      // From the number in the stream, so that where a call began changes no bit.
      const turns = (first + <f64>at) * cycles;
      addRun(x + (<usize>at << 2), count, (turns - Math.floor(turns)) * TURN, cycles * TURN);
      at += count;
    }
    store<f32>(out, sumI);
    store<f32>(out, sumQ, 4);
    out += stride;
  }
}

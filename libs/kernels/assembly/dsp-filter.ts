// Sums of products of samples and coefficients. Every result is summed in one fixed order, whatever else is computed in the
// same call, so that a stream gives the same bits however it is cut into chunks.

// @ts-ignore: decorator
@inline
export function sumOfLanes(x: v128): f32 {
  const pairs = f32x4.add(x, v128.shuffle<u32>(x, x, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/**
 * out[i] = Σ taps[k]·x[i + k], for `count` results rounded up to a multiple of eight: as many floats behind `out` and
 * count + tapCount behind `x` must be there.
 */
export function slidingSums(out: usize, x: usize, taps: usize, tapCount: i32, count: i32): void {
  const tapsEnd = taps + (<usize>tapCount << 2);
  for (let i = 0; i < count; i += 8) {
    let low = f32x4.splat(0);
    let high = f32x4.splat(0);
    let at = x;
    for (let tap = taps; tap < tapsEnd; tap += 4, at += 4) {
      const factor = v128.load32_splat(tap);
      low = f32x4.add(low, f32x4.mul(v128.load(at), factor));
      high = f32x4.add(high, f32x4.mul(v128.load(at, 16), factor));
    }
    v128.store(out, low);
    v128.store(out, high, 16);
    x += 32;
    out += 32;
  }
}

// @ts-ignore: decorator
@inline
function dot(x: usize, taps: usize, tapCount: usize): f32 {
  let sum = f32x4.splat(0);
  for (let end = taps + (tapCount << 2); taps < end; taps += 16, x += 16) {
    sum = f32x4.add(sum, f32x4.mul(v128.load(x), v128.load(taps)));
  }
  return sumOfLanes(sum);
}

/** out[i] = Σ taps[k]·x[i·decimation + k]; tapCount is a multiple of four. */
export function decimatingSums(
  out: usize,
  x: usize,
  taps: usize,
  tapCount: i32,
  count: i32,
  decimation: i32,
): void {
  const step = <usize>decimation << 2;
  for (let i = 0; i < count; i++) {
    store<f32>(out, dot(x, taps, tapCount));
    x += step;
    out += 4;
  }
}

/**
 * Output i stands at phase (phase + i·step) of `phases` to an input sample: the filter of that phase, of tapCount
 * coefficients (a multiple of four), on the samples from that place on.
 */
export function polyphase(
  out: usize,
  x: usize,
  filters: usize,
  tapCount: i32,
  phases: i32,
  phase: i32,
  step: i32,
  count: i32,
): void {
  const filterBytes = <usize>tapCount << 2;
  const wholeStep = <usize>(step / phases) << 2;
  const partStep = step % phases;
  for (let i = 0; i < count; i++) {
    store<f32>(out, dot(x, filters + <usize>phase * filterBytes, tapCount));
    out += 4;
    x += wholeStep;
    phase += partStep;
    if (phase >= phases) {
      phase -= phases;
      x += 4;
    }
  }
}

/** One value between samples: the filters of two neighbouring phases, and a line between what they give. */
// @ts-ignore: decorator
@inline
function between(x: usize, filters: usize, tapCount: i32, phases: i32, place: f64): f32 {
  const whole = Math.floor(place);
  const phase = (place - whole) * <f64>phases;
  const lower = Math.floor(phase);
  let at = x + (<usize>(<i32>whole) << 2);
  let a = filters + <usize>(<i32>lower * tapCount) * 4;
  let b = a + (<usize>tapCount << 2);
  let sumA = f32x4.splat(0);
  let sumB = f32x4.splat(0);
  for (let end = b; a < end; a += 16, b += 16, at += 16) {
    const samples = v128.load(at);
    sumA = f32x4.add(sumA, f32x4.mul(samples, v128.load(a)));
    sumB = f32x4.add(sumB, f32x4.mul(samples, v128.load(b)));
  }
  const low = sumOfLanes(sumA);
  return low + <f32>(phase - lower) * (sumOfLanes(sumB) - low);
}

/** out[i] = x between the samples at (first + i)·step − origin; the table has phases + 1 filters. */
export function interpolateSteps(
  out: usize,
  x: usize,
  filters: usize,
  tapCount: i32,
  phases: i32,
  first: f64,
  step: f64,
  origin: f64,
  count: i32,
): void {
  for (let i = 0; i < count; i++) {
    const place = (first + <f64>i) * step - origin;
    store<f32>(out + (<usize>i << 2), between(x, filters, tapCount, phases, place));
  }
}

/** out[i] = x between the samples at places[i], doubles. */
export function interpolateAt(
  out: usize,
  x: usize,
  filters: usize,
  tapCount: i32,
  phases: i32,
  places: usize,
  count: i32,
): void {
  for (let i = 0; i < count; i++) {
    const place = load<f64>(places + (<usize>i << 3));
    store<f32>(out + (<usize>i << 2), between(x, filters, tapCount, phases, place));
  }
}

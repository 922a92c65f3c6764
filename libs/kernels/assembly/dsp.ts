// Entry of dsp.wasm: what sound and pictures need, in floats of 32 bits. It has a memory of its own, which the host lays out
// from heapBase() on (src/dsp/dsp.ts), and no threads: it also runs in pages that are not cross-origin isolated.
import { COMPLEX_BYTES, times, turnMask } from './dsp-fft';

export { fft } from './dsp-fft';
export { decimatingSums, interpolateAt, interpolateSteps, polyphase, slidingSums } from './dsp-filter';
export { toneHops } from './dsp-tone';
export { heapBase } from './scratch';

/** to = factor·from, `count` floats, a multiple of four; the areas may be one. */
export function scaleFloats(to: usize, from: usize, factor: f32, count: i32): void {
  const factors = f32x4.splat(factor);
  for (let end = from + ((<usize>count) << 2); from < end; from += 16, to += 16) {
    v128.store(to, f32x4.mul(v128.load(from), factors));
  }
}

/** a[k] = a[k]·b[k], `count` complex numbers, an even count. */
export function multiplySpectra(a: usize, b: usize, count: i32): void {
  const turn = turnMask(false);
  for (let end = a + <usize>count * COMPLEX_BYTES; a < end; a += 16, b += 16) {
    const w = v128.load(b);
    const re = v128.shuffle<u32>(w, w, 0, 0, 2, 2);
    const im = v128.xor(v128.shuffle<u32>(w, w, 1, 1, 3, 3), turn);
    v128.store(a, times(v128.load(a), re, im));
  }
}

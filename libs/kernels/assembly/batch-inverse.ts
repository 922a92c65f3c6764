// Montgomery's trick: many inverses for one inversion and three products each.
import { inverse, mul } from './goldilocks';

/** out[i] = 1/input[i], and 0 for 0; out must not overlap input. */
export function batchInverse(out: usize, input: usize, count: i32): void {
  const end = <usize>count << 3;
  let running: u64 = 1;
  for (let i: usize = 0; i < end; i += 8) {
    store<u64>(out + i, running);
    const value = load<u64>(input + i);
    if (value) running = mul(running, value);
  }
  running = inverse(running);
  for (let i = end; i; i -= 8) {
    const at = i - 8;
    const value = load<u64>(input + at);
    if (!value) {
      store<u64>(out + at, 0);
      continue;
    }
    store<u64>(out + at, mul(load<u64>(out + at), running));
    running = mul(running, value);
  }
}

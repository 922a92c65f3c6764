import { blake3Hash } from '@svc/kernels';
import type { RandomSource } from '../src/masks.js';

/** A random source that anyone can repeat, for tests: byte i is byte i mod 32 of BLAKE3(seed ‖ ':' ‖ floor(i / 32)). */
export function seededRandomSource(seed: string): RandomSource {
  let block = 0;
  let left = new Uint8Array();
  return {
    fill(bytes) {
      for (let filled = 0; filled < bytes.length;) {
        if (left.length === 0)
          left = Uint8Array.from(blake3Hash(new TextEncoder().encode(`${seed}:${block++}`)));
        const part = left.subarray(0, bytes.length - filled);
        bytes.set(part, filled);
        left = left.subarray(part.length);
        filled += part.length;
      }
    },
  };
}

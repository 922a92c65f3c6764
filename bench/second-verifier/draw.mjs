// Numbers from SHA-256 in counter mode: a corpus is the same for the same seed.
import { createHash } from 'node:crypto';

let seed = 1;
let counter = 0;

/** Begins the numbers of a seed. @param {number} from */
export function seedWith(from) {
  seed = from;
  counter = 0;
}

/** A whole number from 0 to below `bound`. @param {number} bound */
export function draw(bound) {
  const digest = createHash('sha256').update(`${seed}/${counter++}`).digest();
  return digest.readUIntBE(0, 6) % bound;
}

export const pick = list => list[draw(list.length)];

/** So many decimal numbers below the smaller field's p. @param {number} count */
export const numbers = count => Array.from({ length: count }, () => String(draw(2 ** 31 - 1)));

/** What `make` gives, so many times. */
export const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));

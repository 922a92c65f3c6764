import type { Field } from './field.js';

/**
 * Inverts every element with one inversion (Montgomery's trick): 3·(n − 1) multiplications and one inversion.
 * @throws RangeError if an element is zero
 */
export function batchInverse<E>(field: Field<E>, elements: readonly E[]): E[] {
  if (elements.length === 0) return [];
  const prefixes: E[] = [elements[0]];
  for (let i = 1; i < elements.length; i++) prefixes.push(field.mul(prefixes[i - 1], elements[i]));

  const inverses = new Array<E>(elements.length);
  let suffixInverse = field.inverse(prefixes[elements.length - 1]);
  for (let i = elements.length - 1; i > 0; i--) {
    inverses[i] = field.mul(suffixInverse, prefixes[i - 1]);
    suffixInverse = field.mul(suffixInverse, elements[i]);
  }
  inverses[0] = suffixInverse;
  return inverses;
}

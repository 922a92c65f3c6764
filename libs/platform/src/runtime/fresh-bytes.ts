import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4_096;

let pool: Buffer = Buffer.alloc(0);
let taken = 0;

/**
 * Random bytes that nobody else gets. They are drawn many at a time, because each draw costs as much as four kilobytes of
 * them, and a challenge takes three; a pool that is used up is replaced, never filled again.
 */
export function freshBytes(count: number): Buffer {
  if (count > POOL_BYTES) return randomBytes(count);
  if (taken + count > pool.length) {
    pool = randomBytes(POOL_BYTES);
    taken = 0;
  }
  taken += count;
  return pool.subarray(taken - count, taken);
}

const ID_BYTES = 16;

/**
 * A public id that nobody guesses, such as `job_` and 22 characters of base64url.
 *
 * @example newId('job')
 */
export const newId = (prefix: string): string => `${prefix}_${freshBytes(ID_BYTES).toString('base64url')}`;

import { UpdateRefused } from '@svc/mesh';
import { AddressShares } from './address-shares.js';

const MAX = 16_000;
/** Of the share, what may be written until it is measured again. */
const STRIDE = MAX / 16;
const updates = (...sizes: number[]) => sizes.map(size => new Uint8Array(size));

describe('the share that an address has of the bytes of the document', () => {
  let inDocument: number;
  let measurings: number;
  let shares: AddressShares;
  beforeEach(() => {
    [inDocument, measurings] = [0, 0];
    shares = new AddressShares(MAX, async () => (measurings++, inDocument));
  });

  /** Takes them as a replica does. @returns how many were taken before one was refused */
  async function take(address: string, all: readonly Uint8Array[]): Promise<number> {
    for (let next = 0; next < all.length;) {
      const left = all.slice(next);
      let count = shares.countWithin(address, left);
      if (count === 0) {
        await shares.measured(address, left[0].length);
        count = shares.countWithin(address, left, true);
      }
      if (count === 0) return next;
      const bytes = left.slice(0, count).reduce((sum, { length }) => sum + length, 0);
      shares.took(address, bytes);
      inDocument += bytes;
      next += count;
    }
    return all.length;
  }

  it('is measured before the first, and then once for each sixteenth that was written', async () => {
    expect(shares.countWithin('one', updates(1))).toBe(0);
    expect(await take('one', updates(...Array<number>(10).fill(STRIDE / 2)))).toBe(10);
    expect(measurings).toBe(5);
    // A long one at once, where it was just measured.
    expect(await take('one', updates(3 * STRIDE))).toBe(1);
    expect(measurings).toBe(6);
  });

  it('is refused beyond it, with the bound, and not to another address', async () => {
    const all = updates(...Array<number>(20).fill(STRIDE));
    expect(await take('one', all)).toBe(16);
    const refused = (address: string) => {
      try {
        shares.require(address, STRIDE);
        return undefined;
      } catch (error) {
        const { code, max, got } = error as UpdateRefused;
        return { code, max, got };
      }
    };
    expect(refused('one')).toEqual({ code: 'ADDRESS_SHARE', max: MAX, got: MAX + STRIDE });
    expect(refused('two')).toBeUndefined();
    // Something was deleted meanwhile.
    inDocument -= STRIDE;
    expect(await take('one', updates(STRIDE))).toBe(1);
  });

  it('is measured once for those who ask together', async () => {
    await Promise.all(Array.from({ length: 5 }, () => shares.measured('one', 1)));
    expect(measurings).toBe(1);
  });

  it('has what comes late of an epoch that has ended in it, up to the bound, until the next one', async () => {
    shares.takeLate('one', MAX - STRIDE);
    expect(() => shares.takeLate('one', STRIDE + 1)).toThrow(UpdateRefused);
    expect(await take('one', updates(STRIDE, STRIDE))).toBe(1);
    [inDocument] = [0];
    shares.clear();
    expect(await take('one', updates(STRIDE, STRIDE))).toBe(2);
  });
});

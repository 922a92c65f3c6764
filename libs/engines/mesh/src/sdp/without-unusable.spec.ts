import fc from 'fast-check';
import { recordedOf } from '../testing/node/recorded-descriptions.js';
import { inspectOffer } from './inspect-description.js';
import { withoutUnusable } from './without-unusable.js';

const bare = recordedOf('Chromium 156, before gathering').offer.split('\r\n').slice(0, -1);
const ANY = { candidates: 'any' } as const;
const usable = 'a=candidate:1 1 udp 2113937151 8.8.8.8 50000 typ host';
const unusable = 'a=candidate:1 1 udp 2113937151 peer.local 50000 typ host';

describe('withoutUnusable', () => {
  it('takes out the dropped lines, and leaves every other byte, whatever ends the lines', () => {
    const kept = fc.constantFrom(usable, 'a=x', 'a=x y  z', 'a=ä');
    const lines = fc.array(fc.oneof(kept, fc.constant(unusable)), { maxLength: 20 });
    const end = fc.constantFrom('\r\n', '\n');
    fc.assert(
      fc.property(lines, end, fc.boolean(), (added, end, isEnded) => {
        const all = [...bare, ...added];
        const text = all.join(end) + (isEnded ? end : '');
        const expected = all.map((line, i) => (i < all.length - 1 || isEnded ? line + end : line));
        const rest = expected.filter(line => !line.startsWith(unusable)).join('');
        const inspected = inspectOffer(text, ANY);
        expect(withoutUnusable(text, inspected)).toBe(rest);
        const { candidates, dropped } = inspectOffer(withoutUnusable(text, inspected), ANY);
        expect(dropped).toEqual([]);
        expect(candidates.map(({ text }) => text)).toEqual(inspected.candidates.map(({ text }) => text));
      }),
    );
  });

  it('gives back a text of which nothing was dropped', () => {
    const { offer } = recordedOf('node-datachannel');
    expect(withoutUnusable(offer, inspectOffer(offer, ANY))).toBe(offer);
  });

  it('does not touch another text than was inspected', () => {
    const text = [...bare, unusable, ''].join('\r\n');
    const inspected = inspectOffer(text, ANY);
    expect(() => withoutUnusable([...bare, usable, ''].join('\r\n'), inspected)).toThrow(RangeError);
    expect(() => withoutUnusable('', inspected)).toThrow(RangeError);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { openAnswer, sealAnswer } from './sealed-answer.js';

const KEY = new Uint8Array(32).fill(7);

describe('a sealed answer', () => {
  it('is opened byte for byte by the key and the claim that it was sealed for', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.uuid(), (body, claimId) => {
        const sealed = sealAnswer(KEY, claimId, body);
        expect(new Uint8Array(openAnswer(KEY, claimId, sealed)!)).toEqual(body);
        expect(openAnswer(KEY, randomUUID(), sealed)).toBeUndefined();
        expect(openAnswer(new Uint8Array(32).fill(8), claimId, sealed)).toBeUndefined();
      }),
    );
  });

  it('is refused when any bit of it was altered, or it was cut', () => {
    const claimId = randomUUID();
    const sealed = sealAnswer(KEY, claimId, Buffer.from('svc_live_0000000000000000_secret'));
    expect(sealed.includes('svc_live')).toBe(false);
    for (let index = 0; index < sealed.length; index++) {
      const altered = Buffer.from(sealed);
      altered[index] ^= 1 << (index % 8);
      expect(openAnswer(KEY, claimId, altered)).toBeUndefined();
      expect(openAnswer(KEY, claimId, sealed.subarray(0, index))).toBeUndefined();
    }
  });

  it('is never sealed twice alike', () => {
    const claimId = randomUUID();
    const seal = () => sealAnswer(KEY, claimId, Buffer.from('x')).toString('hex');
    expect(seal()).not.toBe(seal());
  });
});

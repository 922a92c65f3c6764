import { describe, expect, it } from '@jest/globals';
import { problem } from '@svc/platform';
import { retained } from './payment-problem.js';

describe('a call that failed after its payment was claimed', () => {
  it.each(['No ratio is to be had', 'Correlation is gone after one bin. Shorter bins may tell it.'])(
    'says so in a sentence of its own, after "%s"',
    detail => {
      const { payload } = retained(problem('UNPROCESSABLE', detail), { isGivenBack: true });
      expect(payload.detail).toBe(`${detail.replace(/\.$/, '')}. Nothing was taken from the account`);
    },
  );
});

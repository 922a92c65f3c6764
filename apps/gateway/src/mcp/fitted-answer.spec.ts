import { describe, expect, test } from '@jest/globals';
import { fittedAnswer } from './fitted-answer.js';

const none = new Set<string>();
const numbers = (length: number) => Array.from({ length }, (_, i) => i % 10);

describe('an answer that is to fit', () => {
  test('stays as it is where it fits to the last character', () => {
    const answer = { a: numbers(10), b: 'text' };
    const chars = JSON.stringify(answer).length;
    expect(fittedAnswer(structuredClone(answer), chars, none)).toEqual(answer);
    expect(fittedAnswer(structuredClone(answer), chars - 1, none)).toHaveProperty('shortened');
  });

  test('loses the ends of its longest list, then those of the next, and says of each how long it was', () => {
    const fitted = fittedAnswer({ short: numbers(60), deep: { long: numbers(500) }, none: [] }, 215, none);
    const { short, deep } = fitted as { short: number[]; deep: { long: number[] } };
    expect(fitted).toEqual({
      ...{
        short: numbers(60).slice(0, short.length),
        deep: { long: numbers(500).slice(0, deep.long.length) },
      },
      none: [],
      shortened: [
        { path: 'deep.long', shown: deep.long.length, of: 500 },
        { path: 'short', shown: short.length, of: 60 },
      ],
    });
    // No more goes than has to: an item has two characters.
    expect([215, 214, 213]).toContain(JSON.stringify(fitted).length);
  });

  test('loses the longest member that may go where no list is left, and never one that is kept', () => {
    const answer = { kept: 'k'.repeat(90), large: 'l'.repeat(300), small: 's' };
    expect(fittedAnswer({ ...answer }, 200, new Set(['kept']))).toEqual({
      ...{ kept: answer.kept, small: 's' },
      shortened: [{ path: 'large', shown: 0, of: 302 }],
    });
    expect(fittedAnswer({ kept: answer.kept }, 10, new Set(['kept']))).toEqual({ kept: answer.kept });
  });

  test.each([100, 1_000, 2_000, 50_000])('is at most %i characters long, of whatever lists', charsMax => {
    const lists = Array.from({ length: 7 }, (_, i) => [
      `list${i}`,
      Array.from({ length: i * 137 }, () => numbers(i)),
    ]);
    const fitted = fittedAnswer(Object.fromEntries(lists), charsMax, none);
    // What names seven losses is longer than the least bound.
    expect(JSON.stringify(fitted).length).toBeLessThanOrEqual(Math.max(charsMax, 500));
  });
});

import { describe, expect, it } from '@jest/globals';
import { foreignTo } from './common-pattern.js';
import { publishedPatterns } from './published-patterns.js';

/** What clients in other languages make their validators of. */
export function describePublishedPatterns(addressOf: () => string): void {
  describe('the patterns of all published schemas', () => {
    it('are of the common subset of JavaScript, Python and RE2, and JavaScript takes them with `u` and without', async () => {
      const patterns = await publishedPatterns(addressOf());
      expect(patterns.size).toBeGreaterThan(50);
      const places = new Set([...patterns.values()].map(place => place.split('/', 2).join('/')));
      expect(places.has('/openapi.json')).toBe(true);
      for (const [pattern, place] of patterns) {
        expect([place, pattern, foreignTo(pattern)]).toEqual([place, pattern, undefined]);
        for (const flags of ['', 'u']) expect(() => new RegExp(pattern, flags)).not.toThrow();
      }
    });

    it.each([
      ...[String.raw`^\p{Cc}$`, '^(?=a)', '(?<!a)b', String.raw`(a)\1`, '(?<name>a)', '(?P<name>a)', '(?i)a'],
      ...[
        String.raw`\d`,
        String.raw`[\w]`,
        String.raw`\s`,
        String.raw`\bа`,
        'a.b',
        'é',
        '[é]',
        String.raw`\u0041`,
      ],
      ...[
        String.raw`\0`,
        String.raw`\x1F0\x1F`,
        'a{1,1001}',
        '([a-z]{2}){501}',
        '((a{10}){10}){11}',
        'a{,3}',
      ],
      ...[
        'a+?',
        'a*+',
        'a{2}{3}',
        '[a--b]',
        '[a&&b]',
        '[[a]]',
        '[]a]',
        '[^]',
        '(a',
        'a)',
        'a]',
        '*a',
        String.raw`a\-b`,
      ],
    ])('would not be %s', pattern => {
      expect(foreignTo(pattern)).toEqual(expect.any(String));
    });

    it.each([
      ...[
        '^(0x)?([0-9a-fA-F]{2}){64,72}$',
        '^$|^(?:a|b)*$',
        '([a-z]{2}){500}',
        String.raw`^[^\x00-\x1f\x7f-\x9f]*$`,
      ],
      ...[String.raw`^(\/[^/~]*(~[01][^/~]*)*)+$`, String.raw`^[a-z_'+\-]+\.x$`],
    ])('could be %s', pattern => {
      expect(foreignTo(pattern)).toBeUndefined();
    });
  });
}

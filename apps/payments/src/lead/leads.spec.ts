import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { literalPattern } from './lead-book.js';
import { maskedEmail } from './leads.js';

test.each([
  ['alice@example.com', 'a***@example.com'],
  ['a@example.com', '***@example.com'],
  ['"a@b"@example.com', '"***@example.com'],
  ['no address', '***'],
  ['@example.com', '***'],
])('of %s only the first letter and the domain are left', (email, masked) => {
  expect(maskedEmail(email)).toBe(masked);
});

test('a masked address tells nothing of the rest, not its length either', () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.emailAddress(), (one, other) => {
      const of = (text: string) => text.slice(0, 1) + '@' + text.slice(text.lastIndexOf('@') + 1);
      const tails = [one, other].map(text => text.slice(text.lastIndexOf('@')));
      fc.pre(one.lastIndexOf('@') > 1 && other.lastIndexOf('@') > 1);
      const swapped = one[0] + other.slice(1, other.lastIndexOf('@')) + tails[0];
      expect(of(swapped)).toBe(of(one));
      expect(maskedEmail(swapped)).toBe(maskedEmail(one));
    }),
  );
});

test('what a pattern takes for itself is searched for as it stands', () => {
  expect(literalPattern('50%_off\\')).toBe('50\\%\\_off\\\\');
});

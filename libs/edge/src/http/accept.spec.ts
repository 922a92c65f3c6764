import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { preferredCoding, preferredType } from './accept.js';

const OFFERED = ['application/json', 'text/html'] as const;

test.each([
  ['no header', undefined, 'application/json'],
  ['anything', '*/*', 'application/json'],
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['a lower weight for pages', 'text/html;q=0.4, application/json;q=0.5', 'application/json'],
  ['a refusal of JSON', 'application/json;q=0, */*', 'text/html'],
  ['a whole type', 'text/*', 'text/html'],
  ['capitals', 'TEXT/HTML', 'text/html'],
  ['nothing that is offered', 'image/png', 'application/json'],
  ['a weight that is none', 'text/html;q=abc, application/json;q=0.1', 'application/json'],
])('answers %s with the type it likes best', (_, header, expected) => {
  expect(preferredType(header, OFFERED)).toBe(expected);
});

test('the most specific range decides over a wider one with more weight', () => {
  expect(preferredType('application/*;q=1, application/json;q=0.1, text/html;q=0.5', OFFERED)).toBe(
    'text/html',
  );
});

// What headers are made of, and what they are not.
const piece = fc.oneof(
  fc.constantFrom('text/html', 'application/json', '*', '/', ',', ';', 'q=', '0.5', '1.', '=', ' ', '"'),
  fc.nat(0xffff).map(unit => String.fromCharCode(unit)),
);

test('any header gets one of the offered types', () => {
  fc.assert(
    fc.property(fc.string({ unit: piece, maxLength: 2_000 }), header => {
      expect(OFFERED).toContain(preferredType(header, OFFERED));
    }),
  );
});

test.each([
  ['no header', undefined, 'identity'],
  ['nothing', '', 'identity'],
  ['a browser', 'gzip, deflate, br, zstd', 'br'],
  ['capitals', 'GZIP', 'gzip'],
  ['anything', '*', 'br'],
  ['anything but', 'br;q=0, *', 'gzip'],
  ['a weight', 'br;q=0.5, gzip;q=0.6', 'gzip'],
  ['a weight below the plain one', 'gzip;q=0.5, identity', 'identity'],
  ['as much of the plain one', 'identity, gzip', 'gzip'],
  ['nothing that is offered', 'zstd, identity;q=0', 'identity'],
  ['no coding at all', '*;q=0', 'identity'],
])('answers %s with the coding it likes best', (_, header, expected) => {
  expect(preferredCoding(header, ['br', 'gzip'])).toBe(expected);
});

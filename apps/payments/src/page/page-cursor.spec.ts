import { describe, expect, test } from '@jest/globals';
import { ProblemError } from '@svc/platform';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './page-cursor.js';

const SEQ = /^[1-9][0-9]{0,18}$/;
const filters = fc.record(
  { status: fc.constantFrom('new', 'won'), q: fc.string({ unit: 'grapheme-ascii' }), limit: fc.nat() },
  { requiredKeys: [] },
);
const position = fc.bigInt({ min: 1n, max: 2n ** 62n }).map(String);

const refused = (cursor: string, list = 'leads', given = {}) => {
  try {
    decodeCursor({ list, filters: given }, cursor, SEQ);
    return undefined;
  } catch (error) {
    return error instanceof ProblemError ? error.payload : error;
  }
};

describe('a cursor', () => {
  test('brings back the position that it was made of, under the filters that it was made under', () => {
    fc.assert(
      fc.property(filters, position, (given, at) => {
        const page = { list: 'leads', filters: given };
        const cursor = encodeCursor(page, at);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
        expect(decodeCursor(page, cursor, SEQ)).toBe(at);
      }),
    );
  });

  test('is none where none came', () => {
    expect(decodeCursor({ list: 'leads', filters: {} }, undefined, SEQ)).toBeUndefined();
  });

  test('of other filters, or of another list, is refused, naming the field, the bound and the value', () => {
    const cursor = encodeCursor({ list: 'leads', filters: { status: 'new' } }, '7');
    const fault = { code: 'VALIDATION_FAILED', errors: [{ path: 'cursor', got: cursor }] };
    expect(refused(cursor, 'leads', { status: 'won' })).toMatchObject(fault);
    expect(refused(cursor, 'leads', {})).toMatchObject(fault);
    expect(refused(cursor, 'accounts', { status: 'new' })).toMatchObject(fault);
    expect(refused(cursor, 'leads', { status: 'new', source: undefined })).toBeUndefined();
  });

  test('with any one character changed is refused', () => {
    const cursor = encodeCursor({ list: 'leads', filters: {} }, '123456');
    for (let i = 0; i < cursor.length; i++) {
      for (const character of ['A', '-', '9', 'z']) {
        const changed = cursor.slice(0, i) + character + cursor.slice(i + 1);
        if (changed !== cursor) expect(refused(changed)).toMatchObject({ code: 'VALIDATION_FAILED' });
      }
    }
  });

  test('of garbage is refused', () => {
    const garbage = fc.string({ unit: fc.constantFrom(...'ABCxyz019_-'), minLength: 1, maxLength: 512 });
    fc.assert(
      fc.property(garbage, text => expect(refused(text)).toMatchObject({ code: 'VALIDATION_FAILED' })),
    );
  });
});

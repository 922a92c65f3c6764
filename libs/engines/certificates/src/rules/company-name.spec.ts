import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { companyKey, matchCompanyName, mayBeMisread, textNamesCompany } from './company-name.js';

describe('names of companies', () => {
  it.each([
    ['Acme Roofing, Inc.', 'ACME ROOFING INCORPORATED'],
    ['Dunmore & Pike Electric LLC', 'Dunmore and Pike Electric, L.L.C.'],
    ['Dunmore & Pike Electric LLC', 'DUNMORE + PIKE ELECTRIC Limited Liability Company'],
    ["O'Dell Brothers Co.", 'O’Dell Brothers Company'],
    ['The Acme Corporation', 'Acme Corp.'],
    ['Acme Roofing LLC', 'Acme Roofing LLC dba Sunny Roofs'],
    ['Acme Roofing LLC', 'ACME ROOFING LLC D/B/A SUNNY ROOFS'],
    ['Müller Bau GmbH', 'Muller Bau GMBH'],
    ['Fenwick Group LLC', 'Fenwick Group LLC, its successors and/or assigns'],
    ['Fenwick Group LLC', 'Fenwick Group LLC ISAOA/ATIMA'],
    ['Fenwick Group LLC', 'Fenwick Group LLC c/o Dana Duvall'],
    ['Acme Roofing', 'Acme Roofing LLC'],
  ])('%s is %s', (asked, shown) => {
    expect(matchCompanyName(asked, shown)).toBe('same');
  });

  it.each([
    ['Acme Roofing LLC', 'Acme Roofing Inc.'],
    ['Acme Roofing LLC', 'Acme Roofing Services LLC'],
    ['Acme Roofing Services LLC', 'Acme Roofing LLC'],
    ['Acme Roofing LLC', 'Acmee Roofing LLC'],
    ['Acme Roofing LLC', 'Acme Roofing of Texas LLC'],
    ['Acme Roofing LLC', 'Acme Holdings LLC'],
    ['Smith & Sons Inc', 'Smith & Son Inc'],
    ['ABC 1 LLC', 'ABC 2 LLC'],
    ['Acme Roofing LLC', 'Sunny LLC fka Acme Roofing LLC'],
    ['Acme LLC', ''],
    ['LLC', 'Inc'],
  ])('%s is not %s, however alike', (asked, shown) => {
    expect(matchCompanyName(asked, shown)).toBe('other');
  });

  it.each([
    ['Acme Roofing LLC', 'Acme Roofing'],
    ['Acme Roofing LLC', 'John Smith dba Acme Roofing LLC'],
  ])('%s may or may not be %s', (asked, shown) => {
    expect(matchCompanyName(asked, shown)).toBe('unsure');
  });

  it('never match where a letter or digit differs', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'ABCDEFGHKMRTUVWXYZ0123456789'),
      minLength: 3,
      maxLength: 12,
    });
    fc.assert(
      fc.property(letters, letters, fc.constantFrom(' LLC', ' Inc.', ''), (a, b, form) => {
        const expected = a === b ? 'same' : 'other';
        expect(matchCompanyName(`${a} Works${form}`, `${b} Works${form}`)).toBe(expected);
      }),
    );
  });

  it('are matched within bounded time whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 4_096 }), fc.string({ maxLength: 200 }), (a, b) => {
        expect(['same', 'unsure', 'other']).toContain(matchCompanyName(a, b));
        mayBeMisread(a, b);
      }),
      { numRuns: 60 },
    );
    expect(matchCompanyName('A'.repeat(100_000), 'C/O '.repeat(25_000))).toBe('other');
  });

  it('share a key exactly where they are one name', () => {
    expect(companyKey('COMPANY 0, L.L.C.')).toBe(companyKey('Company 0 LLC'));
    expect(companyKey('Company 0 Inc')).not.toBe(companyKey('Company 0 LLC'));
  });

  it('that were misread differ in few characters', () => {
    expect(mayBeMisread('Granite Fork Steel Erectors LLC', 'Granlte Fork Steel Erectors LLC')).toBe(true);
    expect(mayBeMisread('Granite Fork LLC', 'Wren Valley LLC')).toBe(false);
  });

  it('are found in texts whole', () => {
    expect(textNamesCompany('Schedule: FENWICK GROUP, LLC is insured', 'Fenwick Group LLC')).toBe(true);
    expect(textNamesCompany('Schedule: FENWICKS GROUP', 'Fenwick Group LLC')).toBe(false);
    expect(textNamesCompany('anything', '')).toBe(false);
    expect(textNamesCompany('a person or organization', 'A LLC')).toBe(false);
    expect(textNamesCompany('Schedule: A, L.L.C.', 'A LLC')).toBe(true);
  });
});

import { cut, printable, wrapped } from './layout.js';

describe('cut', () => {
  test('leaves what a person can read as it is', () => {
    for (const text of ['', 'x'.repeat(160), 'a word '.repeat(100), `https://pay.example/${'p'.repeat(400)}`])
      expect(cut(text, '--json')).toBe(text);
  });

  test.each([
    ['a long word', 'A'.repeat(161), '161'],
    ['a long word among others', `it is ${'A'.repeat(100_000)}`, '100,006'],
    ['long prose', 'a word '.repeat(143), '1,001'],
    ['an address that is none any more', `https://x/${'p'.repeat(2_039)}`, '2,049'],
  ])('cuts %s, and says how long it is and where the whole is', (_, text, length) => {
    const shown = cut(text, '--output FILE');
    expect(shown).toBe(`${text.slice(0, 48)}… ${length} characters in all (--output FILE)`);
    expect(shown.length).toBeLessThan(120);
  });
});

describe('wrapped', () => {
  test('breaks between words, and puts what follows under the text beside its label', () => {
    const lines = wrapped(`checked  ${'five5 '.repeat(20).trim()}`, 40);
    expect(lines[0]).toBe('checked  five5 five5 five5 five5 five5');
    expect(lines.slice(1).every(line => line.startsWith(`${' '.repeat(9)}five5`))).toBe(true);
    expect(lines.every(line => line.length <= 40)).toBe(true);
    expect(lines.map(line => line.replace('checked', '').trim()).join(' ')).toBe('five5 '.repeat(20).trim());
  });

  test('leaves a line that fits, an empty one, and a word that is longer than a line', () => {
    for (const line of ['', 'short', '  svc tools', `proof hash   0x${'0'.repeat(64)}`])
      expect(wrapped(line, 80)).toEqual([line]);
    const hash = `0x${'0'.repeat(64)}`;
    expect(wrapped(`hash  ${hash} and more`, 40)).toEqual([`hash  ${hash}`, '      and more']);
  });

  test('gives the text its room under a label that takes most of the line', () => {
    const lines = wrapped(`${'label'.repeat(7)}  one two three four`, 40);
    expect(lines).toEqual(['label'.repeat(7), '  one two three four']);
  });
});

test('printable lets nothing command the terminal', () => {
  expect(printable('a\u001b[2Jb\nc\u009b')).toBe('a\ufffd[2Jb\ufffdc\ufffd');
});

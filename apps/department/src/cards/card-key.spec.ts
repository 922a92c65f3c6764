import fc from 'fast-check';
import { cardKeyOf, cardTitleOf, cardWordsOf, wordsOf } from './card-key.js';

const CARD = { year: 1986, set: 'Fleer', number: '57', player: 'Michael Jordan' };

test.each([
  ['Michael Jordan', 'michael jordan'],
  ["  Shaquille O'Neal ", 'shaquille oneal'],
  ['Shaquille O’Neal', 'shaquille oneal'],
  ['T.J. Watt', 'tj watt'],
  ['Ken Griffey Jr.', 'ken griffey jr'],
  ['José Ramírez', 'jose ramirez'],
  ['Luka Dončić', 'luka doncic'],
  ['Mookie  Betts / Mike Trout', 'mookie betts mike trout'],
  ['Salt & Pepper', 'salt and pepper'],
  ['#57', '57'],
  ['Størmer Łuck Straße', 'stormer luck strasse'],
  ['ﬁne Ⅷ', 'fine viii'],
  ['№ 5½', 'no 51 2'],
])('%s is read as %s', (text, words) => expect(wordsOf(text)).toBe(words));

test('the ways of writing a card have one key', () => {
  const key = '1986-fleer-57-michael-jordan';
  expect(cardKeyOf(CARD)).toBe(key);
  for (const other of [
    { ...CARD, number: '#57' },
    { ...CARD, number: 'No. 57' },
    { ...CARD, set: ' FLEER ' },
    { ...CARD, parallel: 'Base' },
    { ...CARD, sport: 'Basketball' },
    { ...CARD, player: 'MICHAEL  JORDAN' },
  ]) {
    expect(cardKeyOf(other)).toBe(key);
  }
});

test('another year, set, number, player or parallel is another card', () => {
  const keys = [
    CARD,
    { ...CARD, year: 1987 },
    { ...CARD, set: 'Fleer Sticker' },
    { ...CARD, number: '8' },
    { ...CARD, player: 'Larry Bird' },
    { ...CARD, parallel: 'Gold' },
    { ...CARD, number: '057' },
  ].map(cardKeyOf);
  expect(new Set(keys).size).toBe(keys.length);
});

test('names in other scripts stay apart from one another', () => {
  const keys = ['大谷翔平', '鈴木一朗', 'Шарапова'].map(player => cardKeyOf({ ...CARD, player }));
  expect(new Set(keys).size).toBe(3);
  for (const key of keys) expect(key).toMatch(/^1986-fleer-57-x[0-9a-f]{12}$/);
});

test('a title shows the card as it was described', () => {
  expect(cardTitleOf({ ...CARD, number: '#57', parallel: 'Gold' })).toBe(
    '1986 Fleer #57 Michael Jordan Gold',
  );
});

const text = (max: number) => fc.string({ unit: 'grapheme', minLength: 1, maxLength: max });
const cards = fc.record({
  year: fc.integer({ min: 1850, max: 2100 }),
  ...{ set: text(128), number: text(32), player: text(128), parallel: text(64) },
});

test('every description has a key of the published form, and it is a function of its words', () => {
  fc.assert(
    fc.property(cards, card => {
      const key = cardKeyOf(card);
      expect(key).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(key.length).toBeLessThanOrEqual(160);
      const words = cardWordsOf(card);
      for (const part of Object.values(words)) expect(part).toMatch(/^([a-z0-9]+( [a-z0-9]+)*)?$/);
      // Words are their own words: what is stored is what is searched.
      for (const part of Object.values(words)) expect(wordsOf(part)).toBe(part);
      expect(cardKeyOf({ ...card, ...words })).toBe(key);
    }),
    { numRuns: 300 },
  );
});

test('long descriptions that differ at their end have different keys', () => {
  const long = 'word '.repeat(25);
  const keyOf = (player: string) =>
    cardKeyOf({ ...CARD, set: long, player: `${long.slice(0, 100)} ${player}` });
  expect(keyOf('one')).not.toBe(keyOf('two'));
  expect(keyOf('one').length).toBeLessThanOrEqual(160);
});

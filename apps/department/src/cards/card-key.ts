import type { CardDescription } from '@svc/contracts';
import { createHash } from 'node:crypto';

const KEY_CHARS_MAX = 160;
const DIGEST_CHARS = 12;

/** Letters that Unicode does not take apart into a plain one and a mark. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i', ħ: 'h' },
  '&': ' and ',
};

/** A parallel that says that there is none. */
const NO_PARALLEL: ReadonlySet<string> = new Set(['', 'base', 'base card', 'none', 'regular']);

/** A description as cards are compared and searched by: words of a-z and 0-9, one blank between them. */
export interface CardWords {
  readonly set: string;
  readonly number: string;
  readonly player: string;
  readonly parallel: string;
  readonly sport: string;
}

/**
 * The words of a text, in lower case: marks off letters, apostrophes and points within a word left out (`O'Neal` → `oneal`,
 * `T.J.` → `tj`), whatever else is neither letter nor digit between words. Scripts without a form in a-z give a word made of
 * their digest each, so that two of them stay two.
 * @example wordsOf('#57 Michael  JORDÁN') // '57 michael jordan'
 */
export function wordsOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðþłıħ&]/g, letter => PLAIN_LETTERS[letter])
    .replace(/(?<=[\p{L}\p{N}])['’.](?=[\p{L}])/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return plain
    .split(' ')
    .map(word => (/^[a-z0-9]*$/.test(word) ? word : `x${digestOf(word)}`))
    .join(' ');
}

/** Numbers as they are written on cards: `#57`, `No. 57`, `057` stay what they are but for the sign before them. */
const numberWordsOf = (number: string): string => wordsOf(number.replace(/^\s*(#|no\.?\s)\s*/i, ''));

/** The words of each part of a description. */
export function cardWordsOf(card: CardDescription): CardWords {
  const parallel = wordsOf(card.parallel ?? '');
  return {
    set: wordsOf(card.set),
    number: numberWordsOf(card.number),
    player: wordsOf(card.player),
    parallel: NO_PARALLEL.has(parallel) ? '' : parallel,
    sport: wordsOf(card.sport ?? ''),
  };
}

/**
 * Key of a card, the same for every way of writing it: year, set, number, player and parallel. What is longer than a key may
 * be is cut, with a digest in the place of the rest.
 * @example cardKeyOf({ year: 1986, set: 'Fleer', number: '#57', player: 'Michael Jordan' }) // '1986-fleer-57-michael-jordan'
 */
export function cardKeyOf(card: CardDescription): string {
  const { set, number, player, parallel } = cardWordsOf(card);
  const words = [String(card.year), set, number, player, parallel].filter(part => part !== '').join(' ');
  const key = words.replaceAll(' ', '-');
  if (key.length <= KEY_CHARS_MAX) return key;
  const kept = key.slice(0, KEY_CHARS_MAX - DIGEST_CHARS - 1).replace(/-+$/, '');
  return `${kept}-${digestOf(words)}`;
}

/** How a card is called in answers. */
export const cardTitleOf = ({ year, set, number, player, parallel }: CardDescription): string =>
  `${year} ${set} #${number.replace(/^#/, '')} ${player}${parallel ? ` ${parallel}` : ''}`;

const digestOf = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('hex').slice(0, DIGEST_CHARS);

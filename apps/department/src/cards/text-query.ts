import { wordsOf } from './card-key.js';

/** Words of one search that count. */
const WORDS_MAX = 16;

/** The text of a search as queries of `to_tsquery`; words are of a-z and 0-9 alone, so none is an operator. */
export interface TextQuery {
  /** Every word, whole. Empty where the text has none. */
  readonly whole: string;
  /** Every word, the last of which may go on. */
  readonly begun: string;
}

/** @example matchAll('1986 fleer #57 jor') // begun: "1986 & fleer & 57 & jor:*" */
export function matchAll(text: string): TextQuery {
  const words = searchedWords(text);
  const whole = words.join(' & ');
  return { whole, begun: whole === '' ? '' : `${whole}:*` };
}

/** Any of the words. */
export const matchAny = (text: string): string => searchedWords(text).join(' | ');

/** Queries joined; one that is empty asks for nothing. */
export const anyOf = (queries: readonly string[]): string => joined(queries, ' | ');
export const allOf = (queries: readonly string[]): string => joined(queries, ' & ');

const joined = (queries: readonly string[], operator: string): string =>
  queries
    .filter(query => query !== '')
    .map(query => `(${query})`)
    .join(operator);

const searchedWords = (text: string): string[] =>
  wordsOf(text)
    .split(' ')
    .filter(word => word !== '')
    .slice(0, WORDS_MAX);

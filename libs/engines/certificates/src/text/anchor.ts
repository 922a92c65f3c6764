import type { Lexicon } from './form-wording.js';
import type { Box } from '../extracted-certificate.js';
import { LABEL_WORDS, tokensOf } from './label-words.js';
import { boxAround, heightOf, isMark, linesOf, type TextWord } from './page-text.js';

/** Printed words of a form, found on a page. */
export interface Anchor<Id extends string> {
  readonly id: Id;
  readonly box: Box;
  readonly words: readonly TextWord[];
}

/** Two words of a label may be as many heights apart. */
const LABEL_GAP_HEIGHTS = 1.6;

/** Changes of one letter that make `a` of `b`, counted up to `max + 1`. */
function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    previous = row;
  }
  return previous[b.length];
}

/** Whether a recognised word is the one of the label, a letter in six wrong. */
function isAlike(seen: string, wanted: string): boolean {
  if (seen === wanted) return true;
  // INSURER is no misread INSURED.
  if (LABEL_WORDS.has(seen)) return false;
  const max = Math.floor(wanted.length / 6 + 0.34);
  return max > 0 && editDistance(seen, wanted, max) <= max;
}

interface Token {
  readonly token: string;
  readonly word: TextWord;
  readonly first: boolean;
  /** The word before it on the line, be it only a sign. */
  readonly before: TextWord | undefined;
}

const lineTokens = (line: readonly TextWord[]): Token[] =>
  line.flatMap((word, at) =>
    tokensOf(word.text).map((token, i) => ({ token, word, first: i === 0, before: line[at - 1] })),
  );

/** Whether a label may begin here: at the start of a line, after a gap, or after a tick. */
function mayBegin(tokens: readonly Token[], at: number): boolean {
  const { word, first } = tokens[at];
  if (!first) return false;
  const before = tokens[at - 1]?.word;
  if (!before || isMark(before.text)) return true;
  return word.box[0] - before.box[2] > 0.6 * heightOf(word.box);
}

function matchAt(tokens: readonly Token[], at: number, wanted: readonly string[]): TextWord[] | undefined {
  const words: TextWord[] = [];
  for (let i = 0; i < wanted.length; i++) {
    const found = tokens[at + i];
    if (!found || !isAlike(found.token, wanted[i])) return undefined;
    const last = words.at(-1);
    if (last && found.word !== last) {
      const edge = Math.max(last.box[2], found.before?.box[2] ?? 0);
      if (found.word.box[0] - edge > LABEL_GAP_HEIGHTS * heightOf(found.word.box)) return undefined;
    }
    if (found.word !== last) words.push(found.word);
  }
  return words;
}

/**
 * The labels of a lexicon on a page: at each place the longest wording that stands there. What follows a label on its line,
 * down to a colon or a note in brackets, belongs to it only as far as the wording goes.
 */
export function findAnchors<Id extends string>(
  words: readonly TextWord[],
  lexicon: Lexicon<Id>,
  lines: readonly (readonly TextWord[])[] = linesOf(words),
): Anchor<Id>[] {
  const wordings = (Object.entries(lexicon) as [Id, readonly string[]][])
    .flatMap(([id, texts]) => texts.map(text => ({ id, wanted: tokensOf(text) })))
    .sort((a, b) => b.wanted.length - a.wanted.length);
  const anchors: Anchor<Id>[] = [];
  for (const line of lines) {
    const tokens = lineTokens(line);
    for (let at = 0; at < tokens.length; at++) {
      if (!mayBegin(tokens, at)) continue;
      for (const { id, wanted } of wordings) {
        const found = matchAt(tokens, at, wanted);
        if (!found) continue;
        // A sign such as & that stands within a label belongs to it.
        const words = line.slice(line.indexOf(found[0]), line.indexOf(found.at(-1)!) + 1);
        anchors.push({ id, words, box: boxAround(words.map(word => word.box)) });
        at += wanted.length - 1;
        break;
      }
    }
  }
  return anchors;
}

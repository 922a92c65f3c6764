import type { Box } from '../extracted-certificate.js';

/** One word as it stands on a page. */
export interface TextWord {
  readonly text: string;
  readonly box: Box;
  /** 0 … 1: 1 for a word of a text layer, what the recogniser says for one of a picture. */
  readonly confidence: number;
}

/** A square to be ticked, as it is drawn. */
export interface TickBox {
  readonly box: Box;
  /** Undefined where only its frame is known; a word in it says then. */
  readonly ticked?: boolean;
  readonly confidence: number;
}

/** What is seen on one page: words, ruled lines and squares, whoever found them. */
export interface PageText {
  /** From 1. */
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly words: readonly TextWord[];
  readonly tickBoxes: readonly TickBox[];
  /** Horizontal ruled lines: the rows of a table. */
  readonly rules: readonly Box[];
  /** Pictures, and what is drawn that is neither a line nor a square to be ticked. */
  readonly marks?: readonly Box[];
  /** What is painted on the page, pictures and outlines of letters among it, whether or not it was made out. */
  readonly painted?: readonly Box[];
  /** Of a scan: the share of a box, 0 … 1, that is ink. */
  readonly inkShare?: (box: Box) => number;
}

/** Words that belong together: on one line, with no more than a space between them. */
export interface Phrase {
  readonly words: readonly TextWord[];
  readonly box: Box;
}

/** Gap between two words, in heights of the line, from which on they do not belong together. */
const PHRASE_GAP_HEIGHTS = 0.9;

export const heightOf = (box: Box): number => box[3] - box[1];
export const middleOf = (box: Box): number => (box[1] + box[3]) / 2;

/** The box around all of them. */
export function boxAround(boxes: readonly Box[]): Box {
  return [
    Math.min(...boxes.map(box => box[0])),
    Math.min(...boxes.map(box => box[1])),
    Math.max(...boxes.map(box => box[2])),
    Math.max(...boxes.map(box => box[3])),
  ];
}

/** Whether two boxes stand on one line: the middle of the smaller lies within the other. */
export function onOneLine(a: Box, b: Box): boolean {
  const reach = Math.max(heightOf(a), heightOf(b)) * 0.55;
  return Math.abs(middleOf(a) - middleOf(b)) <= reach;
}

/** Words of a page as lines from top to bottom, each from left to right. */
export function linesOf(words: readonly TextWord[]): TextWord[][] {
  const lines: { box: Box; words: TextWord[] }[] = [];
  const byMiddle = [...words].sort((a, b) => middleOf(a.box) - middleOf(b.box));
  for (const word of byMiddle) {
    const line = lines.at(-1);
    // Compared with the line's last word too, since a line may lean.
    if (line && (onOneLine(line.box, word.box) || onOneLine(line.words.at(-1)!.box, word.box))) {
      line.words.push(word);
    } else lines.push({ box: word.box, words: [word] });
  }
  return lines.map(line => line.words.sort((a, b) => a.box[0] - b.box[0]));
}

/** Words of a page as phrases. A mark of one letter stands for itself: it may be a ticked square. */
export function phrasesOf(words: readonly TextWord[]): Phrase[] {
  const phrases: Phrase[] = [];
  for (const line of linesOf(words)) {
    let open: TextWord[] = [];
    const close = () => {
      if (open.length > 0) phrases.push({ words: open, box: boxAround(open.map(word => word.box)) });
      open = [];
    };
    for (const word of line) {
      const last = open.at(-1);
      if (last) {
        const gap = word.box[0] - last.box[2];
        const height = Math.min(heightOf(last.box), heightOf(word.box));
        if (gap > PHRASE_GAP_HEIGHTS * height || isMark(last.text) || isMark(word.text)) close();
      }
      open.push(word);
    }
    close();
  }
  return phrases;
}

const MARK = /^[[(|]?\s*(x|✓|✔|✗|✘|☒|☑|■|●)\s*[\])|]?$/i;

/** Whether a word is a tick: an X or one of the signs that printers use. */
export function isMark(text: string): boolean {
  return MARK.test(text);
}

/** What is painted as large as a box is its frame or its ground. */
const GROUND_SHARE = 0.85;

/** Whether something is painted in a box that is neither its frame nor its ground: it says something that may not have been read. */
export function isPaintedIn(box: Box, { painted = [] }: PageText): boolean {
  const [width, height] = [box[2] - box[0], heightOf(box)];
  return painted.some(one => {
    const [x, y] = [(one[0] + one[2]) / 2, middleOf(one)];
    const isInside = x > box[0] && x < box[2] && y > box[1] && y < box[3];
    return isInside && (one[2] - one[0] < GROUND_SHARE * width || heightOf(one) < GROUND_SHARE * height);
  });
}

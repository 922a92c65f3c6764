/** Columns of a terminal that does not say how many it has. */
export const COLUMNS_DEFAULT = 80;
/** Longest text without a space, and longest text of words, that are shown whole, characters. */
const TOKEN_CHARS_MAX = 160;
const PROSE_CHARS_MAX = 1_000;
/** An address is of use only as a whole. */
const ADDRESS_CHARS_MAX = 2_048;
/** What is shown of a text that is longer. */
const HEAD_CHARS = 48;
/** Least room for the text beside its label. */
const TEXT_COLUMNS_MIN = 24;

/** A text that commands no terminal: control characters are replaced, since what the server has is from others. */
export const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

/**
 * A text for one line: one that is too long to read is cut, with its length.
 * @param whole where the whole of it is: `--json`
 */
export function cut(text: string, whole: string): string {
  const charsMax = /^https?:\/\/\S+$/.test(text)
    ? ADDRESS_CHARS_MAX
    : /\S{161}/.test(text)
      ? TOKEN_CHARS_MAX
      : PROSE_CHARS_MAX;
  if (text.length <= charsMax) return text;
  return `${text.slice(0, HEAD_CHARS)}… ${text.length.toLocaleString('en-US')} characters in all (${whole})`;
}

/**
 * Breaks a line between words so that it fits; what follows stands under the text, not under its label, which two spaces
 * or more end. A word that is longer than a line stays whole, so that it can be copied.
 */
export function wrapped(line: string, columns: number): string[] {
  const label = /^\s*\S.*?\s{2,}(?=\S)|^\s+/.exec(line)?.[0] ?? '';
  const indent = label.length <= columns - TEXT_COLUMNS_MIN ? label.length : 2;
  const lines = [''];
  for (const part of line.slice(indent === 2 ? 0 : label.length).split(/(?<=\S)(?= )/)) {
    const room = columns - indent;
    const last = lines[lines.length - 1];
    if (last === '' || (last + part).length <= room) lines[lines.length - 1] = last + part;
    else lines.push(part.trimStart());
  }
  const first = indent === 2 ? '' : label;
  return lines.map((text, i) => (i === 0 ? first + text : ' '.repeat(indent) + text));
}

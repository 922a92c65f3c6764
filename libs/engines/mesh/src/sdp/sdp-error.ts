/** What is wrong with a description: of its size, its lines, or what must stand in it. */
export type SdpFault =
  | 'TOO_LONG'
  | 'TOO_MANY_LINES'
  | 'CHARACTER'
  | 'LINE_END'
  | 'LINE'
  | 'ATTRIBUTE'
  | 'MISSING'
  | 'REPEATED'
  | 'SECTION'
  | 'FINGERPRINT'
  | 'SETUP'
  | 'ICE_CREDENTIALS'
  | 'MESSAGE_SIZE'
  | 'BUNDLE'
  | 'CANDIDATE'
  | 'TOO_MANY_CANDIDATES'
  | 'NO_PUBLIC_CANDIDATE';

/** A line of a description, as far as an error shows it. */
export interface SdpPlace {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

const LINE_TEXT_CHARS_MAX = 120;
/** All that a terminal, a log or a page would not show as one sign of one line. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const PASSWORD = /^(a=ice-pwd:).*/s;

/** A description that is refused. The message names the line where there is one. */
export class SdpError extends Error {
  override readonly name = 'SdpError';
  /** Counted from 1; undefined where it is the whole text, or something that is not there. */
  readonly line?: number;
  /** The line, at most 120 printable characters of it. A password is not shown: errors are logged. */
  readonly lineText?: string;
  /** What would be taken. */
  readonly bound?: number | string;
  /** What stands there. */
  readonly value?: number | string;

  constructor(
    readonly reason: SdpFault,
    message: string,
    { line, bound, value }: { line?: SdpPlace; bound?: number | string; value?: number | string } = {},
  ) {
    super(line === undefined ? message : `line ${line.number}: ${message}`);
    if (line !== undefined) {
      this.line = line.number;
      this.lineText = printable(line.text.replace(PASSWORD, '$1…'));
    }
    if (bound !== undefined) this.bound = bound;
    if (value !== undefined) this.value = typeof value === 'string' ? printable(value) : value;
  }
}

function printable(text: string): string {
  // Cut before, so that the work does not grow with the text, and after, for a pair cut in two would be two signs.
  return text.slice(0, LINE_TEXT_CHARS_MAX).replace(UNPRINTABLE, '\u{fffd}');
}

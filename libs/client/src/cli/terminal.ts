import type { CallStage } from '../paid-call.js';
import { COLUMNS_DEFAULT, printable, wrapped } from './layout.js';

/** Where a command reads and writes. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  /** At a terminal lines are broken to fit its columns; in a pipe each stays one. */
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** A text that commands no terminal, in its lines: what files and servers hold is from others. */
const commandless = (text: string): string =>
  text
    .split(/([\n\t])/)
    .map(part => (part === '\n' || part === '\t' ? part : printable(part)))
    .join('');

const CLEAR_LINE = '\r\u001b[2K';
const TICK_MS = 100;

/** Results go to stdout, everything else to stderr; progress is drawn for people alone. */
export class Terminal {
  private timer: NodeJS.Timeout | undefined;
  /** Whether stdout has its result: in JSON there is one. */
  hasResult = false;

  constructor(
    private readonly streams: Streams,
    readonly json: boolean,
  ) {}

  /** One result: as JSON, or as the lines for a person. */
  result(value: unknown, lines: readonly string[]): void {
    this.hasResult = true;
    this.streams.stdout.write(
      this.json
        ? `${JSON.stringify(value, undefined, 2)}\n`
        : `${this.fitted(lines.map(commandless)).join('\n')}\n`,
    );
  }

  private fitted(lines: readonly string[]): readonly string[] {
    const { isTTY, columns = COLUMNS_DEFAULT } = this.streams.stdout;
    return isTTY === true ? lines.flatMap(line => wrapped(line, columns)) : lines;
  }

  note(text: string): void {
    this.endProgress();
    this.streams.stderr.write(`${commandless(text)}\n`);
  }

  /** Draws one line that the next one replaces, with the time since it began. */
  progress(text: string): void {
    if (this.streams.stderr.isTTY !== true) return;
    this.endProgress();
    const startedAt = performance.now();
    const draw = () => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      this.streams.stderr.write(`${CLEAR_LINE}${text} ${seconds} s`);
    };
    draw();
    this.timer = setInterval(draw, TICK_MS);
  }

  endProgress(): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.streams.stderr.write(CLEAR_LINE);
  }

  /** Turns the stages of a call into progress lines. */
  followCall(doing: string): (stage: CallStage) => void {
    return stage => {
      if (stage.stage === 'sent') this.progress(doing);
      if (stage.stage === 'paying') this.progress(`paying ${stage.amountSats} sats over ${stage.rail}`);
      if (stage.stage === 'waiting') this.progress(`${stage.reason}; trying again in ${stage.delayMs} ms`);
    };
  }
}

/** Labels and values in two columns. */
export function columns(rows: ReadonlyArray<readonly [label: string, value: string]>): string[] {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`);
}

/** 65536 → `65,536`. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

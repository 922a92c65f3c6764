import type { ParseArgsConfig } from 'node:util';
import type { ExitCode } from './exit-code.js';
import type { Streams, Terminal } from './terminal.js';

export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** What a verb gets to run with. */
export interface VerbContext {
  readonly positionals: readonly string[];
  readonly values: OptionValues;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly streams: Streams;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface VerbOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Name of the value in the help: `--out FILE`. */
  readonly placeholder?: string;
  readonly help: string;
}

/** One command of `svc`: a file of its own, entered once in the table of `verbs.ts`. */
export interface Verb {
  readonly name: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  /** The positional arguments as the usage line shows them. */
  readonly operands: string;
  readonly positionalsMin: number;
  readonly positionalsMax: number;
  readonly options: Readonly<Record<string, VerbOption>>;
  /** Paragraphs and examples under the options. */
  readonly notes: readonly string[];
  run(context: VerbContext): Promise<ExitCode>;
}

export function parseArgsOptions(
  options: Readonly<Record<string, VerbOption>>,
): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      short === undefined ? { type } : { type, short },
    ]),
  );
}

export function textOption(values: OptionValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

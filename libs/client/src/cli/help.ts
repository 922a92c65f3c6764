import { EXIT_CODE_HELP } from './exit-code.js';
import { COLUMNS_DEFAULT, wrapped } from './layout.js';
import type { Verb } from './verb.js';
import { commonOptions, VERBS } from './verbs.js';

/** Columns of a flag whose help stands beside it; that of a longer one stands below. */
const FLAG_COLUMNS_MAX = 24;

/** Every verb with a line of what it does. */
export function overview(): string {
  return [
    'svc: pay-per-call compute that carries its own evidence',
    '',
    'Usage: svc VERB [OPTIONS]',
    '',
    ...inTwoColumns(VERBS.map(({ name, summary }) => [name, summary])),
    '',
    'svc VERB --help says more. Every verb takes --json.',
    ...fitted([EXIT_CODE_HELP]),
    '',
  ].join('\n');
}

/** What a verb takes and does, in lines of at most 80 columns but for examples. */
export function helpOf(verb: Verb): string {
  const options = Object.entries({ ...verb.options, ...commonOptions }).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    const placeholder = option.placeholder === undefined ? '' : ` ${option.placeholder}`;
    return [`${short}--${name}${placeholder}`, option.help] as const;
  });
  return [
    ...fitted([`svc ${verb.name}: ${verb.summary}`, '']),
    ...fitted([`Usage: svc ${[verb.name, verb.operands].filter(Boolean).join(' ')} [OPTIONS]`]),
    '',
    ...inTwoColumns(options),
    '',
    ...notesOf(verb),
    '',
    ...fitted([EXIT_CODE_HELP]),
    '',
  ].join('\n');
}

/** Examples are for copying: they stay one line each. */
function notesOf({ notes }: Verb): string[] {
  const begin = notes.findIndex(note => /^Examples?:$/.test(note));
  const end = begin === -1 ? notes.length : begin;
  return [...fitted(notes.slice(0, end)), ...notes.slice(end)];
}

function inTwoColumns(rows: readonly (readonly [string, string])[]): string[] {
  const fitting = rows.map(([left]) => left.length).filter(length => length <= FLAG_COLUMNS_MAX);
  const width = Math.max(...fitting);
  return rows.flatMap(([left, right]) => {
    const beside = left.length <= width;
    const lines = wrapped(`  ${(beside ? left : '').padEnd(width)}  ${right}`, COLUMNS_DEFAULT);
    return beside ? lines : [`  ${left}`, ...lines];
  });
}

const fitted = (lines: readonly string[]): string[] => lines.flatMap(line => wrapped(line, COLUMNS_DEFAULT));

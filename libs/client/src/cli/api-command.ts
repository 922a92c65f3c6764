import { openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
import { cut, printable } from './layout.js';
import { columns } from './terminal.js';
import type { VerbContext } from './verb.js';

/** One call of the API that a command stands for. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The same for every retry of one act. */
  readonly idempotencyKey?: string;
}

/** Makes the call and prints its answer. */
export async function perform(context: VerbContext, { method, path, ...options }: Call): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.request(method as string, path, { ...options, signal: context.signal });
  context.terminal.result(data, linesOf(data));
  return ExitCode.ok;
}

/** The names of a table of commands. */
export const listed = (commands: object): string => Object.keys(commands).join(', ');

/**
 * An answer for a person: its members in columns, a list as a line each, what is not there left out, what is too long to read
 * cut. Members and values of any kind are shown.
 * @param whole where the whole of what is cut is
 */
export function linesOf(data: Readonly<Record<string, unknown>>, whole = '--json'): string[] {
  const { items, nextCursor, ...members } = data;
  const rows = Object.entries(members).flatMap(([name, value]) => rowsOf(printable(name), value, whole));
  const lines = rows.length > 0 ? columns(rows) : [];
  if (Array.isArray(items)) {
    lines.push(...(items.length === 0 ? ['nothing'] : items.map(item => itemLine(item, whole))));
  }
  if (typeof nextCursor === 'string') lines.push(`more: --cursor ${nextCursor}`);
  return lines;
}

function rowsOf(name: string, value: unknown, whole: string): (readonly [string, string])[] {
  if (value === undefined || value === null || value === '') return [];
  if (!Array.isArray(value)) return [[name, itemLine(value, whole)]];
  if (value.every(item => typeof item !== 'object'))
    return [[name, cut(printable(value.join(', ')), whole) || 'none']];
  return value.map((item, i) => [i === 0 ? name : '', itemLine(item, whole)] as const);
}

function itemLine(item: unknown, whole: string): string {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return shown(item, whole);
  const members = Object.entries(item)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${printable(name)} ${shown(value, whole)}`);
  return cut(members.join('  '), whole);
}

const shown = (value: unknown, whole: string): string =>
  cut(printable(typeof value === 'object' ? JSON.stringify(value) : String(value)), whole);

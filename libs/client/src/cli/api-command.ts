import { openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
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

/** An answer for a person: its members in columns, a list as a line each, what is not there left out. */
export function linesOf(data: Readonly<Record<string, unknown>>): string[] {
  const { items, nextCursor, ...members } = data;
  const rows = Object.entries(members).flatMap(([name, value]) => rowsOf(name, value));
  const lines = rows.length > 0 ? columns(rows) : [];
  if (Array.isArray(items)) {
    lines.push(...(items.length === 0 ? ['nothing'] : items.map(item => lineOf(item as object))));
  }
  if (typeof nextCursor === 'string') lines.push(`more: --cursor ${nextCursor}`);
  return lines;
}

function rowsOf(name: string, value: unknown): (readonly [string, string])[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    if (value.every(item => typeof item !== 'object')) return [[name, value.join(', ') || 'none']];
    return value.map((item, i) => [i === 0 ? name : '', lineOf(item as object)] as const);
  }
  if (typeof value === 'object') return [[name, lineOf(value)]];
  return [[name, shown(value)]];
}

const lineOf = (item: object): string =>
  Object.entries(item)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join('  ');

/** What the server has from others must not command the terminal. */
const shown = (value: unknown): string =>
  (typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(
    /[\u0000-\u001f\u007f-\u009f]/g,
    '\ufffd',
  );

import { createHash } from 'node:crypto';

const MEMBERS_MAX = 32;
const TEXT_CHARS_MAX = 512;

type Json = string | number | boolean | null | { readonly [name: string]: Json };

/**
 * A row as the quarantine keeps it, whatever it was: at most {@link MEMBERS_MAX} members, texts cut, lists and what lies
 * deeper than a card as text, and what Postgres cannot store (NUL, halves of surrogate pairs) replaced.
 */
export function storableRow(raw: unknown): Record<string, Json> {
  const row = recordOf(raw, 1);
  return row ?? { value: textOf(raw) };
}

/** Tells one faulty row from another. */
export const rowDigest = (row: Readonly<Record<string, Json>>, reasons: readonly string[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([row, reasons]), 'utf8')
    .digest();

function recordOf(value: unknown, depth: number): Record<string, Json> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = Object.entries(value).slice(0, MEMBERS_MAX);
  // Built from entries, a member called __proto__ is a member.
  return Object.fromEntries(members.map(([name, member]) => [clean(name, 64), valueOf(member, depth)]));
}

function valueOf(value: unknown, depth: number): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return clean(value, TEXT_CHARS_MAX);
  return (depth > 0 ? recordOf(value, depth - 1) : undefined) ?? textOf(value);
}

const textOf = (value: unknown): string => clean(JSON.stringify(value) ?? String(value), TEXT_CHARS_MAX);

/** A reason as Postgres can store it: one that names a member repeats what the row called it. */
export const storableReason = (reason: string): string => clean(reason, TEXT_CHARS_MAX);

const clean = (text: string, charsMax: number): string =>
  text.slice(0, charsMax).replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd');

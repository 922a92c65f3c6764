import type { FieldFault } from '@svc/contracts';
import { createHash } from 'node:crypto';
import { RefusedInput } from './input-problem.js';

/** Faults that one answer names. */
export const FAULTS_MAX = 32;

type Members = Readonly<Record<string, unknown>>;

/** @throws RefusedInput VALIDATION_FAILED unless the value is an object that is no array */
export function requireMembers(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  const message = `Invalid input: expected object, received ${kindOf(value)}`;
  throw refusalOf([{ path: '', message, bound: 'object' }]);
}

/** `typeof`, and what it does not tell apart. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The refusal that names the first {@link FAULTS_MAX} faults. */
export function refusalOf(faults: readonly FieldFault[]): RefusedInput {
  const errors = faults.slice(0, FAULTS_MAX);
  const [{ path, message }] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const detail = `${path === '' ? '' : `${path}: `}${message}${rest}`;
  return new RefusedInput({ code: 'VALIDATION_FAILED', detail, errors });
}

/**
 * SHA-256 of the canonical JSON (RFC 8785) of a request whose members are numbers, strings and lists of numbers: it has them in
 * the order of their names.
 */
export function digestOf(request: Members): Uint8Array {
  const sorted = Object.fromEntries(
    Object.keys(request)
      .sort()
      .map(name => [name, request[name]]),
  );
  return new Uint8Array(createHash('sha256').update(JSON.stringify(sorted)).digest());
}

import type { FieldFault, ProblemCode } from '@svc/contracts';
import type { z } from 'zod';
import { problem, type ProblemError } from './problem-error.js';

/** Faults named in one answer; a body of ten thousand bad elements gets no answer of ten thousand lines. */
export const FAULTS_MAX = 32;
/** Characters of the offending value that are repeated to the caller. */
const GOT_CHARS_MAX = 80;

type Path = readonly PropertyKey[];

/** A schema issue as zod and other Standard Schema libraries report it; zod adds the bound's members. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
  readonly [member: string]: unknown;
}

/**
 * Turns schema issues into faults that name the field, the bound and the value. Each unrecognised
 * key becomes a fault of its own, whose path is the key.
 * @param value the input that was validated, from which `got` is taken
 */
export function faultsOf(issues: readonly SchemaIssue[], value: unknown): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const issue of issues.slice(0, FAULTS_MAX).flatMap(issue => ofMeantAlternative(issue, value))) {
    if (faults.length >= FAULTS_MAX) break;
    const path = pathOf(issue);
    if (issue.code === 'unrecognized_keys' && Array.isArray(issue.keys)) {
      for (const key of issue.keys.slice(0, FAULTS_MAX - faults.length) as string[]) {
        faults.push(fault([...path, key], 'unknown field', undefined, value));
      }
    } else {
      faults.push(fault(path, issue.message, boundOf(issue), value));
    }
  }
  return faults;
}

/** Problem of a value that does not match its schema, naming every fault (at most {@link FAULTS_MAX}). */
export function validationProblem(
  issues: readonly SchemaIssue[],
  value: unknown,
  code: ProblemCode = 'VALIDATION_FAILED',
): ProblemError {
  const errors = faultsOf(issues, value);
  const first = errors[0];
  const where = first?.path ? `${first.path}: ` : '';
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return problem(code, `${where}${first?.message ?? 'the value does not match its schema'}${rest}`, {
    errors,
  });
}

/**
 * Validates a value, or refuses it with a problem that names every fault.
 * @throws ProblemError with `code`, VALIDATION_FAILED where none is given
 */
export function parseOrProblem<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: ProblemCode = 'VALIDATION_FAILED',
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw validationProblem(result.error.issues as unknown as SchemaIssue[], value, code);
}

/**
 * A fault of a union as those of the one alternative that takes values of this type; of several objects, of the one that lacks
 * fewest of its members and knows most of those that are there. Where none takes the type, as a wrong type, of which all that
 * are taken are the bound.
 */
function ofMeantAlternative(issue: SchemaIssue, value: unknown): SchemaIssue[] {
  if (issue.code !== 'invalid_union' || !Array.isArray(issue.errors)) return [issue];
  const path = pathOf(issue);
  const own = valueAt(value, path);
  const within = (inner: SchemaIssue) => ({ ...inner, path: [...path, ...pathOf(inner)] });
  const alternatives = (issue.errors as SchemaIssue[][]).map(issues =>
    issues.flatMap(inner => ofMeantAlternative(inner, own)),
  );
  const fitting = alternatives.filter(issues => !issues.some(isOfOtherType));
  if (fitting.length === 1) return fitting[0].map(within);
  if (fitting.length > 1) return isMembers(own) ? nearestFaults(fitting, own).map(within) : [issue];
  const expected = alternatives.flat().flatMap(inner => (isOfOtherType(inner) ? inner.expected : []));
  if (expected.length === 0) return [issue];
  const message = `Invalid input: expected one of ${expected.join(', ')}`;
  return [{ ...issue, code: 'invalid_type', message, expected }];
}

/** Of alternatives of one object the faults of the nearest; of several as near, what all find, and which member tells them apart. */
function nearestFaults(alternatives: readonly SchemaIssue[][], own: object): SchemaIssue[] {
  const isMissing = ({ code, path = [] }: SchemaIssue) =>
    path.length === 1 &&
    (code === 'invalid_type' || code === 'invalid_value') &&
    !Object.hasOwn(own, keyOf(path[0]));
  const distance = (issues: readonly SchemaIssue[]) =>
    issues.reduce((sum, issue) => {
      if (issue.code === 'unrecognized_keys' && pathOf(issue).length === 0)
        return sum + (issue.keys as string[]).length;
      return sum + (isMissing(issue) ? 1 : 0);
    }, 0);
  const least = Math.min(...alternatives.map(distance));
  const nearest = alternatives.filter(issues => distance(issues) === least);
  const textOf = (issue: SchemaIssue) => `${pathOf(issue).join('.')} ${issue.message}`;
  const texts = nearest.map(issues => new Set(issues.map(textOf)));
  const isOfAll = (issue: SchemaIssue) => texts.every(all => all.has(textOf(issue)));
  const common = nearest[0].filter(isOfAll);
  if (texts.every(all => all.size === common.length)) return common;
  const apart = nearest.map(issues => issues.find(issue => isMissing(issue) && !isOfAll(issue)));
  if (!apart.every(issue => issue !== undefined)) return nearest[0];
  const expected = [...new Set(apart.map(issue => String(pathOf(issue)[0])))];
  const message = `Invalid input: expected one of ${expected.join(', ')}`;
  return [{ code: 'invalid_type', path: [expected[0]], message, expected }, ...common];
}

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }) =>
  typeof segment === 'object' ? segment.key : segment;
const pathOf = ({ path = [] }: SchemaIssue): PropertyKey[] => path.map(keyOf);
const isMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOfOtherType = ({ code, path = [] }: SchemaIssue) => code === 'invalid_type' && path.length === 0;

function fault(path: Path, message: string, bound: unknown, value: unknown): FieldFault {
  const got = shownValue(value, path);
  return {
    path: pathText(path),
    message,
    ...(bound === undefined ? {} : { bound }),
    ...(got === undefined ? {} : { got }),
  };
}

/** The value at a path of what was sent, short enough to be repeated in a fault; undefined where there is none. */
export function shownValue(sent: unknown, path: readonly PropertyKey[]): unknown {
  return shorten(valueAt(sent, path));
}

/** `items[2].price`; empty for the value itself. */
function pathText(path: Path): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else text += text === '' ? shortenText(String(segment)) : `.${shortenText(String(segment))}`;
  }
  return text;
}

function boundOf(issue: SchemaIssue): unknown {
  switch (issue.code) {
    case 'too_small':
      return printable(issue.minimum);
    case 'too_big':
      return printable(issue.maximum);
    case 'invalid_type':
      return issue.expected;
    case 'invalid_value':
      return Array.isArray(issue.values) ? issue.values.map(printable) : undefined;
    case 'not_multiple_of':
      return printable(issue.divisor);
    case 'invalid_format':
      return issue.pattern ?? issue.format;
    case 'custom':
      return (issue.params as { bound?: unknown } | undefined)?.bound;
    default:
      return undefined;
  }
}

const printable = (bound: unknown) => (typeof bound === 'bigint' ? bound.toString() : bound);

function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const segment of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[segment];
  }
  return current;
}

/** A value short enough to be repeated: containers by their size, text by its beginning. */
function shorten(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return shortenText(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return shortenText(value.toString());
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return `array of ${value.length}`;
      return value instanceof Uint8Array ? `${value.length} bytes` : 'object';
    default:
      return undefined;
  }
}

const shortenText = (text: string) =>
  text.length <= GOT_CHARS_MAX ? text : `${text.slice(0, GOT_CHARS_MAX - 1)}…`;

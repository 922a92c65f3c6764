import { type StripeObject } from '../account/object-store.js';
import { invalidRequest } from './stripe-error.js';

const CLAUSE =
  /^\s*(-?)(?:metadata\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]|([a-z_]+))\s*(:|~|>=|<=|>|<)\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(null)|(-?\d+))/;
const CLAUSES_MAX = 10;
const FIELDS = ['amount', 'created', 'currency', 'customer', 'status'];

type Match = (object: StripeObject) => boolean;

/**
 * Stripe's search language, as far as a PaymentIntent has fields for it: clauses
 * (`metadata['k']:'v'`, `status:"succeeded"`, `amount>100`, `-currency:'usd'`) joined by AND or by OR.
 *
 * @throws StripeError 400 for a query that is no such thing, or mixes AND with OR.
 */
export function searchQuery(query: string): Match {
  const clauses: Match[] = [];
  const joins = new Set<string>();
  let rest = query;
  for (;;) {
    const match = CLAUSE.exec(rest);
    if (!match || clauses.length === CLAUSES_MAX) throw refused(query);
    clauses.push(clause(match, query));
    rest = rest.slice(match[0].length);
    if (rest.trim() === '') break;
    const join = /^\s+(AND|OR)\s/i.exec(rest);
    joins.add(join?.[1].toUpperCase() ?? 'AND');
    rest = rest.slice((join?.[0] ?? '').length);
    if (!join && !/^\s/.test(rest)) throw refused(query);
  }
  if (joins.size > 1) throw refused(query);
  return joins.has('OR')
    ? object => clauses.some(match => match(object))
    : object => clauses.every(match => match(object));
}

function refused(query: string): Error {
  return invalidRequest(`We were unable to parse your search query: ${query.slice(0, 200)}`, 'query');
}

function clause(match: RegExpExecArray, query: string): Match {
  const [, negated, single, double, field, operator, singleText, doubleText, isNull, number] = match;
  const key = single ?? double;
  if (key === undefined && !FIELDS.includes(field)) throw refused(query);
  const wanted = isNull ? null : unescaped(singleText ?? doubleText ?? number);
  const read = (object: StripeObject): unknown => {
    const members = object as unknown as Record<string, unknown>;
    if (key === undefined) return members[field] ?? null;
    const metadata = members.metadata as Record<string, string> | undefined;
    const name = unescaped(key);
    return metadata && Object.hasOwn(metadata, name) ? metadata[name] : null;
  };
  return object => compare(read(object), operator, wanted) !== (negated === '-');
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

function compare(value: unknown, operator: string, wanted: string | null): boolean {
  if (wanted === null) return operator === ':' && value === null;
  if (value === null) return false;
  if (operator === ':') return String(value).toLowerCase() === wanted.toLowerCase();
  if (operator === '~') return String(value).toLowerCase().includes(wanted.toLowerCase());
  const [left, right] = [Number(value), Number(wanted)];
  if (operator === '>') return left > right;
  if (operator === '<') return left < right;
  return operator === '>=' ? left >= right : left <= right;
}

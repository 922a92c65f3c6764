import { invalidRequest } from './stripe-error.js';

/** Decoded form: lists are maps with the keys `0`, `1`, …, because only the reader of a parameter knows which it is. */
export interface Form {
  [key: string]: string | Form;
}

/** Bounds of one form; a body is bounded before that. */
const PAIRS_MAX = 1_000;
const DEPTH_MAX = 8;
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/** A map that inherits nothing, so that `__proto__` is a name like any other. */
export function emptyForm(): Form {
  return Object.create(null) as Form;
}

/**
 * Decodes `application/x-www-form-urlencoded` with nested brackets (`a[b][0]=c`, `a[]=c`), as Stripe
 * reads it: the last of two equal names wins.
 *
 * @throws StripeError 400 for escapes that are no UTF-8, unbalanced brackets, a name that is both a
 * value and a map, more than 1,000 pairs or 8 levels.
 */
export function decodeForm(text: string): Form {
  const form = emptyForm();
  const pairs = text.split('&').filter(pair => pair !== '');
  if (pairs.length > PAIRS_MAX) throw invalidRequest(`A request may have ${PAIRS_MAX} parameters at most.`);
  for (const pair of pairs) {
    const split = pair.indexOf('=');
    const name = decode(split < 0 ? pair : pair.slice(0, split));
    const value = split < 0 ? '' : decode(pair.slice(split + 1));
    assign(form, pathOf(name), value, name);
  }
  return form;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidRequest('Invalid request: a parameter is not encoded as UTF-8.');
  }
}

function pathOf(name: string): string[] {
  const match = NAME.exec(name);
  if (!match) throw invalidRequest(`Invalid parameter name: ${name.slice(0, 100)}`);
  const path = [match[1], ...[...match[2].matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key)];
  if (path.length > DEPTH_MAX) throw invalidRequest(`Parameters may be nested ${DEPTH_MAX} levels deep.`);
  return path;
}

function assign(form: Form, path: string[], value: string, name: string): void {
  let at = form;
  for (const step of path.slice(0, -1)) {
    const key = step === '' ? nextIndex(at) : step;
    at[key] ??= emptyForm();
    const next = at[key];
    if (typeof next === 'string') throw invalidRequest(`Invalid hash: ${name.slice(0, 100)}`, path[0]);
    at = next;
  }
  const last = path[path.length - 1];
  const key = last === '' ? nextIndex(at) : last;
  if (typeof at[key] === 'object') throw invalidRequest(`Invalid string: ${name.slice(0, 100)}`, path[0]);
  at[key] = value;
}

function nextIndex(form: Form): string {
  return String(Object.keys(form).length);
}

/** The same text for the same parameters in any order: what an idempotency key is held to. */
export function canonicalForm(form: Form): string {
  const members = Object.keys(form)
    .sort()
    .map(key => {
      const value = form[key];
      const text = typeof value === 'string' ? JSON.stringify(value) : canonicalForm(value);
      return `${JSON.stringify(key)}:${text}`;
    });
  return `{${members.join(',')}}`;
}

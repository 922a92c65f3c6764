import { type StripeObject } from '../account/object-store.js';
import { noSuch } from './stripe-error.js';
import { type Parameters } from './parameters.js';

/** One page of a list, as Stripe sends it. */
export interface ListPage<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  url: string;
}

/** The parameters that every list takes. */
export const LIST_PARAMETERS = ['limit', 'starting_after', 'ending_before', 'created', 'expand'] as const;

/** A page of objects that stand newest first. */
export function listPage<T extends StripeObject>(
  objects: T[],
  parameters: Parameters,
  url: string,
): ListPage<T> {
  const limit = parameters.integer('limit', { min: 1, max: 100 }) ?? 10;
  const found = objects.filter(createdIn(parameters));
  const after = parameters.text('starting_after');
  const before = parameters.text('ending_before');
  if (before !== undefined) {
    const end = positionOf(found, before, 'ending_before');
    const start = Math.max(0, end - limit);
    return { object: 'list', data: found.slice(start, end), has_more: start > 0, url };
  }
  const start = after === undefined ? 0 : positionOf(found, after, 'starting_after') + 1;
  const data = found.slice(start, start + limit);
  return { object: 'list', data, has_more: start + limit < found.length, url };
}

function positionOf(objects: StripeObject[], id: string, param: string): number {
  const position = objects.findIndex(object => object.id === id);
  if (position < 0) throw noSuch('object', id, param);
  return position;
}

/** `created=1` or `created[gte]=1`. */
function createdIn(parameters: Parameters): (object: StripeObject) => boolean {
  if (typeof parameters.form.created === 'string') {
    const at = parameters.integer('created');
    return object => at === undefined || object.created === at;
  }
  const range = parameters.map('created').only(['gt', 'gte', 'lt', 'lte']);
  const { gt, gte, lt, lte } = {
    gt: range.integer('gt'),
    gte: range.integer('gte'),
    lt: range.integer('lt'),
    lte: range.integer('lte'),
  };
  return ({ created = 0 }) =>
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte);
}

/** A list that is part of an object. */
export function embeddedList<T>(data: T[], url: string): ListPage<T> {
  return { object: 'list', data, has_more: false, url };
}

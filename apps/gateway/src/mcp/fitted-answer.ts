import { isRecord } from './json-rpc.js';

/** What of an answer was left out so that it fits. */
export interface Shortened {
  /** Where it lies, member names with dots between them. */
  readonly path: string;
  /** Items of a list that are there, the first ones; 0 of a member that is left out. */
  readonly shown: number;
  /** Items of the whole list, or characters of the JSON of the member. */
  readonly of: number;
}

type Json = Record<string, unknown>;

interface List {
  readonly path: string;
  readonly items: unknown[];
  readonly chars: number;
}

/**
 * Shortens an answer to so many characters of JSON: lists lose items from their end, the longest list first; where that is not
 * enough, members that may be absent go, the longest first; and where that is not, the lists that come first. What is left is of the
 * same types as before, and `shortened` names each loss.
 * @param answer is changed
 * @param charsMax may be exceeded by members that must stay
 * @param kept members that must stay
 * @param first of them those whose lists are cut last
 */
export function fittedAnswer(
  answer: Json,
  charsMax: number,
  kept: ReadonlySet<string>,
  first: ReadonlySet<string> = new Set(),
): Json {
  const losses = new Map<string, Shortened>();
  for (;;) {
    const fitted = losses.size === 0 ? answer : { ...answer, shortened: [...losses.values()] };
    const excess = JSON.stringify(fitted).length - charsMax;
    const shorten = () =>
      cutLongestList(answer, excess, first) ??
      leaveOutLongest(answer, kept) ??
      cutLongestList(answer, excess, new Set());
    const loss = excess > 0 ? shorten() : undefined;
    if (!loss) return fitted;
    losses.set(loss.path, { ...loss, of: losses.get(loss.path)?.of ?? loss.of });
  }
}

function cutLongestList(answer: Json, excess: number, spared: ReadonlySet<string>): Shortened | undefined {
  const lists = listsIn(answer)
    .filter(({ path }) => !spared.has(path.split('.', 1)[0]))
    .sort((left, right) => right.chars - left.chars);
  if (!lists[0]) return undefined;
  const { path, items } = lists[0];
  const of = items.length;
  for (let freed = 0; items.length > 0 && freed < excess;) freed += charsOf(items.pop()) + 1;
  return { path, shown: items.length, of };
}

/** The lists that have items; not those within a list, which go with their item. */
const listsIn = (value: unknown, path: readonly string[] = []): List[] => {
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, member]) => listsIn(member, [...path, name]));
  return Array.isArray(value) && value.length > 0
    ? [{ path: path.join('.'), items: value, chars: charsOf(value) }]
    : [];
};

function leaveOutLongest(answer: Json, kept: ReadonlySet<string>): Shortened | undefined {
  const members = Object.keys(answer)
    .filter(name => !kept.has(name))
    .map(path => ({ path, shown: 0, of: charsOf(answer[path]) }))
    .sort((left, right) => right.of - left.of);
  if (members[0]) delete answer[members[0].path];
  return members[0];
}

const charsOf = (value: unknown): number => JSON.stringify(value).length;

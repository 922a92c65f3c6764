/** RE2 counts no further, groups within groups multiplied. */
const REPEATS_MAX = 1_000;

/** What stands for itself outside of a class and within one, escaped or not; all else is a dialect's own. */
const LITERAL = /^(?:[ !"#%&',\-/0-9:;<=>@A-Z_`a-z~]|\\[$()*+./?[\\\]^{|}tnrfv]|\\x[0-9a-f]{2})/;
const MEMBER = /^(?:[ !"#$%&'()*+,./0-9:;<=>?@A-Z_`a-z{|}~-]|\\[$()*+./?[\\\]^{|}\-tnrfv]|\\x[0-9a-f]{2})/;
/** Operations on sets of characters in newer dialects. */
const SET_OPERATION = /--|&&|\|\||~~/;
const COUNT = /^\{(\d+)(?:,(\d*))?\}/;

/**
 * Why a pattern may not mean the same in JavaScript (with `u` and without), Python and RE2. Allowed are characters and their classes
 * by range, groups without names, alternatives, anchors (of which the `$` of Python alone also finds the place before a last line break) and
 * counts: no classes by letter (`\d`, `\w`, `\p`), which differ beyond
 * ASCII, no dot, which differs at ends of lines, no lookaround, references or lazy counts.
 *
 * @returns undefined of a pattern that is the same everywhere
 */
export function foreignTo(pattern: string): string | undefined {
  try {
    const rest = alternatives(pattern).rest;
    return rest === '' ? undefined : `${rest} is left over`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What was read: how often the most counted character in it may come, and what follows. */
interface Read {
  readonly repeats: number;
  readonly rest: string;
}

function alternatives(text: string): Read {
  let [repeats, rest] = [1, text];
  while (rest !== '' && !rest.startsWith(')')) {
    if (/^[|^$]/.test(rest)) {
      rest = rest.slice(1);
      continue;
    }
    const atom = counted(oneAtom(rest));
    [repeats, rest] = [Math.max(repeats, atom.repeats), atom.rest];
  }
  return { repeats, rest };
}

function oneAtom(text: string): Read {
  if (text.startsWith('[')) return characterClass(text);
  if (text.startsWith('(')) {
    const { repeats, rest } = alternatives(text.replace(/^\((?:\?:)?/, ''));
    if (!rest.startsWith(')')) throw new Error(`${text} is not closed`);
    return { repeats, rest: rest.slice(1) };
  }
  const [literal] = LITERAL.exec(text) ?? [];
  if (literal === undefined) throw new Error(`${text} begins with what is not common`);
  return { repeats: 1, rest: text.slice(literal.length) };
}

function characterClass(text: string): Read {
  let rest = text.replace(/^\[\^?/, '');
  const start = rest;
  while (!rest.startsWith(']')) {
    const [member] = MEMBER.exec(rest) ?? [];
    if (member === undefined) throw new Error(`${text} is a class with what is not common`);
    rest = rest.slice(member.length);
  }
  const members = start.slice(0, start.length - rest.length);
  if (members === '' || SET_OPERATION.test(members)) throw new Error(`${text} is a class of sets`);
  return { repeats: 1, rest: rest.slice(1) };
}

function counted({ repeats, rest }: Read): Read {
  const [count, from, to] = COUNT.exec(rest) ?? [/^[*+?]/.exec(rest)?.[0] ?? ''];
  const after = rest.slice(count.length);
  if (count !== '' && /^[*+?{]/.test(after)) throw new Error(`${rest} is counted twice, or lazily`);
  const times = from === undefined ? 1 : Number(to || from);
  if (repeats * times > REPEATS_MAX) throw new Error(`${count} counts to ${repeats * times}`);
  return { repeats: repeats * Math.max(1, times), rest: after };
}

/** What a pattern is matched against: a word, what kind of word it is, and whether a clause may end behind it. */
export interface GrammarWord {
  readonly text: string;
  /** Classes that a pattern may ask for as `#class`. */
  readonly classes: ReadonlySet<string>;
  /** Whether a clause may end behind it, at punctuation or the end of a line, and whether one has to. */
  readonly endsClause: boolean;
  readonly endsSentence: boolean;
}

function accepts(test: Test | undefined, word: GrammarWord): boolean {
  if (test === undefined) return false;
  return 'word' in test ? test.word === word.text : word.classes.has(test.class);
}

/** Rules by name, each in the notation of {@link WordGrammar}. */
export type GrammarRules = Readonly<Record<string, string>>;

type Test = { readonly word: string } | { readonly class: string };
interface State {
  test?: Test;
  /** States that follow: behind the word where there is a test, else at once. */
  next: number[];
}
/** All states that some words lead to, and where further words lead from there. */
interface Reading {
  readonly states: readonly number[];
  /** A clause may end here. */
  readonly isEnd: boolean;
  readonly next: Map<string, Reading>;
}
interface Fragment {
  readonly start: number;
  readonly end: number;
}

/** Readings that are kept; each is some 100 numbers. */
const READINGS_MAX = 2_000;
const NOTATION = /[()|?*+]|<[a-z-]+>|#[a-zA-Z-]+|[a-z0-9]+/g;

/**
 * Recognises sentences made of whole clauses. A rule is words, `#class` for any word of a class, `<rule>` for another rule (no rule
 * refers to itself), `( a | b )` for one or the other, and `?`, `*`, `+` behind any of them. All are compiled to one automaton
 * that follows every reading at once, so that time is proportional to the words times the states, whatever the words are.
 *
 * @example new WordGrammar({ clause: 'see ( attached | below )' }, 'clause')
 * @throws Error for rules that are not in this notation, or refer to what is not there
 */
export class WordGrammar {
  /** The words that the rules ask for by themselves. */
  readonly words: ReadonlySet<string>;
  private readonly states: State[] = [];
  private readonly start: number;
  private readonly end: number;
  /** Of each state those that follow it without a word and wait for one; the end waits for none. */
  private readonly waiting: (readonly number[] | undefined)[] = [];
  /** Classes that the rules ask for. */
  private readonly classes: readonly string[];
  /** What was reached before, so that the same words lead there without following every reading again. */
  private readonly readings = new Map<string, Reading>();
  private first: Reading;

  constructor(
    private readonly rules: GrammarRules,
    clause: string,
  ) {
    ({ start: this.start, end: this.end } = this.compile(clause, []));
    const tests = this.states.flatMap(({ test }) => test ?? []);
    this.words = new Set(tests.flatMap(test => ('word' in test ? test.word : [])));
    this.classes = [...new Set(tests.flatMap(test => ('class' in test ? test.class : [])))];
    this.first = { states: this.waitingFrom(this.start), isEnd: false, next: new Map() };
  }

  /** How many words from the first on are whole clauses: all of them where each is recognised. */
  clausesIn(words: readonly GrammarWord[]): number {
    let recognised = 0;
    let reading = this.first;
    for (const [index, word] of words.entries()) {
      const mayEnd = word.endsClause || index === words.length - 1;
      const sign = this.signOf(word) + (word.endsSentence ? '!' : mayEnd ? '.' : '');
      let next = reading.next.get(sign);
      if (next === undefined) {
        next = this.readingBehind(reading, word, mayEnd);
        reading.next.set(sign, next);
      }
      reading = next;
      if (reading.isEnd) recognised = index + 1;
      if (reading.states.length === 0) break;
    }
    return recognised;
  }

  /** What the rules can tell of a word: two words with one sign are read alike. */
  private signOf({ text, classes }: GrammarWord): string {
    let sign = this.words.has(text) ? text : '';
    for (const each of this.classes) if (classes.has(each)) sign += `#${each}`;
    return sign;
  }

  private readingBehind({ states }: Reading, word: GrammarWord, mayEnd: boolean): Reading {
    const behind = new Set<number>();
    for (const state of states) {
      const { test, next } = this.states[state];
      if (!accepts(test, word)) continue;
      for (const follower of next) for (const waiting of this.waitingFrom(follower)) behind.add(waiting);
    }
    const isEnd = (mayEnd || word.endsSentence) && behind.has(this.end);
    if (word.endsSentence) behind.clear();
    if (isEnd) for (const waiting of this.waitingFrom(this.start)) behind.add(waiting);
    return this.readingOf(
      [...behind].sort((one, other) => one - other),
      isEnd,
    );
  }

  private readingOf(states: readonly number[], isEnd: boolean): Reading {
    const key = `${states.join()}${isEnd ? '.' : ''}`;
    const known = this.readings.get(key);
    if (known) return known;
    // Few sentences lead everywhere: what was seen long ago is forgotten, so that none can fill the memory.
    if (this.readings.size >= READINGS_MAX) {
      this.readings.clear();
      this.first = { ...this.first, next: new Map() };
    }
    const reading = { states, isEnd, next: new Map<string, Reading>() };
    this.readings.set(key, reading);
    return reading;
  }

  private waitingFrom(from: number): readonly number[] {
    return (this.waiting[from] ??= this.followersOf(from));
  }

  private followersOf(from: number): readonly number[] {
    const seen = new Set([from]);
    for (const state of seen) {
      const { test, next } = this.states[state];
      if (test === undefined) for (const follower of next) seen.add(follower);
    }
    return [...seen].filter(state => this.states[state].test !== undefined || state === this.end);
  }

  private add(test?: Test): Fragment {
    const end = this.states.push({ next: [] }) - 1;
    const start = this.states.push({ ...(test && { test }), next: [end] }) - 1;
    return { start, end };
  }

  private link(from: number, to: number): void {
    this.states[from].next.push(to);
  }

  private compile(rule: string, within: readonly string[]): Fragment {
    const source = this.rules[rule];
    if (source === undefined || within.includes(rule))
      throw new Error(`no rule ${rule}, or one within itself`);
    const tokens = source.match(NOTATION) ?? [];
    if (tokens.join('') !== source.replace(/\s+/g, '')) throw new Error(`rule ${rule} has other signs`);
    let at = 0;
    const choice = (): Fragment => {
      const whole = this.add();
      this.states[whole.start].next = [];
      do {
        const branch = sequence();
        this.link(whole.start, branch.start);
        this.link(branch.end, whole.end);
      } while (tokens[at] === '|' && ++at);
      return whole;
    };
    const sequence = (): Fragment => {
      const first = this.add();
      let { end } = first;
      while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') {
        const next = item();
        this.link(end, next.start);
        end = next.end;
      }
      return { start: first.start, end };
    };
    const item = (): Fragment => {
      const token = tokens[at++];
      const inner = this.element(token, choice, [...within, rule]);
      if (token === '(' && tokens[at++] !== ')') throw new Error(`rule ${rule} lacks a bracket`);
      const often = /^[?*+]$/.test(tokens[at] ?? '') ? tokens[at++] : '';
      // Around the inner part, so that what loops is this alone.
      const outer = this.add();
      this.states[outer.start].next = [inner.start];
      this.link(inner.end, outer.end);
      if (often === '?' || often === '*') this.link(outer.start, outer.end);
      if (often === '*' || often === '+') this.link(inner.end, inner.start);
      return outer;
    };
    const whole = choice();
    if (at < tokens.length) throw new Error(`rule ${rule} has a bracket too many`);
    return whole;
  }

  private element(token: string, choice: () => Fragment, within: readonly string[]): Fragment {
    if (token === '(') return choice();
    if (token.startsWith('<')) return this.compile(token.slice(1, -1), within);
    return this.add(token.startsWith('#') ? { class: token.slice(1) } : { word: token });
  }
}

import { DefinitionError } from './definition-error.js';

/** What the text of a definition holds: no true, false or null, and no numbers but whole ones that are not negative. */
export type StrictJson = string | number | readonly StrictJson[] | StrictObject;
export interface StrictObject {
  readonly [name: string]: StrictJson;
}

/** A cycle's values lie four deep. */
const DEPTH_MAX = 6;
const SPACE = /[ \t\n\r]*/y;
/** No escapes: every string of a definition is a name, an operation or an element. */
const STRING = /"([ !#-[\]-~]*)"/y;
const NUMBER = /(?:0|[1-9][0-9]{0,8})(?![0-9.eE])/y;

/**
 * Reads JSON of which no two readers can differ: what `JSON.parse` takes and another reader may take otherwise is refused, as equal members,
 * −0, fractions, exponents, and escapes.
 * @throws DefinitionError `malformed-json`, naming the character
 */
export function readStrictJson(text: string): StrictJson {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): StrictJson {
    this.match(SPACE);
    const character = this.text[this.at];
    if (character === '{' || character === '[') {
      if (depth === DEPTH_MAX) throw this.fault(`nests deeper than ${DEPTH_MAX}`);
      return character === '{' ? this.object(depth + 1) : this.array(depth + 1);
    }
    if (character === '"') return this.string();
    const digits = this.match(NUMBER);
    if (digits === undefined) throw this.fault('is no string, list, object or whole number below 10^9');
    return Number(digits);
  }

  end(): void {
    this.match(SPACE);
    if (this.at < this.text.length) throw this.fault('follows the end');
  }

  private object(depth: number): StrictObject {
    const members = Object.create(null) as Record<string, StrictJson>;
    this.each('}', () => {
      this.match(SPACE);
      const name = this.string();
      if (Object.hasOwn(members, name)) throw this.fault('repeats a member');
      this.match(SPACE);
      if (!this.takes(':')) throw this.fault('is no colon');
      members[name] = this.value(depth);
    });
    return members;
  }

  private array(depth: number): StrictJson[] {
    const values: StrictJson[] = [];
    this.each(']', () => values.push(this.value(depth)));
    return values;
  }

  /** What stands between brackets, and commas between it. */
  private each(close: string, read: () => void): void {
    this.at++;
    this.match(SPACE);
    if (this.takes(close)) return;
    do {
      read();
      this.match(SPACE);
    } while (this.takes(','));
    if (!this.takes(close)) throw this.fault(`is neither a comma nor ${close}`);
  }

  private string(): string {
    const text = this.match(STRING, 1);
    if (text === undefined) throw this.fault('is no string of printable ASCII without escapes');
    return text;
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp, group = 0): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return undefined;
    this.at = pattern.lastIndex;
    return found[group];
  }

  private fault(reason: string): DefinitionError {
    return new DefinitionError('malformed-json', `character ${this.at}`, reason);
  }
}

/** RFC 8785 of what a definition may hold: ASCII strings without escapes, whole numbers, lists and objects. */
export function canonicalText(value: StrictJson): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'number') return String(value);
  if (isList(value)) return `[${value.map(canonicalText).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map(name => `"${name}":${canonicalText(value[name])}`).join(',')}}`;
}

export const isList = (value: StrictJson): value is readonly StrictJson[] => Array.isArray(value);
export const isObject = (value: StrictJson): value is StrictObject =>
  typeof value === 'object' && !isList(value);

/** One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). */
export interface AuthChallenge {
  /** Scheme name as it was sent; compare it without regard to case. */
  readonly scheme: string;
  /** Parameters by lower-case name; quoted strings are unescaped. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The scheme's single base64-like value, where it has one instead of parameters. */
  readonly token68?: string;
}

export type ParsedChallenges =
  | { readonly ok: true; readonly challenges: readonly AuthChallenge[] }
  | { readonly ok: false; readonly reason: string; readonly offset: number };

/** Longest header value that is looked at, characters. */
export const WWW_AUTHENTICATE_CHARS_MAX = 65_536;
/** Most challenges that one header may carry. */
export const CHALLENGES_MAX = 16;
/** Most parameters that one challenge may carry. */
export const PARAMETERS_MAX = 32;

class Fault extends Error {
  constructor(
    readonly reason: string,
    readonly offset: number,
  ) {
    super(reason);
  }
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*/y;

/** Reads a header value left to right; every method moves forward, so reading ends in linear time. */
class Reader {
  position = 0;
  constructor(readonly text: string) {}

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  peek(): string {
    return this.text[this.position] ?? '';
  }

  skip(characters: string): void {
    while (!this.atEnd && characters.includes(this.peek())) this.position++;
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  quotedString(): string {
    const start = this.position++;
    let value = '';
    while (!this.atEnd) {
      const character = this.text[this.position++];
      if (character === '"') return value;
      if (character === '\\') {
        if (this.atEnd) break;
        value += this.text[this.position++];
      } else {
        value += character;
      }
    }
    throw new Fault('a quoted string has no end', start);
  }
}

/** Reads `name=value` at the reader's position, or leaves the position as it was. */
function readParameter(reader: Reader): [name: string, value: string] | undefined {
  const start = reader.position;
  const name = reader.match(TOKEN);
  reader.skip(' \t');
  if (name === undefined || reader.peek() !== '=') {
    reader.position = start;
    return undefined;
  }
  reader.position++;
  reader.skip(' \t');
  const value = reader.peek() === '"' ? reader.quotedString() : reader.match(TOKEN);
  if (value === undefined) {
    // `abc=` at the end of an item is a token68 with padding, not a parameter without a value.
    reader.position = start;
    return undefined;
  }
  return [name.toLowerCase(), value];
}

function readChallenge(reader: Reader): AuthChallenge {
  const start = reader.position;
  const scheme = reader.match(TOKEN);
  if (scheme === undefined) throw new Fault('expected the name of a scheme', start);
  const parameters = new Map<string, string>();
  if (reader.atEnd || reader.peek() === ',') return { scheme, parameters };
  if (!' \t'.includes(reader.peek())) throw new Fault('expected a space after the scheme', reader.position);
  reader.skip(' \t');

  let token68: string | undefined;
  for (;;) {
    const at = reader.position;
    const parameter = readParameter(reader);
    if (parameter !== undefined) {
      const [name, value] = parameter;
      if (parameters.has(name)) throw new Fault(`the parameter ${name} is repeated`, at);
      if (parameters.size === PARAMETERS_MAX) throw new Fault(`more than ${PARAMETERS_MAX} parameters`, at);
      parameters.set(name, value);
    } else if (parameters.size === 0 && token68 === undefined) {
      token68 = reader.match(TOKEN68);
      if (token68 === undefined && !reader.atEnd && reader.peek() !== ',')
        throw new Fault('expected a parameter', reader.position);
    } else {
      // A scheme name: the comma that was passed divides two challenges.
      break;
    }
    reader.skip(' \t');
    if (!reader.atEnd && reader.peek() !== ',') throw new Fault('expected a comma', reader.position);
    reader.skip(', \t');
    if (reader.atEnd || token68 !== undefined) break;
  }
  return { scheme, parameters, ...(token68 === undefined ? {} : { token68 }) };
}

/**
 * Reads the value of a `WWW-Authenticate` header, several header lines joined by commas included
 * (that is how `fetch` hands them out). Never throws; time and memory are linear in a length that
 * is bounded by {@link WWW_AUTHENTICATE_CHARS_MAX}.
 *
 * @example parseWwwAuthenticate('L402 macaroon="AgE…", invoice="lnbcrt20n1…"')
 */
export function parseWwwAuthenticate(value: string): ParsedChallenges {
  if (value.length > WWW_AUTHENTICATE_CHARS_MAX)
    return {
      ok: false,
      reason: `${value.length} characters, at most ${WWW_AUTHENTICATE_CHARS_MAX} are read`,
      offset: WWW_AUTHENTICATE_CHARS_MAX,
    };
  const reader = new Reader(value);
  const challenges: AuthChallenge[] = [];
  try {
    reader.skip(', \t');
    while (!reader.atEnd) {
      if (challenges.length === CHALLENGES_MAX)
        throw new Fault(`more than ${CHALLENGES_MAX} challenges`, reader.position);
      challenges.push(readChallenge(reader));
      reader.skip(', \t');
    }
    return { ok: true, challenges };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, reason: error.reason, offset: error.offset };
  }
}

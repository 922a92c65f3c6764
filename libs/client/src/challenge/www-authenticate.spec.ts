import fc from 'fast-check';
import { CHALLENGES_MAX, parseWwwAuthenticate, WWW_AUTHENTICATE_CHARS_MAX } from './www-authenticate.js';

const parsed = (value: string) => {
  const result = parseWwwAuthenticate(value);
  if (!result.ok) throw new Error(`${result.reason} at ${result.offset}`);
  return result.challenges.map(({ scheme, parameters, token68 }) => ({
    scheme,
    parameters: Object.fromEntries(parameters),
    ...(token68 === undefined ? {} : { token68 }),
  }));
};

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
const parameterValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map(c => String.fromCharCode(c)),
});
const challenge = fc.record({
  scheme: token,
  parameters: fc.uniqueArray(fc.tuple(token, parameterValue), {
    minLength: 1,
    maxLength: 6,
    selector: ([name]) => name.toLowerCase(),
  }),
});
const quote = (value: string) => `"${value.replace(/[\\"]/g, '\\$&')}"`;

describe('parseWwwAuthenticate', () => {
  test('reads the example of RFC 9110 with two schemes in one line', () => {
    expect(parsed('Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""')).toEqual(
      [
        { scheme: 'Basic', parameters: { realm: 'simple' } },
        { scheme: 'Newauth', parameters: { realm: 'apps', type: '1', title: 'Login to "apps"' } },
      ],
    );
  });

  test('reads header lines that fetch joined, commas inside of quotes included', () => {
    expect(parsed('L402 macaroon="AgE=", invoice="lnbc1, x", Payment id="1",request="e30"')).toEqual([
      { scheme: 'L402', parameters: { macaroon: 'AgE=', invoice: 'lnbc1, x' } },
      { scheme: 'Payment', parameters: { id: '1', request: 'e30' } },
    ]);
  });

  test('reads schemes without parameters, and a token68 with its padding', () => {
    expect(parsed(' , Negotiate, Bearer abc+/9==, Basic realm=x ,')).toEqual([
      { scheme: 'Negotiate', parameters: {} },
      { scheme: 'Bearer', parameters: {}, token68: 'abc+/9==' },
      { scheme: 'Basic', parameters: { realm: 'x' } },
    ]);
  });

  test('gives back every challenge that was written, whatever the values hold', () => {
    fc.assert(
      fc.property(fc.array(challenge, { maxLength: 4 }), challenges => {
        const text = challenges
          .map(({ scheme, parameters }) => {
            const list = parameters.map(([name, value]) => `${name}=${quote(value)}`).join(', ');
            return `${scheme} ${list}`;
          })
          .join(', ');
        const expected = challenges.map(({ scheme, parameters }) => ({
          scheme,
          parameters: Object.fromEntries(parameters.map(([name, value]) => [name.toLowerCase(), value])),
        }));
        expect(parsed(text)).toEqual(expected);
      }),
    );
  });

  test('never throws, and ends, on any text', () => {
    const pieces = fc.constantFrom('L402', ' ', ',', '=', '"', '\\', 'a="b"', 'é', '\u0000', 'x=y', '==');
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.array(pieces).map(all => all.join('')),
    );
    fc.assert(
      fc.property(hostile, text => {
        const result = parseWwwAuthenticate(text);
        if (result.ok) expect(result.challenges.length).toBeLessThanOrEqual(CHALLENGES_MAX);
        else expect(result.offset).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['an open quoted string', 'L402 macaroon="abc', 'a quoted string has no end'],
    ['a repeated parameter', 'L402 invoice="a", Invoice="b"', 'the parameter invoice is repeated'],
    ['rubbish after a value', 'L402 a="b" c', 'expected a comma'],
    ['a header above the bound', 'x'.repeat(WWW_AUTHENTICATE_CHARS_MAX + 1), 'at most 65536 are read'],
    ['too many challenges', Array(17).fill('Basic').join(','), 'more than 16 challenges'],
    [
      'too many parameters',
      `A ${[...Array(33).keys()].map(i => `p${i}=1`).join(',')}`,
      'more than 32 parameters',
    ],
  ])('refuses %s', (_, text, reason) => {
    expect(parseWwwAuthenticate(text)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });
});

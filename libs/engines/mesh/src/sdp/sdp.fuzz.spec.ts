import fc from 'fast-check';
import { recordedDescriptions } from '../testing/node/recorded-descriptions.js';
import { CANDIDATES_MAX } from './candidate.js';
import { inspectAnswer, inspectOffer } from './inspect-description.js';
import { inspectFragment } from './inspect-fragment.js';
import { SdpError } from './sdp-error.js';
import { SDP_LINES_MAX, SDP_SIZE_MAX } from './sdp-lines.js';
import { withoutUnusable } from './without-unusable.js';

const CASES = process.env.SUITE_TIER === 'long' ? 50_000 : 600;
const RULES = [{ candidates: 'any' }, { candidates: 'public' }] as const;
const INSPECTIONS = [inspectOffer, inspectAnswer, inspectFragment] as const;
const texts = recordedDescriptions.flatMap(({ offer, answer, fragment }) => [
  offer,
  answer,
  fragment ?? offer,
]);
const lines = [...new Set(texts.flatMap(text => text.split('\r\n')))];

/** As {@link inspect}, of each kind once: a text that is long is long for either of the rules. */
const inspectLong = (text: string) => inspect(text, RULES.slice(0, 1));

/** How many of the inspections took a text. They may refuse it by an SdpError that is fit to be shown, and in no other way. */
function inspect(text: string, ofRules: readonly (typeof RULES)[number][] = RULES): number {
  let taken = 0;
  for (const inspection of INSPECTIONS) {
    for (const rules of ofRules) {
      try {
        const inspected = inspection(text, rules);
        const left = inspection(withoutUnusable(text, inspected), rules);
        if (left.dropped.length > 0 || inspected.candidates.length > CANDIDATES_MAX)
          throw new Error('wrongly taken');
        taken++;
      } catch (error) {
        if (!(error instanceof SdpError)) throw error;
        const unfit = unfitness(error, text);
        if (unfit) throw new Error(`an error that cannot be shown: ${unfit}`);
      }
    }
  }
  return taken;
}

function unfitness({ line, lineText, message, value }: SdpError, text: string): string | undefined {
  const count = text.split(/\r\n|\r|\n/).length;
  if (line !== undefined && !(line >= 1 && line <= count)) return `line ${line} of ${count}`;
  if ((line === undefined) !== (lineText === undefined)) return 'a line without its text';
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(`${lineText}${message}`)) return 'unprintable';
  return [lineText ?? '', message, String(value ?? '')].find(shown => shown.length > 400);
}

describe('whatever is sent', () => {
  it('refuses arbitrary text by an SdpError', () => {
    const unit = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(unit, text => {
        expect(inspect(text)).toBe(0);
      }),
      { numRuns: CASES },
    );
  });

  it('takes or refuses any arrangement of real lines', () => {
    const line = fc.oneof(
      fc.constantFrom(...lines),
      fc.string().map(text => `a=${text}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.constantFrom('\r\n', '\n'), (all, end) => {
        inspect(all.join(end));
      }),
      { numRuns: CASES },
    );
  });

  it('takes or refuses real descriptions with a few characters changed, and takes some of them', () => {
    const character = fc.oneof(
      fc.constantFrom('\0', '\r', '\n', ' ', ':', '=', '0', '9', '-', '\ud83d', '\u2028', '%', 'A'),
      fc.string({ maxLength: 3, unit: 'binary' }),
    );
    const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat(4), character });
    let taken = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(edit, { minLength: 1, maxLength: 2 }),
        (text, edits) => {
          const changed = edits.reduce((now, { at, cut, character }) => {
            const from = Math.floor(at * now.length);
            return now.slice(0, from) + character + now.slice(from + cut);
          }, text);
          taken += inspect(changed);
        },
      ),
      { numRuns: CASES },
    );
    expect(taken).toBeGreaterThan(CASES / 100);
  });
});

describe('as much as can be sent', () => {
  const [{ offer }] = recordedDescriptions;
  const room = SDP_SIZE_MAX - offer.length - 2;
  const filled = (unit: string) => unit.repeat(Math.floor(room / unit.length));
  const STARTS = [
    'a=candidate:',
    'a=candidate:1 1 udp 1 8.8.8.8 5000 typ host',
    'a=fingerprint:',
    'a=fingerprint:sha-256 ',
    'a=ice-ufrag:',
    'a=mid:',
    'a=setup:',
    'a=group:BUNDLE ',
    'a=max-message-size:',
    'a=sctp-port:',
    'a=imageattr:1 send [x]',
    'a=simulcast:send 1',
    'a=simulcast: ',
    'a=source-filter: incl ',
    'a=mediaclk:id=',
    'a=floorid:',
    'a=ptime:',
    'a=rtpmap:1 ',
    'a=ssrc-group:',
    'o=',
    'm=',
    't=',
  ];
  const UNITS = [
    'a',
    '0',
    ' ',
    ' a',
    ':',
    '.',
    ',send ',
    '[x]',
    ' [x]',
    ';',
    '%',
    'ä',
    '\u{1f600}',
    ' generation 0',
  ];
  it.each(STARTS)('is done with a line of 64 KB that begins with %j', start => {
    for (const unit of UNITS) inspectLong(`${offer}${start}${filled(unit)}\r\n`);
    for (const unit of UNITS) inspectLong(start + filled(unit));
  });

  const kinds = new Map(lines.map(line => [line.slice(0, 8), line]));
  const LINES = [...STARTS.map(start => `${start}1`), ...kinds.values(), '', 'a', 'a=', '\0'];
  it('is done with 64 KB of lines of any kind', () => {
    for (const line of LINES) {
      const many = Array<string>(Math.floor(SDP_SIZE_MAX / (line.length + 1))).fill(line);
      inspectLong(many.join('\n'));
      inspectLong(many.slice(0, SDP_LINES_MAX).join('\n'));
    }
  });

  it.each(['\r', '\n', '\r\n', '\n\r', '\0', '\ud800', '\u2028', 'a=\n', 'm=\n', 'v=0\r'])(
    'is done with 64 KB of %j',
    unit => {
      expect(inspectLong(unit.repeat(SDP_SIZE_MAX / unit.length))).toBe(0);
      expect(inspectLong(unit.repeat(SDP_SIZE_MAX))).toBe(0);
    },
  );
});

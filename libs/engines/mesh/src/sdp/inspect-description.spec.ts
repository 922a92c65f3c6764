import { recordedDescriptions, recordedOf } from '../testing/node/recorded-descriptions.js';
import type { CandidateRules } from './candidate-rules.js';
import { withoutOtherFingerprints } from './fingerprint.js';
import { inspectAnswer, inspectOffer } from './inspect-description.js';
import { SdpError } from './sdp-error.js';

const ANY: CandidateRules = { candidates: 'any' };
const PUBLIC: CandidateRules = { candidates: 'public' };
const { offer, answer } = recordedOf('node-datachannel');
const HASH =
  'F9:20:B1:D7:0F:31:25:8A:56:D7:BD:4C:77:70:CF:6B:E4:7D:D7:D4:F0:C6:56:AB:ED:4E:81:39:0E:48:5C:A2';
const OTHER_HASH = HASH.replace('F9', '9F');

/** The offer with one line replaced; the line is found by what it begins with. */
function replaced(start: string, ...lines: string[]): string {
  const all = offer.split('\r\n');
  const at = all.findIndex(line => line.startsWith(start));
  expect(at).toBeGreaterThanOrEqual(0);
  all.splice(at, 1, ...lines);
  return all.join('\r\n');
}

function added(...lines: string[]): string {
  return offer + lines.map(line => `${line}\r\n`).join('');
}

function faultOf(
  text: string,
  rules = ANY,
  inspect: typeof inspectAnswer | typeof inspectOffer = inspectOffer,
): SdpError {
  try {
    inspect(text, rules);
  } catch (error) {
    expect(error).toBeInstanceOf(SdpError);
    return error as SdpError;
  }
  throw new Error('was taken');
}

const candidateLine = (index: number) =>
  `a=candidate:${index} 1 UDP 2114977791 203.0.113.9 ${20_000 + index} typ host`;

describe('descriptions of real peers', () => {
  it.each(recordedDescriptions)('takes the offer and the answer of $peer', recorded => {
    const fromOffer = inspectOffer(recorded.offer, ANY);
    const fromAnswer = inspectAnswer(recorded.answer, ANY);
    expect(fromOffer).toMatchObject({ setup: 'actpass', mid: '0', maxMessageBytes: 262_144 });
    expect(fromAnswer).toMatchObject({ setup: 'active', mid: '0', maxMessageBytes: 262_144 });
    for (const [text, { fingerprint, iceUfrag, icePwd, candidates, dropped }] of [
      [recorded.offer, fromOffer],
      [recorded.answer, fromAnswer],
    ] as const) {
      expect(text).toContain(`a=fingerprint:sha-256 ${fingerprint}\r\n`);
      expect(text).toContain(`a=ice-ufrag:${iceUfrag}\r\n`);
      expect(text).toContain(`a=ice-pwd:${icePwd}\r\n`);
      const all = [...candidates, ...dropped.map(({ candidate }) => candidate)].sort(
        (a, b) => a.line - b.line,
      );
      expect(all.map(candidate => `a=${candidate.text}`)).toEqual(
        text.split('\r\n').filter(line => line.startsWith('a=candidate:')),
      );
      expect(all.map(({ line }) => text.split('\r\n')[line - 1])).toEqual(all.map(one => `a=${one.text}`));
    }
  });

  it('says everything that an offer says', () => {
    expect(inspectOffer(offer, ANY)).toEqual({
      fingerprint: HASH,
      iceUfrag: 'tHoq',
      icePwd: '6E8hnimS6oAJ6KRX3WL0+o',
      setup: 'actpass',
      mid: '0',
      maxMessageBytes: 262_144,
      candidates: [
        {
          line: 18,
          text: 'candidate:2 1 UDP 2116026111 fd00::2 57451 typ host',
          foundation: '2',
          component: 1,
          transport: 'udp',
          priority: 2_116_026_111,
          address: 'fd00::2',
          port: 57_451,
          type: 'host',
        },
        expect.objectContaining({ line: 19, address: '192.0.2.2' }),
      ],
      dropped: [],
      endOfCandidates: true,
    });
  });

  it('drops the tcp candidates of wrtc and the names of Chromium, and takes the rest', () => {
    const wrtc = inspectOffer(recordedOf('@roamhq/wrtc').offer, ANY);
    expect(wrtc.candidates.map(({ transport }) => transport)).toEqual(['udp', 'udp', 'udp', 'udp']);
    expect(wrtc.dropped.map(({ reason }) => reason)).toEqual(Array(4).fill('TRANSPORT'));
    const chromium = inspectOffer(recordedOf('Chromium 156, mDNS').offer, PUBLIC);
    expect(chromium.candidates).toEqual([]);
    expect(chromium.dropped.map(({ reason }) => reason)).toEqual(['NAME', 'NAME']);
  });

  it('knows whether more candidates come', () => {
    expect(inspectOffer(replaced('a=end-of-candidates'), ANY).endOfCandidates).toBe(false);
  });
});

describe('what is taken', () => {
  it.each(['\r\n', '\n'])('takes lines that end with %j', end => {
    expect(inspectOffer(offer.replaceAll('\r\n', end), ANY)).toEqual(inspectOffer(offer, ANY));
  });

  it('takes a description whose last line does not end', () => {
    expect(inspectOffer(offer.trimEnd(), ANY)).toEqual(inspectOffer(offer, ANY));
  });

  it('takes one fingerprint at both levels, in any case, and gives it in capitals', () => {
    const twice = added(`a=fingerprint:SHA-256 ${HASH.toLowerCase()}`);
    expect(inspectOffer(twice, ANY).fingerprint).toBe(HASH);
    const small = replaced('a=fingerprint', `a=fingerprint:sha-256 ${HASH.toLowerCase()}`);
    expect(inspectOffer(small, ANY).fingerprint).toBe(HASH);
  });

  it('takes fingerprints of stronger hashes beside, and gives the one of sha-256', () => {
    const strong = `a=fingerprint:sha-512 ${OTHER_HASH}:${OTHER_HASH}`;
    const more = [strong, strong, `a=fingerprint:SHA-384 ${OTHER_HASH}:${OTHER_HASH.slice(0, 47)}`];
    const text = added(more.join('\r\n'));
    expect(inspectOffer(text, ANY).fingerprint).toBe(HASH);
    expect(withoutOtherFingerprints(text)).toBe(offer);
  });

  it.each(['actpass', 'active', 'passive'] as const)('takes an offer with setup %s', setup => {
    expect(inspectOffer(replaced('a=setup', `a=setup:${setup}`), ANY).setup).toBe(setup);
  });

  it.each(['active', 'passive'] as const)('takes an answer with setup %s', setup => {
    expect(inspectAnswer(answer.replace('a=setup:active', `a=setup:${setup}`), ANY).setup).toBe(setup);
  });

  it('reads credentials and names of digits alone as text', () => {
    const digits = '1234567890123456789012';
    const text = replaced('a=ice-pwd', `a=ice-pwd:${digits}`).replace('a=ice-ufrag:tHoq', 'a=ice-ufrag:0042');
    expect(inspectOffer(text, ANY)).toMatchObject({ iceUfrag: '0042', icePwd: digits, mid: '0' });
  });

  it.each([
    [4, 22],
    [256, 256],
  ])('takes credentials of %d and %d characters', (ufragChars, passwordChars) => {
    const [iceUfrag, icePwd] = ['a/+9'.repeat(64).slice(0, ufragChars), 'Z'.repeat(passwordChars)];
    const text = replaced('a=ice-ufrag', `a=ice-ufrag:${iceUfrag}`);
    expect(inspectOffer(text.replace(/a=ice-pwd:.*/, `a=ice-pwd:${icePwd}`), ANY)).toMatchObject({
      iceUfrag,
      icePwd,
    });
  });

  it('does without a bundle, a port of SCTP and a greatest message', () => {
    expect(inspectOffer(replaced('a=group'), ANY).mid).toBe('0');
    expect(inspectOffer(replaced('a=sctp-port'), ANY).mid).toBe('0');
    expect(inspectOffer(replaced('a=max-message-size'), ANY).maxMessageBytes).toBe(65_536);
    expect(inspectOffer(replaced('a=max-message-size', 'a=max-message-size:0'), ANY).maxMessageBytes).toBe(0);
  });

  it.each([1, 9, 65_535])('takes a section of port %d', port => {
    const text = replaced('m=', `m=application ${port} UDP/DTLS/SCTP webrtc-datachannel`);
    expect(inspectOffer(text, ANY).mid).toBe('0');
  });

  it('takes 30 candidates, 2,000 lines and 65,536 characters', () => {
    const many = added(...Array.from({ length: 28 }, (_, i) => candidateLine(i)));
    expect(inspectOffer(many, ANY).candidates).toHaveLength(30);
    const count = offer.split('\r\n').length - 1;
    expect(inspectOffer(added(...Array(2_000 - count).fill('a=x')), ANY).mid).toBe('0');
    expect(inspectOffer(added(`a=${'x'.repeat(65_536 - offer.length - 4)}`), ANY).mid).toBe('0');
  });
});

describe('what is refused', () => {
  const media = 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel';
  const cases: [string, string, SdpError['reason'], number | undefined][] = [
    ['nothing', '', 'LINE', undefined],
    ['a description that does not begin with v=0', `o=x\r\n${offer}`, 'LINE', 1],
    ['another version', replaced('v=', 'v=1'), 'LINE', 1],
    ['no origin', replaced('o='), 'MISSING', undefined],
    ['no name', replaced('s='), 'MISSING', undefined],
    ['no time', replaced('t='), 'MISSING', undefined],
    ['two origins', replaced('s=', 's=-', 'o=- 1 1 IN IP4 0.0.0.0'), 'REPEATED', 4],
    ['a second v=0', replaced('s=', 's=-', 'v=0'), 'REPEATED', 4],
    ['an empty line', replaced('s=', 's=-', ''), 'LINE', 4],
    ['a line that begins with a space', replaced('s=', 's=-', ' a=setup:active'), 'LINE', 4],
    ['a line of a capital', replaced('s=', 's=-', 'A=setup:active'), 'LINE', 4],
    ['no section', replaced('m='), 'MISSING', undefined],
    ['two sections', added(media), 'SECTION', 21],
    ['a section of sound', replaced('m=', 'm=audio 9 UDP/TLS/RTP/SAVPF 111'), 'SECTION', 9],
    ['a section that is refused by its port', replaced('m=', media.replace(' 9 ', ' 0 ')), 'SECTION', 9],
    ['a port of 65,536', replaced('m=', media.replace(' 9 ', ' 65536 ')), 'SECTION', 9],
    ['a section over TCP', replaced('m=', media.replace('UDP', 'TCP')), 'SECTION', 9],
    ['the old form of a section', replaced('m=', 'm=application 9 DTLS/SCTP 5000'), 'SECTION', 9],
    ['more behind the section', replaced('m=', `${media} 5000`), 'SECTION', 9],
    ['no name of the section', replaced('a=mid'), 'MISSING', undefined],
    ['two names of the section', added('a=mid:1'), 'REPEATED', 21],
    ['a name that is no token', replaced('a=mid', 'a=mid:ä'), 'ATTRIBUTE', 11],
    ['a bundle of others', replaced('a=group', 'a=group:BUNDLE 0 1'), 'BUNDLE', 5],
    ['a bundle of another', replaced('a=group', 'a=group:BUNDLE 1'), 'BUNDLE', 5],
    ['a group of another kind', replaced('a=group', 'a=group:LS 0'), 'BUNDLE', 5],
    ['no fingerprint', replaced('a=fingerprint'), 'MISSING', undefined],
    ['two fingerprints', added(`a=fingerprint:sha-256 ${OTHER_HASH}`), 'FINGERPRINT', 21],
    [
      'a fingerprint of sha-1',
      replaced('a=fingerprint', `a=fingerprint:sha-1 ${HASH.slice(0, 59)}`),
      'FINGERPRINT',
      8,
    ],
    ['one of sha-1 beside', added(`a=fingerprint:sha-1 ${HASH.slice(0, 59)}`), 'FINGERPRINT', 21],
    ['one of sha-224 beside', added(`a=fingerprint:sha-224 ${HASH.slice(0, 83)}`), 'FINGERPRINT', 21],
    ['one of md5 beside', added(`a=fingerprint:md5 ${HASH.slice(0, 47)}`), 'FINGERPRINT', 21],
    ['one of a property of all objects', added(`a=fingerprint:constructor ${HASH}`), 'FINGERPRINT', 21],
    ['32 bytes of sha-512 beside', added(`a=fingerprint:sha-512 ${HASH}`), 'FINGERPRINT', 21],
    [
      'two of sha-512 beside',
      added(`a=fingerprint:sha-512 ${HASH}:${HASH}\r\na=fingerprint:SHA-512 ${HASH}:${OTHER_HASH}`),
      'FINGERPRINT',
      22,
    ],
    [
      'sha-512 alone',
      replaced('a=fingerprint', `a=fingerprint:sha-512 ${HASH}:${HASH}`),
      'MISSING',
      undefined,
    ],
    [
      '31 bytes of sha-256',
      replaced('a=fingerprint', `a=fingerprint:sha-256 ${HASH.slice(3)}`),
      'FINGERPRINT',
      8,
    ],
    ['33 bytes of sha-256', replaced('a=fingerprint', `a=fingerprint:sha-256 ${HASH}:00`), 'FINGERPRINT', 8],
    [
      'more behind the fingerprint',
      replaced('a=fingerprint', `a=fingerprint:sha-256 ${HASH} x`),
      'ATTRIBUTE',
      8,
    ],
    ['a fingerprint without a hash', added('a=fingerprint:sha-256'), 'ATTRIBUTE', 21],
    ['a fingerprint in capitals', added(`a=FINGERPRINT:sha-256 ${OTHER_HASH}`), 'ATTRIBUTE', 21],
    ['a fingerprint behind a space', added(`a= fingerprint:sha-256 ${OTHER_HASH}`), 'ATTRIBUTE', 21],
    ['a fingerprint before a space', added(`a=fingerprint :sha-256 ${OTHER_HASH}`), 'ATTRIBUTE', 21],
    ['no setup', replaced('a=setup'), 'MISSING', undefined],
    ['two setups', added('a=setup:active'), 'REPEATED', 21],
    ['a setup that asks for no connection', replaced('a=setup', 'a=setup:holdconn'), 'SETUP', 15],
    ['more behind the setup', replaced('a=setup', 'a=setup:active;passive'), 'ATTRIBUTE', 15],
    ['no ufrag', replaced('a=ice-ufrag'), 'MISSING', undefined],
    ['two ufrags', added('a=ice-ufrag:abcd'), 'REPEATED', 21],
    ['a ufrag of 3', replaced('a=ice-ufrag', 'a=ice-ufrag:abc'), 'ICE_CREDENTIALS', 16],
    ['a ufrag of 257', replaced('a=ice-ufrag', `a=ice-ufrag:${'a'.repeat(257)}`), 'ICE_CREDENTIALS', 16],
    ['a ufrag of other characters', replaced('a=ice-ufrag', 'a=ice-ufrag:ab-c'), 'ICE_CREDENTIALS', 16],
    [
      'a ufrag with a space of another script',
      replaced('a=ice-ufrag', 'a=ice-ufrag:abcd\u00a0e'),
      'ATTRIBUTE',
      16,
    ],
    ['no password', replaced('a=ice-pwd'), 'MISSING', undefined],
    ['a password of 21', replaced('a=ice-pwd', `a=ice-pwd:${'a'.repeat(21)}`), 'ICE_CREDENTIALS', 17],
    ['a password of 257', replaced('a=ice-pwd', `a=ice-pwd:${'a'.repeat(257)}`), 'ICE_CREDENTIALS', 17],
    ['a port of SCTP of 0', replaced('a=sctp-port', 'a=sctp-port:0'), 'SECTION', 13],
    ['a port of SCTP of 65,536', replaced('a=sctp-port', 'a=sctp-port:65536'), 'SECTION', 13],
    ['a port of SCTP that is none', replaced('a=sctp-port', 'a=sctp-port:x'), 'ATTRIBUTE', 13],
    [
      'a greatest message of 2⁵³',
      replaced('a=max-mess', `a=max-message-size:${2 ** 53}`),
      'MESSAGE_SIZE',
      14,
    ],
    [
      'a greatest message that is no number',
      replaced('a=max-mess', 'a=max-message-size:1e3'),
      'ATTRIBUTE',
      14,
    ],
    ['an end of candidates with a value', added('a=end-of-candidates:1'), 'ATTRIBUTE', 21],
    ['a candidate of the session', replaced('s=', 's=-', candidateLine(1)), 'CANDIDATE', 4],
  ];
  it.each(cases)('refuses %s', (_, text, reason, line) => {
    expect(faultOf(text)).toMatchObject({ name: 'SdpError', reason });
    expect(faultOf(text).line).toBe(line);
  });

  const refusedCandidates: [string, string][] = [
    ['no words', 'a=candidate:'],
    ['no typ', 'a=candidate:1 1 UDP 1 203.0.113.9 5000'],
    ['two spaces', 'a=candidate:1 1 UDP  1 203.0.113.9 5000 typ host'],
    ['another case', 'a=Candidate:1 1 UDP 1 203.0.113.9 5000 typ host'],
    ['a foundation of 33', `a=candidate:${'1'.repeat(33)} 1 UDP 1 203.0.113.9 5000 typ host`],
    ['a foundation of other characters', 'a=candidate:- 1 UDP 1 203.0.113.9 5000 typ host'],
    ['component 0', 'a=candidate:1 0 UDP 1 203.0.113.9 5000 typ host'],
    ['component 257', 'a=candidate:1 257 UDP 1 203.0.113.9 5000 typ host'],
    ['a priority of 2³²', 'a=candidate:1 1 UDP 4294967296 203.0.113.9 5000 typ host'],
    ['port 65,536', 'a=candidate:1 1 UDP 1 203.0.113.9 65536 typ host'],
    ['a port with a zero before', 'a=candidate:1 1 UDP 1 203.0.113.9 05000 typ host'],
    ['a transport that is no token', 'a=candidate:1 1 ü 1 203.0.113.9 5000 typ host'],
    ['an address of other characters', 'a=candidate:1 1 UDP 1 http://x 5000 typ host'],
    ['a name of 254', `a=candidate:1 1 UDP 1 ${'a'.repeat(254)} 5000 typ host`],
    ['a type that is no token', 'a=candidate:1 1 UDP 1 203.0.113.9 5000 typ h{st'],
    ['an extension without its value', 'a=candidate:1 1 UDP 1 203.0.113.9 5000 typ host generation'],
    ['a space at the end', 'a=candidate:1 1 UDP 1 203.0.113.9 5000 typ host '],
    ['1,025 characters', `a=candidate:1 1 UDP 1 203.0.113.9 5000 typ host x ${'y'.repeat(1_025 - 50)}`],
  ];
  it.each(refusedCandidates)('refuses a candidate with %s', (_, line) => {
    expect(faultOf(added(line))).toMatchObject({
      reason: 'CANDIDATE',
      line: 21,
      lineText: line.slice(0, 120),
    });
  });

  it('takes the same candidate where all of it is within bounds', () => {
    const line = `a=candidate:${'1'.repeat(32)} 256 x-9 4294967295 ${'a'.repeat(253)} 65535 typ other`;
    const longest = `${line} x ${'y'.repeat(1_024 - line.length - 3)}`;
    expect(longest).toHaveLength(1_024);
    expect(inspectOffer(added(longest), ANY).dropped).toHaveLength(1);
    expect(
      inspectOffer(
        added('a=candidate:1 1 udp 0 203.0.113.9 5000 typ host', 'a=candidate:1 1 udp 0 x 5000 typ host'),
        ANY,
      ).candidates,
    ).toHaveLength(3);
  });

  it('refuses an answer that leaves its side open', () => {
    expect(faultOf(offer, ANY, inspectAnswer)).toMatchObject({
      reason: 'SETUP',
      line: 15,
      bound: 'active, passive',
    });
  });

  it('refuses 31 candidates, 2,001 lines, and one character or byte more than 65,536, with the bound', () => {
    const many = added(...Array.from({ length: 29 }, (_, i) => candidateLine(i)));
    expect(faultOf(many)).toMatchObject({ reason: 'TOO_MANY_CANDIDATES', line: 49, bound: 30, value: 31 });
    const lines = offer + 'a=x\r\n'.repeat(1_981);
    expect(faultOf(lines)).toMatchObject({ reason: 'TOO_MANY_LINES', bound: 2_000, value: 2_001 });
    const long = added(`a=${'x'.repeat(65_536 - offer.length - 3)}`);
    expect(faultOf(long)).toMatchObject({ reason: 'TOO_LONG', bound: 65_536, value: 65_537 });
    const wide = added(`a=${'é'.repeat(40_000)}`);
    expect(faultOf(wide)).toMatchObject({ reason: 'TOO_LONG', bound: 65_536, value: 80_004 + offer.length });
  });

  it.each(['\0', '\t', '\x0b', '\x1b', '\x7f', '\x85', '\u2028', '\u2029', '\ud800', '\udc00'])(
    'refuses the character %j with its line, which it shows without it',
    character => {
      const fault = faultOf(replaced('s=', `s=a${character}b`));
      expect(fault).toMatchObject({ reason: 'CHARACTER', line: 3, lineText: 's=a\u{fffd}b' });
      expect(fault.value).toBe(`U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
    },
  );

  it('refuses a CR alone: what stands behind it is a line for some readers only', () => {
    const hidden = replaced('s=', `s=-\ra=fingerprint:sha-256 ${OTHER_HASH}`);
    expect(faultOf(hidden)).toMatchObject({ reason: 'LINE_END', line: 3, lineText: 's=-' });
    const throughout = offer.replaceAll('\r\n', '\r');
    expect(faultOf(throughout)).toMatchObject({ reason: 'LINE_END', line: 1, lineText: 'v=0' });
  });

  it('names the line in its message, shows no more than 120 characters of it, and no password', () => {
    const long = faultOf(replaced('s=', `s=\x01${'x'.repeat(500)}`));
    expect(long.lineText).toHaveLength(120);
    expect(long.message).toMatch(/^line 3: /);
    const password = faultOf(replaced('a=ice-pwd', 'a=ice-pwd:secret'));
    expect(password.message).toMatch(/^line 17: /);
    expect(password.lineText).toBe('a=ice-pwd:…');
    expect(JSON.stringify(password)).not.toContain('secret');
  });
});

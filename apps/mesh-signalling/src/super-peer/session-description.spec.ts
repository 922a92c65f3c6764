import fc from 'fast-check';
import { type Advertised, completeAnswer, withoutCandidates } from './session-description.js';

const RUNS = Number(process.env.FUZZ_RUNS ?? 200);
const PRIVATE = 'candidate:1 1 UDP 2114977791 10.0.0.2 45592 typ host';
const PUBLIC = 'candidate:2 1 UDP 2116026111 2a00:1450:4001::1 45592 typ host';
const ADVERTISED: Advertised = { port: 45_592, candidates: 'any', messageBytesMax: 262_144 };

const answerWith = (...candidates: string[]) =>
  [
    ...['v=0', 'o=rtc 1 0 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=fingerprint:sha-256 AA:BB'],
    ...['m=application 45592 UDP/DTLS/SCTP webrtc-datachannel', 'c=IN IP4 10.0.0.2', 'a=mid:data'],
    ...['a=sctp-port:5000', 'a=max-message-size:262145', 'a=setup:active'],
    ...[...candidates.map(each => `a=${each}`), 'a=end-of-candidates', ''],
  ].join('\r\n');

describe('an offer without its candidates', () => {
  it('is the same in everything else, and says which they were and where they belong', () => {
    const offer = answerWith(PRIVATE, PUBLIC);
    const bare = answerWith().replace('a=end-of-candidates\r\n', '');
    expect(withoutCandidates(offer)).toEqual({ sdp: bare, candidates: [PRIVATE, PUBLIC], mid: 'data' });
    expect(withoutCandidates(offer.replaceAll('\r\n', '\n'))).toEqual({
      ...{ sdp: bare, candidates: [PRIVATE, PUBLIC], mid: 'data' },
    });
  });

  it('names no candidate whatever was in it', () => {
    const line = fc.oneof(
      fc.constantFrom(`a=${PRIVATE}`, `a=${PUBLIC}`, 'a=end-of-candidates', 'a=mid:0', 'a=candidate:', 'v=0'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const { sdp, candidates } = withoutCandidates(lines.join(end));
        expect(sdp).not.toMatch(/^a=candidate:/m);
        expect(candidates.length).toBe(
          lines
            .join(end)
            .split(/\r?\n/)
            .filter(each => each.startsWith('a=candidate:')).length,
        );
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the answer of a replica', () => {
  it('says what the library found, and the true bound of a message', () => {
    const completed = completeAnswer(answerWith(PUBLIC, PRIVATE), ADVERTISED);
    expect(completed.candidates).toEqual([PUBLIC, PRIVATE]);
    expect(completed.sdpAnswer).toBe(
      answerWith(PUBLIC, PRIVATE)
        .replace('262145', '262144')
        .replace('c=IN IP4 10.0.0.2', 'c=IN IP6 2a00:1450:4001::1'),
    );
  });

  it('names the public address first, and with it private ones only where those may be used', () => {
    const publicAddress = '203.0.113.9';
    const own = 'candidate:0 1 UDP 2130706431 203.0.113.9 45592 typ host';
    const answer = answerWith(PRIVATE, PUBLIC);
    const open = completeAnswer(answer, { ...ADVERTISED, publicAddress });
    expect(open.candidates).toEqual([own, PRIVATE, PUBLIC]);
    const closed = completeAnswer(answer, { ...ADVERTISED, publicAddress, candidates: 'public' });
    expect(closed.candidates).toEqual([own, PUBLIC]);
    expect(closed.sdpAnswer).not.toContain('10.0.0.2');
    expect(closed.sdpAnswer).toContain('c=IN IP4 203.0.113.9\r\n');
    expect(closed.sdpAnswer).toContain(
      `a=setup:active\r\na=${own}\r\na=${PUBLIC}\r\na=end-of-candidates\r\n`,
    );
  });

  it('names no address twice', () => {
    const publicAddress = '2a00:1450:4001::1';
    const { candidates } = completeAnswer(answerWith(PUBLIC), { ...ADVERTISED, publicAddress });
    expect(candidates).toEqual([`candidate:0 1 UDP 2130706431 ${publicAddress} 45592 typ host`]);
  });

  it('is reached on this machine where there is no network, and nowhere where that does not count', () => {
    const open = completeAnswer(answerWith(), ADVERTISED);
    expect(open.candidates).toEqual(['candidate:0 1 UDP 2130706431 127.0.0.1 45592 typ host']);
    const closed = completeAnswer(answerWith(), { ...ADVERTISED, candidates: 'public' });
    expect(closed.candidates).toEqual([]);
    expect(closed.sdpAnswer).toContain(
      'm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\n',
    );
  });
});

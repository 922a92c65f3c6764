import { recordedDescriptions } from '../testing/node/recorded-descriptions.js';
import { inspectOffer } from './inspect-description.js';
import { inspectFragment } from './inspect-fragment.js';
import { SdpError } from './sdp-error.js';

const ANY = { candidates: 'any' } as const;
const PUBLIC = { candidates: 'public' } as const;
const HEAD = ['a=ice-ufrag:EsAw', 'a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1'];
const SECTION = ['m=audio 9 RTP/AVP 0', 'a=mid:0'];
const textOf = (...lines: string[]) => lines.map(line => `${line}\r\n`).join('');
const candidateLine = (index: number) =>
  `a=candidate:${index} 1 udp 1 8.8.8.8 ${5_000 + index} typ host ufrag EsAw`;

function faultOf(text: string): SdpError {
  try {
    inspectFragment(text, ANY);
  } catch (error) {
    expect(error).toBeInstanceOf(SdpError);
    return error as SdpError;
  }
  throw new Error('was taken');
}

describe('inspectFragment', () => {
  it.each(recordedDescriptions.filter(({ fragment }) => fragment))(
    'reads of $peer what its offer says when it is complete',
    ({ offer, fragment }) => {
      const complete = inspectOffer(offer, ANY);
      const { iceUfrag, icePwd, mid, candidates, dropped, endOfCandidates } = inspectFragment(fragment!, ANY);
      expect({ iceUfrag, icePwd, mid }).toEqual({
        iceUfrag: complete.iceUfrag,
        icePwd: complete.icePwd,
        mid: '0',
      });
      const addressesOf = (all: typeof candidates) => all.map(({ address, port }) => `${address} ${port}`);
      expect(addressesOf(candidates)).toEqual(addressesOf(complete.candidates));
      expect(dropped).toHaveLength(complete.dropped.length);
      expect(endOfCandidates).toBe(true);
    },
  );

  it('reads a fragment as RFC 8840 has it, and one without a section', () => {
    const text = textOf(...HEAD, ...SECTION, candidateLine(1));
    expect(inspectFragment(text, PUBLIC)).toMatchObject({
      iceUfrag: 'EsAw',
      mid: '0',
      endOfCandidates: false,
    });
    const { mid, candidates } = inspectFragment(textOf(...HEAD, candidateLine(1)), PUBLIC);
    expect({ mid, line: candidates[0].line }).toEqual({ mid: undefined, line: 3 });
  });

  it('takes credentials in the section, and the end alone', () => {
    const text = textOf(...SECTION, ...HEAD, 'a=end-of-candidates');
    expect(inspectFragment(text, PUBLIC)).toEqual({
      iceUfrag: 'EsAw',
      icePwd: 'P2uYro0UCOQ4zxjKXaWCBui1',
      mid: '0',
      candidates: [],
      dropped: [],
      endOfCandidates: true,
    });
  });

  it('drops private addresses and refuses none: more may come', () => {
    const { candidates, dropped } = inspectFragment(
      textOf(...HEAD, 'a=candidate:1 1 udp 1 10.0.0.1 5000 typ host'),
      PUBLIC,
    );
    expect(candidates).toEqual([]);
    expect(dropped.map(({ reason }) => reason)).toEqual(['ADDRESS']);
  });

  it.each([
    ['no ufrag', textOf(HEAD[1]), 'MISSING', undefined],
    ['no password', textOf(HEAD[0]), 'MISSING', undefined],
    ['two ufrags', textOf(...HEAD, 'a=ice-ufrag:abcd'), 'REPEATED', 3],
    ['two sections', textOf(...HEAD, ...SECTION, ...SECTION), 'SECTION', 5],
    ['a line of a whole description', textOf('v=0', ...HEAD), 'LINE', 1],
    [
      '31 candidates',
      textOf(...HEAD, ...Array.from({ length: 31 }, (_, i) => candidateLine(i))),
      'TOO_MANY_CANDIDATES',
      33,
    ],
    ['a candidate that is none', textOf(...HEAD, 'a=candidate:1'), 'CANDIDATE', 3],
    ['2,001 lines', 'a=x\n'.repeat(2_001), 'TOO_MANY_LINES', undefined],
    ['65,537 characters', 'a'.repeat(65_537), 'TOO_LONG', undefined],
    ['nothing', '', 'MISSING', undefined],
  ] as const)('refuses %s', (_, text, reason, line) => {
    expect(faultOf(text)).toMatchObject({ reason });
    expect(faultOf(text).line).toBe(line);
  });
});

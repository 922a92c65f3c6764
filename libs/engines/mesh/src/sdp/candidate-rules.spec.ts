import { recordedOf } from '../testing/node/recorded-descriptions.js';
import { inspectOffer } from './inspect-description.js';
import { SdpError } from './sdp-error.js';

const bare = recordedOf('Chromium 156, before gathering').offer;
const lineCount = bare.split('\r\n').length - 1;

const candidateOf = ({
  address = '8.8.8.8',
  port = 50_000,
  transport = 'udp',
  component = 1,
  type = 'host',
}) => `a=candidate:1 ${component} ${transport} 2113937151 ${address} ${port} typ ${type}`;
const offerOf = (...candidates: Parameters<typeof candidateOf>[0][]) =>
  bare + candidates.map(candidate => `${candidateOf(candidate)}\r\n`).join('');

/** A public candidate stands beside, so that the offer is taken. */
function reasonOf(candidate: Parameters<typeof candidateOf>[0], candidates: 'any' | 'public' = 'public') {
  const { dropped, candidates: kept } = inspectOffer(offerOf(candidate, {}), { candidates });
  expect(kept.length + dropped.length).toBe(2);
  expect(dropped.every(({ detail }) => detail.length > 10)).toBe(true);
  return dropped[0]?.reason;
}

const NOT_PUBLIC = [
  ['this network', '0.1.2.3'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.255'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['link-local', '169.254.169.254'],
  ['CGNAT', '100.64.0.1'],
  ['reserved', '192.0.2.2'],
  ['reserved', '198.18.0.1'],
  ['reserved', '240.0.0.1'],
  ['host of a virtual machine', '168.63.129.16'],
  ['loopback', '::1'],
  ['loopback', '0:0:0:0:0:0:0:1'],
  ['link-local', 'fe80::1'],
  ['unique local', 'fd00::2'],
  ['site-local', 'fec0::1'],
  ['IPv4-mapped', '::ffff:8.8.8.8'],
  ['IPv4-mapped', '::ffff:7f00:1'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64 of a network', '64:ff9b:1::1'],
  ['6to4', '2002:7f00:1::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['documentation', '2001:db8::1'],
] as const;
const NO_ONES = ['0.0.0.0', '255.255.255.255', '224.0.0.251', '::', 'ff02::fb'] as const;
const PUBLIC = [
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '3000::1',
] as const;
const NAMES = [
  '6db3d6bc-b229-4ca7-b6b9-dd2db1e6cb60.local',
  'localhost',
  'example.org',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '08.8.8.8',
  'fe80::1%eth0',
  '2606::1%1',
] as const;

describe('addresses', () => {
  it.each(NOT_PUBLIC)(
    'drops %s %s where addresses must be public, and takes it where any may be',
    (_, address) => {
      expect(reasonOf({ address })).toBe('ADDRESS');
      if (address !== '0.1.2.3') expect(reasonOf({ address }, 'any')).toBeUndefined();
    },
  );

  it.each(NO_ONES)('drops %s always: no single peer has it', address => {
    expect(reasonOf({ address })).toBe('ADDRESS');
    expect(reasonOf({ address }, 'any')).toBe('ADDRESS');
  });

  it.each(PUBLIC)('takes %s', address => {
    expect(reasonOf({ address })).toBeUndefined();
  });

  it.each(NAMES)(
    'drops %s always: a name is not resolved, and no other spelling of an address is one',
    address => {
      expect(reasonOf({ address })).toBe('NAME');
      expect(reasonOf({ address }, 'any')).toBe('NAME');
    },
  );

  it('does not look at where a candidate was learned', () => {
    const learned = `${candidateOf({ type: 'srflx' })} raddr 192.168.1.1 rport 5`;
    const { candidates } = inspectOffer(`${bare}${learned}\r\n`, { candidates: 'public' });
    expect(candidates).toHaveLength(1);
  });
});

describe('what else makes a candidate unusable', () => {
  it.each(['host', 'srflx', 'prflx', 'relay'])('takes type %s', type => {
    expect(reasonOf({ type })).toBeUndefined();
  });
  it.each(['UDP', 'Udp'])('takes transport %s', transport => {
    expect(reasonOf({ transport })).toBeUndefined();
  });
  it.each([
    ['TYPE', { type: 'other' }],
    ['TRANSPORT', { transport: 'tcp' }],
    ['TRANSPORT', { transport: 'TCP' }],
    ['COMPONENT', { component: 2 }],
    ['PORT', { port: 0 }],
    ['PORT', { port: 53 }],
    ['PORT', { port: 1_023 }],
  ])('drops for its %s %j', (reason, candidate) => {
    expect(reasonOf(candidate)).toBe(reason);
    expect(reasonOf(candidate, 'any')).toBe(reason);
  });
  it('takes port 1,024', () => {
    expect(reasonOf({ port: 1_024 })).toBeUndefined();
  });
});

describe('an offer with private addresses alone', () => {
  const refuse = (...candidates: Parameters<typeof candidateOf>[0][]) => {
    try {
      inspectOffer(offerOf(...candidates), { candidates: 'public' });
    } catch (error) {
      return error as SdpError;
    }
    return undefined;
  };

  it('is refused where addresses must be public, by the first line that has one', () => {
    const fault = refuse({ address: 'peer.local' }, { address: '10.0.0.7' }, { address: '::1' });
    expect(fault).toBeInstanceOf(SdpError);
    expect(fault).toMatchObject({ reason: 'NO_PUBLIC_CANDIDATE', line: lineCount + 2, value: '10.0.0.7' });
    expect(fault!.lineText).toBe(candidateOf({ address: '10.0.0.7' }));
    expect(fault!.message).toContain('private');
  });

  it('is refused where they are of tcp', () => {
    expect(refuse({ address: '10.0.0.7', transport: 'tcp' })).toBeDefined();
  });

  it('is taken where any address may be', () => {
    expect(inspectOffer(offerOf({ address: '10.0.0.7' }), { candidates: 'any' }).candidates).toHaveLength(1);
  });

  it('is another one than an offer without candidates, with names alone, or with one public address', () => {
    expect(refuse()).toBeUndefined();
    expect(refuse({ address: 'peer.local' })).toBeUndefined();
    expect(refuse({ address: '10.0.0.7' }, { address: '8.8.4.4' })).toBeUndefined();
    expect(refuse({ address: '10.0.0.7' }, { address: '8.8.4.4', port: 53 })).toBeUndefined();
  });
});

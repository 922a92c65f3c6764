import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addressFault, outgoingUrlFault } from './outgoing-address.js';

const PUBLIC = { allowLoopback: false };
const SANDBOX = { allowLoopback: true };

/** IANA, IPv4 and IPv6 Special-Purpose Address Registries, and multicast: all that is not the public network. */
const FORBIDDEN = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
  ...['::/128', '::1/128', '::ffff:0:0/96', '::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64'],
  ...['2001::/32', '2001:2::/48', '2001:10::/28', '2001:20::/28', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ...['5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8', '4000::/2', '8000::/1'],
];

interface Block {
  readonly base: bigint;
  readonly bits: number;
  readonly prefix: number;
}

const BLOCKS = FORBIDDEN.map(blockOf);
const v4Text = (value: bigint) => [24n, 16n, 8n, 0n].map(shift => (value >> shift) & 255n).join('.');
const v6Text = (value: bigint) =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(
    ':',
  );
const textOf = (value: bigint, bits: number) => (bits === 32 ? v4Text(value) : v6Text(value));

const within = ({ base, bits, prefix }: Block): fc.Arbitrary<string> =>
  fc.bigInt(0n, (1n << BigInt(bits - prefix)) - 1n).map(offset => textOf(base + offset, bits));

const isForbidden = (value: bigint, bits: number) =>
  BLOCKS.some(block => {
    const shift = BigInt(bits - block.prefix);
    return block.bits === bits && value >> shift === block.base >> shift;
  });

describe('addresses that may be called', () => {
  test.each(BLOCKS.map((block, index) => [FORBIDDEN[index], block] as const))(
    'no address of %s is called',
    (_name, block) => {
      fc.assert(
        fc.property(within(block), address => expect(addressFault(address, PUBLIC)).toBeDefined()),
        { numRuns: 50 },
      );
    },
  );

  test('an IPv4 address outside of every special block is called', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 32n) - 1n), value => {
        fc.pre(!isForbidden(value, 32));
        const text = v4Text(value);
        // Anycast services of the routing itself, which nobody calls: refused beyond the table.
        fc.pre(!/^192\.(31\.196|52\.193|175\.48)\./.test(text));
        expect(addressFault(text, PUBLIC)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('IPv6 addresses of those that serve the public are called', () => {
    for (const address of ['2606:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888', '2400:cb00::1'])
      expect(addressFault(address, PUBLIC)).toBeUndefined();
  });

  test('an IPv4 address within an IPv6 one is never called, whichever it is', () => {
    const form = fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:');
    fc.assert(
      fc.property(form, fc.ipV4(), (prefix, v4) =>
        expect(addressFault(`${prefix}${v4}`, SANDBOX)).toBeDefined(),
      ),
    );
  });

  test('a sandbox may call this machine, and nothing else that is private', () => {
    expect(addressFault('127.0.0.1', SANDBOX)).toBeUndefined();
    expect(addressFault('::1', SANDBOX)).toBeUndefined();
    for (const address of ['10.0.0.1', '169.254.169.254', 'fe80::1', '::ffff:127.0.0.1', 'fd00::1'])
      expect(addressFault(address, SANDBOX)).toBeDefined();
  });
});

describe('URLs that may be called', () => {
  const refused = [
    ['http://example.com/', 'must begin with https://'],
    ['ftp://example.com/', 'must begin with https://'],
    ['https://user:secret@example.com/', 'must not hold a user or a password'],
    ['https://example.com/#part', 'must not hold a fragment'],
    ['https://example.com:22/', 'port 22 is not called: 443 and 8443 are'],
    ['https://localhost/', 'localhost is no public name'],
    ['https://metadata.google.internal/', 'metadata.google.internal is no public name'],
    ['https://printer/', 'printer is no public name'],
    ['https://a.localhost./', 'a.localhost. is no public name'],
    ['https://127.0.0.1/', '127.0.0.1 is an address of this machine'],
    ['https://0x7f.1/', '127.0.0.1 is an address of this machine'],
    ['https://2130706433/', '127.0.0.1 is an address of this machine'],
    ['https://017700000001/', '127.0.0.1 is an address of this machine'],
    ['https://[::ffff:7f00:1]/', '::ffff:7f00:1 is no public address (ipv4Mapped)'],
    ['https://[::1]/', '::1 is an address of this machine'],
    ['https://169.254.169.254/latest', '169.254.169.254 is no public address (linkLocal)'],
    ['not a url', 'is no URL'],
  ];
  test.each(refused)('%s is not: %s', (url, why) => {
    expect(outgoingUrlFault(url, PUBLIC)).toBe(why);
  });

  test('public names and addresses are, on the ports of https', () => {
    for (const url of ['https://example.com/a?b=c', 'https://example.com:8443/', 'https://8.8.8.8/'])
      expect(outgoingUrlFault(url, PUBLIC)).toBeUndefined();
  });

  test('a sandbox may call this machine on any port, by https all the same', () => {
    expect(outgoingUrlFault('https://127.0.0.1:9999/', SANDBOX)).toBeUndefined();
    expect(outgoingUrlFault('https://localhost:9999/', SANDBOX)).toBeUndefined();
    expect(outgoingUrlFault('http://127.0.0.1:9999/', SANDBOX)).toBe('must begin with https://');
    expect(outgoingUrlFault('https://10.0.0.1/', SANDBOX)).toBeDefined();
  });
});

function blockOf(cidr: string): Block {
  const [text, prefix] = cidr.split('/');
  if (!text.includes(':')) {
    const base = text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
    return { base, bits: 32, prefix: Number(prefix) };
  }
  const [head, tail = ''] = text.split('::');
  const parts = (side: string) => (side === '' ? [] : side.split(':'));
  const missing = 8 - parts(head).length - parts(tail).length;
  const words = [...parts(head), ...Array<string>(missing).fill('0'), ...parts(tail)];
  const base = words.reduce((value, word) => (value << 16n) | BigInt(`0x${word}`), 0n);
  return { base, bits: 128, prefix: Number(prefix) };
}

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { IncomingMessage } from 'node:http';
import { ANY_ADDRESS, networkOf, ProxyNetworkError, TrustedProxies } from './client-address.js';

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '::1', '2001:db8:ffff::/48']);

  test.each([
    ['198.51.100.7', '192.0.2.1', '198.51.100.7'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '192.0.2.1', '192.0.2.1'],
    ['::ffff:10.1.2.3', '192.0.2.1', '192.0.2.1'],
    ['10.1.2.3', '192.0.2.66, 192.0.2.1', '192.0.2.1'],
    ['10.1.2.3', '192.0.2.1, 10.9.9.9, 2001:db8:ffff::5', '192.0.2.1'],
    ['10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['10.1.2.3', '192.0.2.1, unknown', '10.1.2.3'],
    ['10.1.2.3', 'unknown, 192.0.2.1', '192.0.2.1'],
    ['10.1.2.3', '192.0.2.1:4711', '192.0.2.1'],
    ['10.1.2.3', '[2001:db8::1]:4711', '2001:db8::1'],
    ['::1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['10.1.2.3', '0x7f.1', '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    [undefined, '192.0.2.1', ANY_ADDRESS],
  ])('of %s, forwarded for %s, is %s', (remote, forwarded, client) => {
    expect(proxies.clientOf(request(remote, forwarded))).toBe(client);
  });

  test('is that of the connection whatever is forwarded, where nobody is trusted', () => {
    const nobody = new TrustedProxies([]);
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (forwarded, remote) => {
        expect(nobody.clientOf(request(remote, forwarded))).toBe(remote);
      }),
    );
  });

  test('is an address, short enough to be counted by, for any header of a trusted proxy', () => {
    const hops = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 40 });
    fc.assert(
      fc.property(hops, list => {
        const network = networkOf(proxies.clientOf(request('10.0.0.1', list.join(','))));
        expect(network).toMatch(/^([0-9.]{7,15}|[0-9a-f:]{2,39}\/64)$/);
      }),
      { numRuns: 500 },
    );
  });
});

test('all of a /64 is one caller, and its neighbour another', () => {
  expect(networkOf('2001:db8:1:2:ffff::1')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:3::9')).toBe('2001:db8:1:3::/64');
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
});

test.each([
  '0.0.0.0/0',
  '::/0',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0/8',
  'proxy.example',
  '10.0.0.0/8/8',
  '1',
])('no proxy is trusted by %s', network => {
  expect(() => new TrustedProxies([network])).toThrow(ProxyNetworkError);
});

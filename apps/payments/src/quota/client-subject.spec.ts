import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressSubject, networkOf } from './client-subject.js';

const KEY = new Uint8Array(32).fill(7);

describe('the subject of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1::', '2001:db8:0:1::/64'],
    ['2001:db8:0:1::/64', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ])('of %s is that of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
    expect(addressSubject(KEY, address)).toMatch(/^address:[0-9a-f]{64}$/);
  });

  it('is one for a whole /64, another beyond it, and says nothing of the address without the key', () => {
    fc.assert(
      fc.property(
        fc.ipV6(),
        fc.array(fc.nat({ max: 0xffff }), { minLength: 4, maxLength: 4 }),
        (address, tail) => {
          const network = networkOf(address);
          if (!network.endsWith('/64')) return;
          const inside = `${network.slice(0, -'::/64'.length)}:${tail.map(group => group.toString(16)).join(':')}`;
          if (networkOf(inside).endsWith('/64'))
            expect(addressSubject(KEY, inside)).toBe(addressSubject(KEY, address));
        },
      ),
    );
    expect(addressSubject(KEY, '2001:db8:0:1::1')).not.toBe(addressSubject(KEY, '2001:db8:0:2::1'));
    expect(
      addressSubject(
        KEY.map(byte => byte + 1),
        '10.0.0.1',
      ),
    ).not.toBe(addressSubject(KEY, '10.0.0.1'));
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.4.5', '2001:db8::1::2', '10.0.0.1:80', '12345::', '0x7f.1'])(
    'is refused for %j, which is no address',
    address => {
      expect(() => networkOf(address)).toThrow('address: is no IP address');
    },
  );
});

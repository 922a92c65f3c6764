import { problem } from '@svc/platform';
import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';

const GROUPS = 8;
/** Groups of an IPv6 address that name a customer's network: /64. */
const NETWORK_GROUPS = 4;

/**
 * What an address is counted under: `address:<HMAC-SHA256 in hex>`, so that no address is kept. An IPv6 address is
 * counted as its /64, which is what one customer gets; an IPv4 address in IPv6 dress as the IPv4 address.
 * @throws ProblemError VALIDATION_FAILED for what is no address
 */
export function addressSubject(key: Uint8Array, address: string): string {
  return `address:${createHmac('sha256', key).update(networkOf(address)).digest('hex')}`;
}

/** `203.0.113.7`, or `2001:db8:0:1::/64`, of an address or such a network. */
export function networkOf(address: string): string {
  const bare = address.replace(/%[^/]*/, '').replace(/\/64$/, '');
  const version = isIP(bare);
  if (version === 4) return bare;
  if (version !== 6) throw problem('VALIDATION_FAILED', 'address: is no IP address');
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].join('.');
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map(group => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of an IPv6 address that was checked to be one. */
function groupsOf(address: string): number[] {
  const numbers = (text: string) =>
    text === ''
      ? []
      : text.split(':').flatMap(part => (part.includes('.') ? dotted(part) : [parseInt(part, 16)]));
  const [head, tail] = address.split('::');
  const before = numbers(head);
  if (tail === undefined) return before;
  const after = numbers(tail);
  return [...before, ...Array<number>(GROUPS - before.length - after.length).fill(0), ...after];
}

function dotted(part: string): number[] {
  const [a, b, c, d] = part.split('.').map(Number);
  return [(a << 8) | b, (c << 8) | d];
}

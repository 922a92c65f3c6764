import ipaddr from 'ipaddr.js';

/** All that is handed out of IPv6 for the public network (RFC 4291; IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** Public by their numbers, yet answered by the host of a virtual machine: Azure's WireServer. */
const HOST_SERVICES: readonly string[] = ['168.63.129.16'];
/** Nothing that one peer alone could be reached at. */
const OF_NO_ONE: readonly string[] = ['unspecified', 'multicast', 'broadcast'];

/**
 * The address that a text is, or undefined where it is a name or a form that a resolver would have to make sense of: `127.1`,
 * `2130706433`, `0x7f000001`, an address with a zone.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes('%') && text.includes(':') && ipaddr.IPv6.isValid(text)) return ipaddr.IPv6.parse(text);
  return undefined;
}

/**
 * Why an address is not public, or undefined. Only public unicast is: nothing private, of this machine or link, shared
 * (CGNAT), multicast, reserved, or that carries an IPv4 address within (mapped, NAT64, 6to4, Teredo), for that may be any
 * of those.
 */
export function publicAddressFault(address: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  const range = address.range();
  if (range !== 'unicast') return `${address} is no public address (${range})`;
  const isPublic = address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
  if (!isPublic || HOST_SERVICES.includes(address.toString())) return `${address} is no public address`;
  return undefined;
}

/** Why an address is not one of a single peer, on whichever network, or undefined. */
export function unicastAddressFault(address: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  const range = address.range();
  return OF_NO_ONE.includes(range) ? `${address} is no address of one peer (${range})` : undefined;
}

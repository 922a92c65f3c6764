import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

/** Where calls may go that somebody outside asked for. */
export interface OutgoingRules {
  /** Lets addresses of this machine be called, on any port: for a sandbox, never in production. */
  readonly allowLoopback: boolean;
}

/** Ports of addresses beyond this machine: where other protocols live, a call could be taken for one of theirs. */
export const OUTGOING_PORTS: readonly number[] = [443, 8_443];

/** All that is handed out of IPv6 for the public network (RFC 4291; IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** Public by their numbers, yet answered by the host of a virtual machine: Azure's WireServer. */
const HOST_SERVICES: readonly string[] = ['168.63.129.16'];
/** Names that no public resolver answers (RFC 6761, RFC 8375, RFC 6762, and the reserved `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|lan|intranet|corp|home)$/;

/**
 * Why an address may not be called, or undefined. Only public unicast may: nothing private, of this machine or link,
 * shared (CGNAT), multicast, reserved, or that carries an IPv4 address within (mapped, NAT64, 6to4, Teredo), for that
 * may be any of those.
 */
export function addressFault(address: string, { allowLoopback }: OutgoingRules): string | undefined {
  // Forms that resolvers do not give, such as `127.1` and scoped addresses, are no addresses here.
  if (isIP(address) === 0 || address.includes('%')) return 'is no IP address';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback ? undefined : 'is an address of this machine';
  if (range !== 'unicast') return `is no public address (${range})`;
  const isPublic = parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
  if (!isPublic || HOST_SERVICES.includes(address)) return 'is no public address';
  return undefined;
}

/** Why a URL may not be called, as far as it can be said without asking for its name; undefined where it may be. */
export function outgoingUrlFault(text: string, rules: OutgoingRules): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'is no URL';
  }
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password';
  if (url.hash !== '') return 'must not hold a fragment';
  const host = hostOf(url);
  const isName = isIP(host) === 0;
  const isLoopback = host === 'localhost' || (!isName && isLoopbackAddress(host));
  if (isLoopback && rules.allowLoopback) return undefined;
  const fault = isName ? nameFault(host) : addressFault(host, rules);
  if (fault !== undefined) return `${host} ${fault}`;
  // A name may be one of this machine's.
  return isName && rules.allowLoopback ? undefined : portFault(url);
}

/** The host of a URL as resolvers and sockets know it. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function nameFault(host: string): string | undefined {
  const name = host.replace(/\.$/, '');
  if (!name.includes('.') || LOCAL_NAME.test(name)) return 'is no public name';
  return undefined;
}

/** Why the port of a URL is not called beyond this machine. */
export function portFault({ port }: URL): string | undefined {
  if (port === '' || OUTGOING_PORTS.includes(Number(port))) return undefined;
  return `port ${port} is not called: ${OUTGOING_PORTS.join(' and ')} are`;
}

/** Whether an address is this machine's own. */
export const isLoopbackAddress = (host: string) =>
  isIP(host) !== 0 && ipaddr.parse(host).range() === 'loopback';

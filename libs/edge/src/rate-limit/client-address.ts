import ipaddr from 'ipaddr.js';
import type { IncomingMessage } from 'node:http';

/** Stands for callers whose address is not known. */
export const ANY_ADDRESS = 'unknown';
/** Addresses of one `X-Forwarded-For` that are looked at, from its end. */
const HOPS_MAX = 16;
/** Parts of an IPv6 address that make up its /64. */
const NETWORK_PARTS = 4;

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** A network that cannot be trusted: no CIDR, or the whole internet. */
export class ProxyNetworkError extends Error {
  constructor(
    readonly network: string,
    reason: string,
  ) {
    super(`${JSON.stringify(network.slice(0, 80))} ${reason}`);
    this.name = 'ProxyNetworkError';
  }
}

/** The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. Everybody else may write what they like. */
export class TrustedProxies {
  private readonly networks: readonly Network[];

  /**
   * @param networks addresses or CIDRs
   * @param areKnown whether somebody said which they are, that there are none perhaps
   * @throws {ProxyNetworkError}
   */
  constructor(
    networks: readonly string[],
    readonly areKnown = networks.length > 0,
  ) {
    this.networks = networks.map(networkOfText);
  }

  trusts(address: string | undefined): boolean {
    const parsed = parseAddress(address);
    return parsed !== undefined && this.holds(parsed);
  }

  /**
   * Address of the client: that of the connection, or, behind trusted proxies, the last of `X-Forwarded-For` that none of
   * them has.
   */
  clientOf({ socket, headers }: IncomingMessage): string {
    const peer = parseAddress(socket.remoteAddress);
    if (peer === undefined) return ANY_ADDRESS;
    const forwarded = headers['x-forwarded-for'];
    if (this.networks.length === 0 || forwarded === undefined) return peer.toString();
    let client = peer;
    const hops = String(forwarded).split(',').slice(-HOPS_MAX).reverse();
    for (const hop of hops) {
      if (!this.holds(client)) break;
      const before = parseAddress(withoutPort(hop.trim()));
      // A proxy of ours wrote something else: whom it forwards for is not known, so it is the caller.
      if (before === undefined) break;
      client = before;
    }
    return client.toString();
  }

  private holds(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.networks.some(([network, bits]) => {
      return network.kind() === address.kind() && address.match(network, bits);
    });
  }
}

/** What is counted as one caller: an IPv4 address, or a /64, which a network hands to one customer. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  const parts = parsed.parts.map((part, index) => (index < NETWORK_PARTS ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/64`;
}

/** An IPv4 address that came in IPv6 clothes is the IPv4 address. */
function parseAddress(text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (text === undefined || !(ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))) {
    return undefined;
  }
  return ipaddr.process(text);
}

/** `192.0.2.1:8080`, `[2001:db8::1]:8080` and the addresses alone. */
function withoutPort(hop: string): string {
  return /^\[(.{2,64})\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([0-9.]{7,15}):\d{1,5}$/.exec(hop)?.[1] ?? hop;
}

function networkOfText(text: string): Network {
  const [address, bits, ...rest] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || rest.length > 0) {
    throw new ProxyNetworkError(text, 'is no address and no CIDR such as 10.0.0.0/8');
  }
  const longest = parsed.kind() === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
  if (!(length >= 1 && length <= longest)) {
    throw new ProxyNetworkError(text, `must have a prefix of 1 to ${longest} bits: not everybody is trusted`);
  }
  return [parsed, length];
}

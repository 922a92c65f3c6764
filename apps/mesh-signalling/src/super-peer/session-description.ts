import { addressFault } from '@svc/platform';

/** An offer as the library gets it, and what is kept from it. */
export interface BareOffer {
  readonly sdp: string;
  /** Without `a=`. */
  readonly candidates: readonly string[];
  /** Name of its one section, which candidates belong to. */
  readonly mid: string;
}

const CANDIDATE = /^a=(candidate:.*)$/;
const LINE = /\r\n|\n/;

/**
 * Takes the candidates out of an offer, and that there are no more of them.
 *
 * An answerer that knows no address of its peer sends nothing until a check comes that was made with the password of its own
 * answer (RFC 8445 section 7.3): it learns the address from that one.
 */
export function withoutCandidates(sdpOffer: string): BareOffer {
  const lines = sdpOffer.split(LINE);
  const candidates = lines.flatMap(line => CANDIDATE.exec(line)?.[1] ?? []);
  const kept = lines.filter(line => !CANDIDATE.test(line) && line !== 'a=end-of-candidates');
  const mid = lines.find(line => line.startsWith('a=mid:'))?.slice('a=mid:'.length) ?? '0';
  return { sdp: kept.join('\r\n'), candidates, mid };
}

/** What an answer is to say of this replica, beside what the library found out. */
export interface Advertised {
  /** Where the world reaches the port, if that is no address of this machine. */
  readonly publicAddress?: string;
  readonly port: number;
  /** `public`: the private addresses of this machine are nobody's business, where there is a public one. */
  readonly candidates: 'any' | 'public';
  readonly messageBytesMax: number;
}

/** Of type host, the first of its kind, component 1: RFC 8445 section 5.1.2.1. */
const HOST_PRIORITY = 126 * 2 ** 24 + 65_535 * 2 ** 8 + 255;
const LOOPBACK = '127.0.0.1';

/** Completes an answer of the library; returns its text and its candidates, without `a=`. */
export function completeAnswer(
  sdpAnswer: string,
  advertised: Advertised,
): { sdpAnswer: string; candidates: readonly string[] } {
  const lines = sdpAnswer.split(LINE);
  const candidates = advertisedCandidates(
    lines.flatMap(line => CANDIDATE.exec(line)?.[1] ?? []),
    advertised,
  );
  const [address, port] = defaultDestination(candidates);
  const said = lines.flatMap(line => {
    if (CANDIDATE.test(line)) return [];
    if (line.startsWith('m=')) return [line.replace(/^m=application \d+/, `m=application ${port}`)];
    if (line.startsWith('c=')) return [`c=IN ${address.includes(':') ? 'IP6' : 'IP4'} ${address}`];
    if (line.startsWith('a=max-message-size:')) return [`a=max-message-size:${advertised.messageBytesMax}`];
    if (line === 'a=end-of-candidates') return [...candidates.map(each => `a=${each}`), line];
    return [line];
  });
  return { sdpAnswer: said.join('\r\n'), candidates };
}

function advertisedCandidates(
  own: readonly string[],
  { publicAddress, port, candidates }: Advertised,
): string[] {
  if (publicAddress !== undefined) {
    const kept = candidates === 'any' ? own : own.filter(isPublic);
    return [hostCandidate(publicAddress, port), ...kept.filter(each => addressOf(each)[0] !== publicAddress)];
  }
  // A machine without a network: its own peers reach it all the same.
  return own.length === 0 && candidates === 'any' ? [hostCandidate(LOOPBACK, port)] : [...own];
}

const hostCandidate = (address: string, port: number) =>
  `candidate:0 1 UDP ${HOST_PRIORITY} ${address} ${port} typ host`;

const isPublic = (candidate: string): boolean =>
  addressFault(addressOf(candidate)[0], { allowLoopback: false }) === undefined;

/** Where a peer without ICE would send to; discard where there is nothing (RFC 8839 section 4.2.1.2). */
const defaultDestination = (candidates: readonly string[]): [address: string, port: string] =>
  candidates.length === 0 ? ['0.0.0.0', '9'] : addressOf(candidates[0]);

function addressOf(candidate: string): [address: string, port: string] {
  const [, , , , address, port] = candidate.split(' ');
  return [address, port];
}

import type { Candidate } from './candidate.js';
import { parseAddress, publicAddressFault, unicastAddressFault } from './public-address.js';

/** Which candidates of a description may be contacted. */
export interface CandidateRules {
  /** `any` also takes addresses of this machine and of private networks: for a sandbox, never in production. */
  readonly candidates: 'any' | 'public';
}

/** Why a candidate is of no use to a connection of ours. */
export type DropReason = 'TRANSPORT' | 'COMPONENT' | 'TYPE' | 'NAME' | 'ADDRESS' | 'PORT';

export interface DroppedCandidate {
  readonly candidate: Candidate;
  readonly reason: DropReason;
  /** A sentence, for a log. */
  readonly detail: string;
}

const TYPES: readonly string[] = ['host', 'srflx', 'prflx', 'relay'];
/**
 * A candidate makes the other side send to whatever it names. Ports below are those of protocols (DNS, NTP, SNMP, LDAP) that
 * answer strangers; a peer's own port, its NAT's and its relay's are given out from the range above. What is left to a
 * liar are a few checks of about 100 bytes, to at most thirty places, none of which makes an answer longer.
 */
const PORT_MIN = 1_024;

/** Splits candidates into those that may be contacted and those that may not, each in order. */
export function sortCandidates(
  all: readonly Candidate[],
  rules: CandidateRules,
): { candidates: Candidate[]; dropped: DroppedCandidate[] } {
  const candidates: Candidate[] = [];
  const dropped: DroppedCandidate[] = [];
  for (const candidate of all) {
    const fault = faultOf(candidate, rules);
    if (fault === undefined) candidates.push(candidate);
    else dropped.push({ candidate, ...fault });
  }
  return { candidates, dropped };
}

function faultOf(
  { transport, component, type, address, port }: Candidate,
  rules: CandidateRules,
): Omit<DroppedCandidate, 'candidate'> | undefined {
  if (transport !== 'udp')
    return { reason: 'TRANSPORT', detail: `${transport} is not spoken here, only udp` };
  if (component !== 1) {
    return { reason: 'COMPONENT', detail: `a data channel has component 1 alone, not ${component}` };
  }
  if (!TYPES.includes(type)) return { reason: 'TYPE', detail: `candidates of type ${type} are not known` };
  const parsed = parseAddress(address);
  // Not even one of mDNS: whoever is asked for a name learns who asks, and answers as they like.
  if (parsed === undefined)
    return { reason: 'NAME', detail: 'a name out of a description is never resolved' };
  const addressFault =
    rules.candidates === 'public' ? publicAddressFault(parsed) : unicastAddressFault(parsed);
  if (addressFault !== undefined) return { reason: 'ADDRESS', detail: addressFault };
  if (port < PORT_MIN)
    return { reason: 'PORT', detail: `ports below ${PORT_MIN} are of other protocols: ${port}` };
  return undefined;
}

/**
 * The first of the candidates with an address, where no address is public; undefined where one is, or where there are names
 * alone, whose peer is learned from the checks that it sends (RFC 8445 section 7.3.1.3).
 */
export function firstOfOnlyPrivate(
  all: readonly Candidate[],
): { candidate: Candidate; fault: string } | undefined {
  const addressed = all.flatMap(candidate => {
    const address = parseAddress(candidate.address);
    return address === undefined ? [] : [{ candidate, fault: publicAddressFault(address) }];
  });
  const [first] = addressed;
  const isAllPrivate = addressed.every(({ fault }) => fault !== undefined);
  return first?.fault !== undefined && isAllPrivate
    ? { candidate: first.candidate, fault: first.fault }
    : undefined;
}

import sdpTransform, { type ParsedCandidate } from 'sdp-transform';
import { SdpError } from './sdp-error.js';
import type { SdpLine } from './sdp-lines.js';

/** Candidates of one description, and of one side of a session with all that it trickles. */
export const CANDIDATES_MAX = 30;
const CANDIDATE_CHARS_MAX = 1_024;
const PRIORITY_MAX = 0xffff_ffff;
const PORT_MAX = 0xffff;
const COMPONENT_MAX = 256;

const FOUNDATION = /^[A-Za-z0-9+/]{1,32}$/;
const TOKEN = /^[A-Za-z0-9-]{1,32}$/;
/** An address of either family, one with a zone, or a name. */
const CONNECTION_ADDRESS = /^[A-Za-z0-9.:%_-]{1,253}$/;
/** `raddr`, `rport`, `tcptype` and whatever else: pairs of a name and a value. */
const EXTENSIONS = /^(?: [!-~]+ [!-~]+)*$/;

/** A candidate of ICE, as a description names it. Where it was learned (`raddr`) is not read: nothing is ever sent there. */
export interface Candidate {
  /** Line of the description, counted from 1. */
  readonly line: number;
  /** Without `a=`, as `RTCIceCandidate` has it: `candidate:1 1 UDP 2114977791 203.0.113.9 57451 typ host`. */
  readonly text: string;
  readonly foundation: string;
  readonly component: number;
  /** In small letters: `udp`, `tcp`. */
  readonly transport: string;
  readonly priority: number;
  /** An IPv4 or IPv6 address, or a name. */
  readonly address: string;
  readonly port: number;
  /** `host`, `srflx`, `prflx`, `relay`, or what this version of ICE does not know. */
  readonly type: string;
}

/**
 * The candidates of a description, in order, with their lines.
 *
 * @throws SdpError CANDIDATE, TOO_MANY_CANDIDATES
 *
 * Source: RFC 8839 section 5.1.
 */
export function readCandidates(lines: readonly SdpLine[]): { candidate: Candidate; line: SdpLine }[] {
  const found = lines.filter(({ looseName }) => looseName === 'candidate');
  if (found.length > CANDIDATES_MAX) {
    throw new SdpError('TOO_MANY_CANDIDATES', `a description has at most ${CANDIDATES_MAX} candidates`, {
      line: found[CANDIDATES_MAX],
      bound: CANDIDATES_MAX,
      value: found.length,
    });
  }
  return found.map(line => ({ candidate: readCandidate(line), line }));
}

function readCandidate(line: SdpLine): Candidate {
  const parsed = sdpTransform.parse(line.text).candidates?.[0];
  if (parsed === undefined || !isWhole(line.text, parsed)) {
    throw new SdpError('CANDIDATE', 'this is no candidate as RFC 8839 has it', { line });
  }
  if (line.text.length > CANDIDATE_CHARS_MAX) {
    throw new SdpError('CANDIDATE', `a candidate has at most ${CANDIDATE_CHARS_MAX} characters`, {
      line,
      bound: CANDIDATE_CHARS_MAX,
      value: line.text.length,
    });
  }
  const word = (name: 'foundation' | 'transport' | 'ip' | 'type', shape: RegExp) => {
    const value = String(parsed[name]);
    if (shape.test(value)) return value;
    throw new SdpError('CANDIDATE', `the ${name} of the candidate has characters it cannot have`, {
      line,
      value,
    });
  };
  const whole = (name: 'component' | 'priority' | 'port', min: number, max: number) => {
    const value = parsed[name];
    if (typeof value === 'number' && value >= min && value <= max) return value;
    const bound = `${min} to ${max}`;
    throw new SdpError('CANDIDATE', `the ${name} of a candidate is from ${bound}`, { line, bound, value });
  };
  return {
    line: line.number,
    text: line.text.slice('a='.length),
    foundation: word('foundation', FOUNDATION),
    component: whole('component', 1, COMPONENT_MAX),
    transport: word('transport', TOKEN).toLowerCase(),
    priority: whole('priority', 0, PRIORITY_MAX),
    address: word('ip', CONNECTION_ADDRESS),
    port: whole('port', 0, PORT_MAX),
    type: word('type', TOKEN),
  };
}

/** Whether what the library read, and pairs of words behind it, are all there is: it overlooks what it does not know. */
function isWhole(text: string, parsed: ParsedCandidate): boolean {
  const { foundation, component, transport, priority, ip, port, type } = parsed;
  const read = `a=candidate:${foundation} ${component} ${transport} ${priority} ${ip} ${port} typ ${type}`;
  return text.startsWith(read) && EXTENSIONS.test(text.slice(read.length));
}

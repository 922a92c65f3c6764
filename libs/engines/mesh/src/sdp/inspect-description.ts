import { type Candidate, readCandidates } from './candidate.js';
import {
  type CandidateRules,
  type DroppedCandidate,
  firstOfOnlyPrivate,
  sortCandidates,
} from './candidate-rules.js';
import { attributeValues, hasEndOfCandidates, requiredValue, singleValue } from './description-attribute.js';
import { readFingerprint } from './fingerprint.js';
import { type IceCredentials, readIceCredentials } from './ice-credentials.js';
import { SdpError } from './sdp-error.js';
import { readLines, type SdpLine } from './sdp-lines.js';

/** Which side begins the handshake of DTLS: `active` does, `passive` waits, `actpass` leaves it to the answer. */
export type DtlsSetup = 'actpass' | 'active' | 'passive';

/** What a description says, and what of it may be used. */
export interface InspectedDescription<Setup extends DtlsSetup = DtlsSetup> extends IceCredentials {
  /** SHA-256 of the peer's certificate: `AB:CD:…`, 32 pairs of capital hex digits. */
  readonly fingerprint: string;
  readonly setup: Setup;
  /** Name of the one section. */
  readonly mid: string;
  /** Bytes that the peer takes in one message; 0: no bound of its own. Where it is not said it is 65,536 (RFC 8841 section 6). */
  readonly maxMessageBytes: number;
  readonly candidates: readonly Candidate[];
  readonly dropped: readonly DroppedCandidate[];
  /** Whether the peer has said that no more candidates come. */
  readonly endOfCandidates: boolean;
}

const SECTION = /^m=application ([1-9][0-9]{0,4}) UDP\/DTLS\/SCTP webrtc-datachannel$/;
const PORT_MAX = 0xffff;
const MAX_MESSAGE_BYTES = 65_536;
const MID = /^[!#-'*+.0-9A-Z^-~-]{1,32}$/;
/** What a description begins with, and what must stand before its section. */
const SESSION_LINES = ['v=0', 'o=', 's=', 't='] as const;

/**
 * Reads an offer of data channels.
 *
 * An offer should say `a=setup:actpass` (RFC 8842 section 5.2, RFC 8829 section 5.2.1), and one that has chosen its side already is taken
 * too: RFC 4145 section 4.1 gives each choice exactly one answer, so nothing is left open. `holdconn` is not: it asks for no
 * connection.
 *
 * @throws SdpError, and nothing else, whatever the text
 * @example
 * const { fingerprint, candidates } = inspectOffer(offer, { candidates: 'public' });
 *
 * Source: RFC 8866, RFC 8839, RFC 8841, RFC 8842, RFC 8122.
 */
export function inspectOffer(text: string, rules: CandidateRules): InspectedDescription {
  return inspect(text, rules, ['actpass', 'active', 'passive']);
}

/**
 * Reads an answer: as {@link inspectOffer}, and its side must be chosen.
 *
 * @throws SdpError, and nothing else, whatever the text
 */
export function inspectAnswer(
  text: string,
  rules: CandidateRules,
): InspectedDescription<'active' | 'passive'> {
  return inspect(text, rules, ['active', 'passive']);
}

function inspect<Setup extends DtlsSetup>(
  text: string,
  rules: CandidateRules,
  setups: readonly Setup[],
): InspectedDescription<Setup> {
  const lines = readLines(text);
  requireSessionLines(lines);
  requireSection(lines);
  const mid = readMid(lines);
  requireBundle(lines, mid);
  requireSctpPort(lines);
  const found = readCandidates(lines);
  const stray = found.find(({ line }) => !line.isInMedia);
  if (stray) throw new SdpError('CANDIDATE', 'a candidate belongs to a section', { line: stray.line });
  const all = found.map(({ candidate }) => candidate);
  const inspected = {
    fingerprint: readFingerprint(lines),
    ...readIceCredentials(lines),
    setup: readSetup(lines, setups),
    mid,
    maxMessageBytes: readMaxMessageBytes(lines),
    ...sortCandidates(all, rules),
    endOfCandidates: hasEndOfCandidates(lines),
  };
  const onlyPrivate = rules.candidates === 'public' ? firstOfOnlyPrivate(all) : undefined;
  if (onlyPrivate) {
    throw new SdpError('NO_PUBLIC_CANDIDATE', `${onlyPrivate.fault}, and no other candidate has one`, {
      line: lines[onlyPrivate.candidate.line - 1],
      bound: 'a public address, or names alone',
      value: onlyPrivate.candidate.address,
    });
  }
  return inspected;
}

function requireSessionLines(lines: readonly SdpLine[]): void {
  const session = lines.filter(line => !line.isInMedia);
  if (session[0]?.text !== 'v=0') {
    throw new SdpError('LINE', 'a description begins with v=0', { line: lines[0], bound: 'v=0' });
  }
  for (const start of SESSION_LINES) {
    const [first, second] = session.filter(({ text }) => text.startsWith(start.slice(0, 2)));
    if (first === undefined) throw new SdpError('MISSING', `${start} is missing`, { bound: start });
    // Several times of a session are no fault, and no reader of WebRTC heeds them.
    if (second !== undefined && start !== 't=') {
      throw new SdpError('REPEATED', `${start} stands on line ${first.number} already`, { line: second });
    }
  }
}

function requireSection(lines: readonly SdpLine[]): void {
  const [line, second] = lines.filter(({ text }) => text.startsWith('m='));
  const bound = 'm=application … UDP/DTLS/SCTP webrtc-datachannel';
  if (line === undefined) throw new SdpError('MISSING', `${bound} is missing`, { bound });
  if (second !== undefined) {
    throw new SdpError('SECTION', 'a description has one section, for data channels', {
      line: second,
      bound: 1,
    });
  }
  const port = Number(SECTION.exec(line.text)?.[1] ?? NaN);
  if (!(port <= PORT_MAX)) {
    throw new SdpError('SECTION', `the section must be ${bound}, its port from 1 to ${PORT_MAX}`, {
      line,
      bound,
    });
  }
}

function readMid(lines: readonly SdpLine[]): string {
  const { line, value } = requiredValue(lines, 'mid');
  if (MID.test(value)) return value;
  throw new SdpError('ATTRIBUTE', 'a=mid is a token of 1 to 32 characters', { line, value });
}

/** A bundle of the one section changes nothing; one that names others is of another description. */
function requireBundle(lines: readonly SdpLine[], mid: string): void {
  for (const { line, value } of attributeValues(lines, 'group')) {
    const [semantics, ...mids] = value.split(' ');
    if (semantics !== 'BUNDLE' || mids.length !== 1 || mids[0] !== mid) {
      throw new SdpError('BUNDLE', 'a group can be a BUNDLE of the one section alone', {
        line,
        bound: `BUNDLE ${mid}`,
        value,
      });
    }
  }
}

function requireSctpPort(lines: readonly SdpLine[]): void {
  const found = singleValue(lines, 'sctp-port');
  if (found === undefined || (Number(found.value) >= 1 && Number(found.value) <= PORT_MAX)) return;
  const bound = `1 to ${PORT_MAX}`;
  throw new SdpError('SECTION', `a=sctp-port is from ${bound}`, { ...found, bound });
}

function readSetup<Setup extends DtlsSetup>(lines: readonly SdpLine[], setups: readonly Setup[]): Setup {
  const { line, value } = requiredValue(lines, 'setup');
  const setup = setups.find(known => known === value);
  if (setup !== undefined) return setup;
  const bound = setups.join(', ');
  throw new SdpError('SETUP', `a=setup must be one of ${bound}`, { line, bound, value });
}

function readMaxMessageBytes(lines: readonly SdpLine[]): number {
  const found = singleValue(lines, 'max-message-size');
  if (found === undefined) return MAX_MESSAGE_BYTES;
  const bytes = Number(found.value);
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new SdpError('MESSAGE_SIZE', `a=max-message-size is at most ${Number.MAX_SAFE_INTEGER}`, {
    ...found,
    bound: Number.MAX_SAFE_INTEGER,
  });
}

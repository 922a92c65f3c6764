import { type Candidate, readCandidates } from './candidate.js';
import { type CandidateRules, type DroppedCandidate, sortCandidates } from './candidate-rules.js';
import { hasEndOfCandidates, singleValue } from './description-attribute.js';
import { type IceCredentials, readIceCredentials } from './ice-credentials.js';
import { SdpError } from './sdp-error.js';
import { readLines, type SdpLine } from './sdp-lines.js';

/** Candidates that came after their description. */
export interface InspectedFragment extends IceCredentials {
  /** The section they are of; undefined where the fragment does not say, and there is but one. */
  readonly mid?: string;
  readonly candidates: readonly Candidate[];
  readonly dropped: readonly DroppedCandidate[];
  /** Whether no more come. */
  readonly endOfCandidates: boolean;
}

/**
 * Reads a body of `application/trickle-ice-sdpfrag`. Its `m=` line is one for the form's sake, and only counted. Credentials
 * that are not the session's mean an ICE restart: it is the session that knows.
 *
 * Other than of an offer, nothing is wrong with a fragment of private addresses alone: candidates come in one by one.
 *
 * @throws SdpError, and nothing else, whatever the text
 * @example
 * const { iceUfrag, candidates } = inspectFragment(body, { candidates: 'public' });
 *
 * Source: RFC 8840 section 9, RFC 9725 section 4.3.
 */
export function inspectFragment(text: string, rules: CandidateRules): InspectedFragment {
  const lines = readLines(text);
  requireOneSection(lines);
  const mid = singleValue(lines, 'mid')?.value;
  const all = readCandidates(lines).map(({ candidate }) => candidate);
  return {
    ...readIceCredentials(lines),
    ...(mid === undefined ? {} : { mid }),
    ...sortCandidates(all, rules),
    endOfCandidates: hasEndOfCandidates(lines),
  };
}

function requireOneSection(lines: readonly SdpLine[]): void {
  const odd = lines.find(({ text }) => !/^[am]=/.test(text));
  if (odd)
    throw new SdpError('LINE', 'a fragment has attributes and m= lines alone', {
      line: odd,
      bound: 'a=, m=',
    });
  const second = lines.filter(({ text }) => text.startsWith('m='))[1];
  if (second) throw new SdpError('SECTION', 'a fragment is of one section', { line: second, bound: 1 });
}

const CANDIDATE = /^a=candidate:.*$/;

/** A description whose candidates are told later. */
export const withoutCandidates = (sdp: string): string =>
  sdp.replace(/^a=(candidate:.*|end-of-candidates)\r?\n/gm, '');

/** The candidates of a description as a fragment (RFC 8840 section 9), with no more to come. */
export function fragmentOf(sdp: string): string {
  const lines = sdp.split(/\r?\n/);
  const attribute = (name: string) => lines.find(line => line.startsWith(`a=${name}:`))!;
  return [
    ...[attribute('ice-ufrag'), attribute('ice-pwd')],
    ...['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', attribute('mid')],
    ...lines.filter(line => CANDIDATE.test(line)),
    ...['a=end-of-candidates', ''],
  ].join('\r\n');
}

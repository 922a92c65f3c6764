import { MeshConnectionError } from './mesh-error.js';

/** A class of the W3C's `RTCPeerConnection`: the browser's, or that of a package for Node. */
export type PeerConnectionClass = new (configuration?: RTCConfiguration) => RTCPeerConnection;

/** What a browser has, and Node has not. @throws {MeshConnectionError} WEBRTC_MISSING */
export function requirePeerConnection(rtc: PeerConnectionClass | undefined): PeerConnectionClass {
  const found =
    rtc ?? (globalThis as { RTCPeerConnection?: PeerConnectionClass }).RTCPeerConnection ?? undefined;
  if (found !== undefined) return found;
  throw new MeshConnectionError(
    'WEBRTC_MISSING',
    'this platform has no RTCPeerConnection: give one as rtc, such as that of node-datachannel/polyfill',
  );
}

/** A description of this side, and the candidates that were too late for it. */
export interface LocalDescription {
  readonly sdp: string;
  /**
   * Fragments (RFC 8840) of candidates that were found after `sdp` was taken, until `signal` aborts or there are no more.
   * None at all where gathering was complete.
   */
  lateFragments(signal: AbortSignal): AsyncGenerator<string>;
}

/** Most candidates of one side that the service takes. */
const CANDIDATES_MAX = 30;
/** Candidates that come together travel together. */
const FRAGMENT_DELAY_MS = 100;

/**
 * Makes the offer or the answer of a connection and waits for its candidates, `gatherMsMax` at most; what comes later is
 * trickled. Few networks take longer, and whoever has all candidates at once needs no second message.
 */
export async function describeLocally(
  connection: RTCPeerConnection,
  kind: 'offer' | 'answer',
  gatherMsMax: number,
): Promise<LocalDescription> {
  const gathering = new Gathering(connection);
  // Listened to before, read after: an event that comes between would be missed for good.
  await connection.setLocalDescription(
    kind === 'offer' ? await connection.createOffer() : await connection.createAnswer(),
  );
  const isWhole = await gathering.complete(gatherMsMax);
  const sdp = connection.localDescription?.sdp;
  if (!sdp) throw new MeshConnectionError('NOT_OPENED', 'the platform gives no description of this side');
  return { sdp, lateFragments: signal => lateFragments(isWhole ? undefined : gathering, sdp, signal) };
}

class Gathering {
  /** In the order in which they came. */
  readonly candidates: string[] = [];
  private changed: () => void = () => undefined;

  constructor(private readonly connection: RTCPeerConnection) {
    connection.addEventListener('icecandidate', ({ candidate }) => {
      if (candidate?.candidate && this.candidates.length < CANDIDATES_MAX)
        this.candidates.push(candidate.candidate.replace(/^a=/, ''));
      this.changed();
    });
    connection.addEventListener('icegatheringstatechange', () => this.changed());
  }

  get isComplete(): boolean {
    return this.connection.iceGatheringState === 'complete';
  }

  /** Resolves at the next change, or after some time. */
  change(msMax: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(done, msMax);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
      this.changed = done;
      signal?.addEventListener('abort', done, { once: true });
      if (signal?.aborted) done();
    });
  }

  /** Whether gathering came to its end within that time. */
  async complete(msMax: number): Promise<boolean> {
    const endMs = Date.now() + msMax;
    while (!this.isComplete && Date.now() < endMs) await this.change(endMs - Date.now());
    return this.isComplete;
  }
}

/** Longest that candidates are waited for; by then the session is over. */
const LATE_MS_MAX = 30_000;

async function* lateFragments(
  gathering: Gathering | undefined,
  sdp: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (gathering === undefined) return;
  const endMs = Date.now() + LATE_MS_MAX;
  const told = new Set(candidateLines(sdp));
  while (!signal.aborted && Date.now() < endMs) {
    const isLast = gathering.isComplete;
    const late = gathering.candidates.filter(candidate => !told.has(candidate));
    for (const candidate of late) told.add(candidate);
    if (late.length > 0 || isLast) yield fragmentOf(sdp, late, isLast);
    if (isLast) return;
    await gathering.change(endMs - Date.now(), signal);
    if (!gathering.isComplete) await gathering.change(FRAGMENT_DELAY_MS, signal);
  }
}

/** A description without its candidates, which are to be added after. */
export const withoutCandidates = (sdp: string): string =>
  sdp.replace(/^a=(candidate:.*|end-of-candidates)\r?\n/gm, '');

/** The candidates of a description, as `RTCIceCandidate.candidate` has them. */
export const candidateLines = (sdp: string): string[] =>
  [...sdp.matchAll(/^a=(candidate:[^\r\n]*)/gm)].map(([, line]) => line);

/** A body of `application/trickle-ice-sdpfrag` (RFC 8840 section 9). */
function fragmentOf(sdp: string, candidates: readonly string[], isLast: boolean): string {
  const attribute = (name: string) => new RegExp(`^a=${name}:[^\\r\\n]*`, 'm').exec(sdp)?.[0] ?? '';
  return [
    attribute('ice-ufrag'),
    attribute('ice-pwd'),
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    attribute('mid'),
    ...candidates.map(candidate => `a=${candidate}`),
    ...(isLast ? ['a=end-of-candidates'] : []),
    '',
  ].join('\r\n');
}

import { withoutOtherFingerprints } from '@svc/mesh';
import type { InboxEvent } from '../api-types.js';
import { ConnectionError, ProblemError, SvcError } from '../errors.js';
import { wait } from '../retry-budget.js';
import { backoffMs } from './backoff.js';
import { channelsOpen, OPEN_MS_MAX } from './data-channels.js';
import { DIRECT_LABEL, directConnection, type DirectConnection } from './direct-connection.js';
import { HeldCandidates } from './held-candidates.js';
import { candidateLines, describeLocally, withoutCandidates } from './local-description.js';
import { MeshConnectionError } from './mesh-error.js';
import { fingerprintOf, type ProvenPeer, signProof, verifyPeerProof } from './peer-proof.js';
import { type ConnectionMeans, trickle } from './super-peer-connection.js';

export interface ListenOptions {
  /** Whether this peer may connect; its key has been proven. Default: every one. */
  readonly accept?: (peer: ProvenPeer) => boolean | Promise<boolean>;
  readonly onConnection: (connection: DirectConnection) => void;
  /** An offer that came to nothing, and why: what it says is not so, or the connection did not open. */
  readonly onFailure?: (error: unknown) => void;
  /** The inbox is open: this peer can be found. Again after each break. */
  readonly onListening?: () => void;
}

type Offer = Extract<InboxEvent, { type: 'offer' }>;
interface Answering {
  readonly connection: RTCPeerConnection;
  readonly candidates: HeldCandidates;
  readonly over: AbortController;
}

/** Offers that are answered at once; more are left to end of themselves, so that nobody's offers cost without bound. */
const ANSWERING_MAX = 16;
/** How long the answer may take to whoever offered: it asks every second where the rendezvous could not wait for it. */
const CHECKS_AFTER_MS = 2_000;
const RENDEZVOUS_PATH = '/v1/mesh/rendezvous';
const INBOX_PATH = '/v1/mesh/inbox';

/**
 * Reads this peer's inbox and answers the offers in it, until the signal aborts. A stream that breaks off is opened again,
 * with a proof of its own, and goes on after the last event. Each offer is checked by itself: the service is not believed in
 * who sent it.
 *
 * @throws {ProblemError} for what another try does not mend: IDENTITY_UNPROVED and the like; the reason of the signal
 */
export async function listenForOffers(
  means: ConnectionMeans,
  options: ListenOptions,
  signal: AbortSignal,
): Promise<never> {
  const answering = new Map<string, Answering>();
  let lastEventId: string | undefined;
  try {
    for (let failures = 0; ; failures++) {
      let error: unknown;
      try {
        const proof = await signProof(means.identity, { method: 'GET', path: INBOX_PATH });
        const events = means.client.meshInbox(proof, { lastEventId, signal, onOpen: options.onListening });
        for await (const { id, event } of events) {
          failures = 0;
          lastEventId = id ?? lastEventId;
          take(event, answering, means, options);
        }
      } catch (caught) {
        signal.throwIfAborted();
        error = caught;
        if (isForGood(error)) throw error;
      }
      await wait(backoffMs(failures, error), signal);
    }
  } finally {
    for (const { connection, over } of answering.values()) {
      over.abort(signal.reason);
      connection.close();
    }
  }
}

function isForGood(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status < 500 && error.status !== 429;
  return error instanceof SvcError && !(error instanceof ConnectionError);
}

function take(
  event: InboxEvent,
  answering: Map<string, Answering>,
  means: ConnectionMeans,
  options: ListenOptions,
): void {
  const begun = answering.get(event.sessionId);
  if (event.type === 'closed')
    begun?.over.abort(new SvcError('CLOSED', `the session is closed: ${event.reason}`));
  if (event.type === 'candidates') begun?.candidates.add(event.candidates);
  if (event.type !== 'offer' || begun || answering.size >= ANSWERING_MAX) return;
  void answer(event, answering, means, options).catch((error: unknown) => options.onFailure?.(error));
}

async function answer(
  offer: Offer,
  answering: Map<string, Answering>,
  means: ConnectionMeans,
  { accept, onConnection }: ListenOptions,
): Promise<void> {
  const { peer, fingerprint } = checkOffer(offer, means.identity.publicKey);
  const connection = new means.rtc({ iceServers: offer.iceServers });
  const over = new AbortController();
  const candidates = new HeldCandidates(connection);
  answering.set(offer.sessionId, { connection, over, candidates });
  try {
    if (accept !== undefined && !(await accept(peer))) {
      await means.client.closeMeshSession(offer.sessionId);
      connection.close();
      return;
    }
    const channelComes = directChannel(connection);
    candidates.add(candidateLines(offer.sdpOffer));
    const sdp = withoutOtherFingerprints(withoutCandidates(offer.sdpOffer));
    await connection.setRemoteDescription({ type: 'offer', sdp });
    const local = await describeLocally(connection, 'answer', means.gatherMsMax);
    await sendAnswer(means, offer.sessionId, local.sdp, peer.publicKey, over.signal);
    void trickle(means.client, offer.sessionId, local, over.signal);
    void wait(CHECKS_AFTER_MS, over.signal).then(
      () => candidates.release(),
      () => undefined,
    );
    const channel = await channelComes(over.signal);
    await channelsOpen(connection, [channel], over.signal);
    const { sessionId } = offer;
    onConnection(directConnection(connection, channel, { sessionId, peer, fingerprint, isOwnOffer: false }));
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    answering.delete(offer.sessionId);
    over.abort();
  }
}

/**
 * Who made an offer, by its own proof.
 * @throws {MeshDistrustError}
 */
export function checkOffer(
  { sdpOffer, peerProof }: Pick<Offer, 'sdpOffer' | 'peerProof'>,
  ownKey: string,
  nowMs = Date.now(),
): { readonly peer: ProvenPeer; readonly fingerprint: string } {
  const fingerprint = fingerprintOf(sdpOffer);
  const request = {
    method: 'POST',
    path: RENDEZVOUS_PATH,
    sdp: sdpOffer,
    fingerprint,
    target: ownKey,
  } as const;
  return { peer: verifyPeerProof(peerProof, request, nowMs), fingerprint };
}

/** Listens for the channel of the other side from now on; any other that it opens is closed. */
function directChannel(connection: RTCPeerConnection): (signal: AbortSignal) => Promise<RTCDataChannel> {
  let found: (channel: RTCDataChannel) => void = () => undefined;
  const comes = new Promise<RTCDataChannel>(resolve => (found = resolve));
  let isFound = false;
  connection.addEventListener('datachannel', ({ channel }) => {
    if (isFound || channel.label !== DIRECT_LABEL) return channel.close();
    isFound = true;
    channel.binaryType = 'arraybuffer';
    found(channel);
  });
  const late = () => {
    throw new MeshConnectionError('NOT_OPENED', `no channel within ${OPEN_MS_MAX} ms of the answer`);
  };
  return signal => {
    const settled = new AbortController();
    const either = AbortSignal.any([signal, settled.signal]);
    return Promise.race([comes, wait(OPEN_MS_MAX, either).then(late)]).finally(() => settled.abort());
  };
}

async function sendAnswer(
  { client, identity }: ConnectionMeans,
  sessionId: string,
  sdp: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const path = `/v1/mesh/sessions/${sessionId}/answer`;
  const request = { method: 'POST', path, sdp, fingerprint: fingerprintOf(sdp), target } as const;
  const proof = await signProof(identity, request);
  await client.answerMeshOffer(sessionId, { sdpAnswer: sdp, ...proof }, { signal });
}

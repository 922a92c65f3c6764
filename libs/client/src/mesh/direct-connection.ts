import { parsePeerKey } from '@svc/mesh';
import type { MeshSession } from '../api-types.js';
import { wait } from '../retry-budget.js';
import { acceptAnswer, channelsOpen, onceGone, openWithTries } from './data-channels.js';
import { candidateLines, describeLocally, type LocalDescription } from './local-description.js';
import { MeshConnectionError } from './mesh-error.js';
import type { ProvenPeer } from './peer-proof.js';
import { fingerprintOf, signProof } from './peer-proof.js';
import { type AnswerToCheck, checkAnswer, type CheckedAnswer } from './service-answer.js';
import { type ConnectionMeans, orderedChannel, trickle } from './super-peer-connection.js';

/** A connection to another peer, past the service, its channel open. */
export interface DirectConnection {
  readonly sessionId: string;
  /** The peer at the other end, which has shown to hold this key. */
  readonly peer: ProvenPeer;
  /** SHA-256 of the other end's certificate, as that key signed it, `AB:CD:…`. */
  readonly fingerprint: string;
  /** Whether this side asked for the connection. */
  readonly isOwnOffer: boolean;
  readonly connection: RTCPeerConnection;
  /** Ordered; its messages come as text or as ArrayBuffer. */
  readonly channel: RTCDataChannel;
  /** Resolves when the connection or its channel is gone. */
  readonly gone: Promise<void>;
  close(): void;
}

/** Label of the channel between two peers. */
export const DIRECT_LABEL = 'direct';

export interface DirectOptions {
  /** Public key of the peer, hex: Ed25519, or secp256k1 in either form. */
  readonly targetKey: string;
  readonly signal?: AbortSignal;
}

/** Longest that an offer lies in an inbox unanswered. */
const ANSWER_MS_MAX = 60_000;
const POLL_MS = 1_000;
const RENDEZVOUS_PATH = '/v1/mesh/rendezvous';

/**
 * Asks another peer for a connection: the service brings the offer to its inbox and the answer back, and is believed in
 * neither. The peer has to listen (`listenForOffers`).
 *
 * @throws {MeshDistrustError} before anything is connected
 * @throws {MeshConnectionError} NOT_ANSWERED, NOT_OPENED
 * @throws {ProblemError} NOT_FOUND where the peer is not there, CONFLICT where it is busy, IDENTITY_UNPROVED and others
 * @throws {RangeError} for a target that is no key; the reason of the signal
 */
export async function connectToPeer(
  means: ConnectionMeans,
  { targetKey, signal = new AbortController().signal }: DirectOptions,
): Promise<DirectConnection> {
  const target = requireKey(targetKey);
  return openWithTries(() => connectOnce(means, target, signal));
}

async function connectOnce(
  means: ConnectionMeans,
  target: string,
  signal: AbortSignal,
): Promise<DirectConnection> {
  const connection = new means.rtc({ iceServers: [...means.iceServers] });
  const over = new AbortController();
  try {
    const channel = orderedChannel(connection, DIRECT_LABEL);
    const [keys, local] = await Promise.all([
      means.client.meshKeys({ signal }),
      describeLocally(connection, 'offer', means.gatherMsMax),
    ]);
    const came = await ask(means, local, target, over.signal, signal);
    const brokered = { ownKey: means.identity.publicKey, targetKey: target };
    const answer = checkAnswer(came, { sdpOffer: local.sdp, keys: keys.data.keys, brokered });
    await acceptAnswer(connection, answer.sdpAnswer);
    void addLateCandidates(means, connection, answer, over.signal);
    await channelsOpen(connection, [channel], signal);
    return directConnection(connection, channel, { ...answer, peer: answer.peer!, isOwnOffer: true });
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    over.abort();
  }
}

/** The key as the service and the proofs have it. @throws {RangeError} */
function requireKey(hex: string): string {
  try {
    return parsePeerKey(hex).hex;
  } catch (cause) {
    throw new RangeError(
      `the peer to connect to is named by its public key in hex: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Sends the offer, and its late candidates while it waits, and gives the answer, unchecked. */
async function ask(
  { client, identity }: ConnectionMeans,
  local: LocalDescription,
  target: string,
  over: AbortSignal,
  signal: AbortSignal,
): Promise<AnswerToCheck> {
  const { sdp } = local;
  const fingerprint = fingerprintOf(sdp);
  const proof = await signProof(identity, {
    ...{ method: 'POST', path: RENDEZVOUS_PATH, sdp, fingerprint, target },
  });
  const request = { sdpOffer: sdp, targetPeerKey: target, ...proof };
  const { data } = await client.rendezvous(request, { signal });
  void trickle(client, data.sessionId, local, over);
  if ('sdpAnswer' in data) return data;
  const endMs = Date.now() + ANSWER_MS_MAX;
  while (Date.now() < endMs) {
    await wait(POLL_MS, signal);
    const session = (await client.meshSession(data.sessionId, { signal })).data;
    const answer = answerOf(session);
    if (answer !== undefined) return answer;
    if (session.state === 'closed' || session.state === 'expired')
      throw new MeshConnectionError(
        'NOT_ANSWERED',
        `the peer has not answered: ${session.reason ?? session.state}`,
      );
  }
  throw new MeshConnectionError('NOT_ANSWERED', `the peer has not answered within ${ANSWER_MS_MAX} ms`);
}

function answerOf(session: MeshSession): AnswerToCheck | undefined {
  const { sdpAnswer, answerSignature, servicePublicKey } = session;
  return sdpAnswer === undefined || answerSignature === undefined || servicePublicKey === undefined
    ? undefined
    : { ...session, sdpAnswer, answerSignature, servicePublicKey };
}

/** Candidates that the other side found after its answer; they are in the session alone. */
async function addLateCandidates(
  { client }: ConnectionMeans,
  connection: RTCPeerConnection,
  { sessionId, sdpAnswer }: CheckedAnswer,
  over: AbortSignal,
): Promise<void> {
  const added = new Set(candidateLines(sdpAnswer));
  while (!over.aborted) {
    await wait(POLL_MS, over).catch(() => undefined);
    if (over.aborted) return;
    const session = await client.meshSession(sessionId, { signal: over }).catch(() => undefined);
    await addCandidates(connection, session?.data.iceCandidates ?? [], added);
  }
}

/** Most candidates of one side that the service takes. */
const CANDIDATES_MAX = 30;

/** Adds candidates that were not there before; one that the platform refuses is passed over. */
export async function addCandidates(
  connection: RTCPeerConnection,
  candidates: readonly string[],
  added: Set<string>,
): Promise<void> {
  for (const text of candidates) {
    const candidate = text.replace(/^a=/, '');
    if (added.has(candidate) || added.size >= CANDIDATES_MAX) continue;
    added.add(candidate);
    const sdpMid = /^a=mid:(.*?)\r?$/m.exec(connection.remoteDescription?.sdp ?? '')?.[1] ?? '0';
    await connection.addIceCandidate({ candidate, sdpMid, sdpMLineIndex: 0 }).catch(() => undefined);
  }
}

/** A connection whose channel is open, with what was shown of its other end. */
export function directConnection(
  connection: RTCPeerConnection,
  channel: RTCDataChannel,
  shown: Pick<DirectConnection, 'sessionId' | 'peer' | 'fingerprint' | 'isOwnOffer'>,
): DirectConnection {
  const { sessionId, peer, fingerprint, isOwnOffer } = shown;
  const gone = new Promise<void>(resolve => onceGone(connection, [channel], resolve));
  return {
    ...{ sessionId, peer, fingerprint, isOwnOffer, connection, channel, gone },
    close: () => connection.close(),
  };
}

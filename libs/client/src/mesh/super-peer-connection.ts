import type { RendezvousResult } from '../api-types.js';
import type { Client } from '../client.js';
import { type ControlMessage, readControlMessage } from './control-message.js';
import { acceptAnswer, channelsOpen, onceGone } from './data-channels.js';
import { EchoChannel } from './echo-channel.js';
import { describeLocally, type LocalDescription, type PeerConnectionClass } from './local-description.js';
import { MeshConnectionError } from './mesh-error.js';
import type { MeshMethods } from './mesh-methods.js';
import type { PeerIdentity } from './peer-identity.js';
import { fingerprintOf, signProof } from './peer-proof.js';
import { checkAnswer, type CheckedAnswer } from './service-answer.js';

/** What every connection of a peer is made with. */
export interface ConnectionMeans {
  readonly client: Pick<Client, keyof MeshMethods>;
  readonly identity: PeerIdentity;
  readonly rtc: PeerConnectionClass;
  readonly iceServers: readonly RTCIceServer[];
  /** Longest that candidates are gathered before the offer is sent, milliseconds. */
  readonly gatherMsMax: number;
}

export type Welcome = Extract<ControlMessage, { type: 'welcome' }>;

/** A connection to the service, its three channels open. */
export interface SuperPeerConnection {
  /** The answer that it was made with, as it was checked. */
  readonly answer: CheckedAnswer;
  readonly welcome: Welcome;
  /** SHA-256 of this side's certificate, `AB:CD:…`: what the proof was signed with. */
  readonly fingerprint: string;
  /** What the service has for the next connection, its TURN credentials among them. */
  readonly iceServers: readonly RTCIceServer[];
  readonly connection: RTCPeerConnection;
  readonly ctl: RTCDataChannel;
  readonly crdt: RTCDataChannel;
  readonly echo: EchoChannel;
  /** Resolves when the connection or a channel of it is gone. */
  readonly gone: Promise<void>;
}

/** What comes on the channels, from the first message on. */
export interface ChannelListeners {
  control(message: ControlMessage): void;
  /** Text on `crdt` is passed over: its messages are bytes. */
  crdt(data: unknown): void;
}

/** The service greets as soon as `ctl` is open. */
const WELCOME_MS_MAX = 10_000;
const RENDEZVOUS_PATH = '/v1/mesh/rendezvous';

/**
 * Makes a connection to the service: offer, proof, rendezvous, and, once the answer has been checked, the channels.
 *
 * @throws {MeshDistrustError} before anything is connected
 * @throws {MeshConnectionError} NOT_OPENED; {@link ProblemError}; {@link ConnectionError}; the reason of the signal
 */
export async function connectToService(
  means: ConnectionMeans,
  listeners: ChannelListeners,
  signal: AbortSignal,
): Promise<SuperPeerConnection> {
  const connection = new means.rtc({ iceServers: [...means.iceServers] });
  const over = new AbortController();
  let sessionId: string | undefined;
  try {
    const [ctl, crdt, echo] = ['ctl', 'crdt', 'echo'].map(label => orderedChannel(connection, label));
    const welcome = listen(ctl, crdt, listeners);
    const [keys, local] = await Promise.all([
      means.client.meshKeys({ signal }),
      describeLocally(connection, 'offer', means.gatherMsMax),
    ]);
    const result = await rendezvous(means, local, signal);
    sessionId = result.sessionId;
    const answer = checkAnswer(result, { sdpOffer: local.sdp, keys: keys.data.keys });
    await acceptAnswer(connection, answer.sdpAnswer);
    void trickle(means.client, sessionId, local, over.signal);
    const echoes = new EchoChannel(echo);
    await channelsOpen(connection, [ctl, crdt, echo], signal);
    const gone = new Promise<void>(resolve => onceGone(connection, [ctl, crdt, echo], resolve));
    return {
      answer,
      welcome: await greeted(welcome, gone),
      fingerprint: fingerprintOf(local.sdp),
      iceServers: result.iceServers,
      ...{ connection, ctl, crdt, echo: echoes, gone },
    };
  } catch (error) {
    connection.close();
    if (sessionId !== undefined) void means.client.closeMeshSession(sessionId).catch(() => undefined);
    throw error;
  } finally {
    over.abort();
  }
}

/** An ordered channel whose messages come as buffers. */
export function orderedChannel(connection: RTCPeerConnection, label: string): RTCDataChannel {
  const channel = connection.createDataChannel(label, { ordered: true });
  channel.binaryType = 'arraybuffer';
  return channel;
}

/** Listens from before there is anything to hear; the promise is of the first greeting. */
function listen(ctl: RTCDataChannel, crdt: RTCDataChannel, listeners: ChannelListeners): Promise<Welcome> {
  crdt.addEventListener('message', ({ data }) => listeners.crdt(data));
  return new Promise(resolve => {
    ctl.addEventListener('message', ({ data }) => {
      const message = readControlMessage(data);
      if (message === undefined) return;
      if (message.type === 'welcome') resolve(message);
      listeners.control(message);
    });
  });
}

async function greeted(welcome: Promise<Welcome>, gone: Promise<void>): Promise<Welcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>(resolve => (timer = setTimeout(resolve, WELCOME_MS_MAX)));
  const first = await Promise.race([welcome, gone, late]);
  clearTimeout(timer);
  if (first !== undefined) return first;
  throw new MeshConnectionError('NOT_OPENED', 'the service does not greet on the channel ctl');
}

async function rendezvous(
  { client, identity }: ConnectionMeans,
  { sdp }: LocalDescription,
  signal: AbortSignal,
): Promise<RendezvousResult> {
  const request = { method: 'POST', path: RENDEZVOUS_PATH, sdp, fingerprint: fingerprintOf(sdp) } as const;
  const proof = await signProof(identity, request);
  const { data } = await client.rendezvous({ sdpOffer: sdp, ...proof }, { signal });
  if ('sdpAnswer' in data) return data;
  throw new MeshConnectionError('NOT_ANSWERED', 'the service has put off an answer that is its own to give');
}

/** Sends candidates that were late. Without one of them another may still do, so a refusal is nobody's failure yet. */
export async function trickle(
  client: Pick<MeshMethods, 'addMeshCandidates'>,
  sessionId: string,
  local: LocalDescription,
  signal: AbortSignal,
): Promise<void> {
  for await (const fragment of local.lateFragments(signal)) {
    await client.addMeshCandidates(sessionId, fragment, { signal }).catch(() => undefined);
  }
}

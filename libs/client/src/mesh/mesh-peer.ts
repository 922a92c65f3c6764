import { type PeerDocument } from '@svc/mesh';
import type { ClientOptions } from '../client.js';
import { createClient } from '../client.js';
import { FIRST_BACKOFF_MS } from './backoff.js';
import { connectToPeer, type DirectConnection, type DirectOptions } from './direct-connection.js';
import { type PeerConnectionClass, requirePeerConnection } from './local-description.js';
import type { MeshEvents } from './mesh-events.js';
import { MeshLink, type MeshPeerEvents, type MeshPeerState, type MeshSessionView } from './mesh-link.js';
import { listenForOffers, type ListenOptions } from './offer-listener.js';
import { createPeerIdentity, type PeerIdentity } from './peer-identity.js';
import { PING_MS_MIN } from './pings.js';

export interface JoinOptions extends Pick<
  ClientOptions,
  'baseUrl' | 'fetch' | 'key' | 'wallet' | 'x402' | 'cardTokens' | 'maxSatsPerCall' | 'timeoutMs'
> {
  /** Default: a new one. */
  readonly identity?: PeerIdentity;
  /** Default: the platform's `RTCPeerConnection`; Node has none. */
  readonly rtc?: PeerConnectionClass;
  /** STUN and TURN servers of the first connection; the later ones use those that the service names. Default: none. */
  readonly iceServers?: readonly RTCIceServer[];
  /** Longest that candidates are gathered before an offer or an answer is sent. Default 500 ms. */
  readonly gatherMsMax?: number;
  /** Bound of the first wait before a lost connection is made anew, which doubles with each failure. Default 500 ms. */
  readonly backoffMs?: number;
  /** Least time between two pings of a connection on which nothing else goes. Default 1,000 ms. */
  readonly pingMsMin?: number;
  /** Gives up the first connection. */
  readonly signal?: AbortSignal;
}

/** A peer of the mesh: its connection to the service is kept up until it is closed. */
export interface MeshPeer {
  readonly identity: PeerIdentity;
  readonly state: MeshPeerState;
  /** None while there is no connection. */
  readonly session: MeshSessionView | undefined;
  /** The replicated document: change `shared`, read `shared` and `nodes`. It goes on over connections; see `documentRenewed`. */
  readonly document: PeerDocument;
  on: MeshEvents<MeshPeerEvents>['on'];
  /**
   * Sends up to 65,536 bytes to the service and gives what comes back.
   * @throws {MeshConnectionError} DISCONNECTED, TOO_MUCH_WAITS
   */
  echo(bytes: Uint8Array): Promise<Uint8Array>;
  /** Milliseconds of a way there and back on `ctl`. @throws {MeshConnectionError} DISCONNECTED */
  ping(): Promise<number>;
  /** Connects to another peer directly; see `connectToPeer`. */
  connectTo(options: DirectOptions): Promise<DirectConnection>;
  /** Answers other peers' offers until the peer or the signal ends it; see `listenForOffers`. */
  listen(options: ListenOptions & { readonly signal?: AbortSignal }): Promise<void>;
  /** Says goodbye and closes the connection. Direct connections are left to whoever has them. */
  close(): Promise<void>;
}

/** RFC 8445 has no bound; nearly all candidates are there by then, and the rest is trickled. */
const GATHER_MS_MAX = 500;

/**
 * Joins the mesh: makes a connection to the service, with a signed offer and a checked answer, and keeps it up, with a new one
 * after each that is lost and before each that the service gives up.
 *
 * @throws {MeshDistrustError} where the answer is not what it says it is; nothing is connected then
 * @throws {MeshConnectionError} WEBRTC_MISSING, NOT_OPENED
 * @throws {ProblemError} {@link ConnectionError}; the reason of the signal
 * @example
 * const peer = await joinMesh({ baseUrl: 'http://127.0.0.1:3000' });
 * peer.document.shared.set('greeting', 'hello');
 * const same = await peer.echo(new Uint8Array(1_024));
 * await peer.close();
 */
export async function joinMesh(options: JoinOptions): Promise<MeshPeer> {
  const { identity = await createPeerIdentity(), iceServers = [], gatherMsMax = GATHER_MS_MAX } = options;
  const rtc = requirePeerConnection(options.rtc);
  // A proof serves once, so each try is made here, of new parts.
  const client = createClient({ ...options, retry: { retriesMax: 0 } });
  const link = new MeshLink(
    { client, identity, rtc, iceServers, gatherMsMax },
    { backoffMs: options.backoffMs ?? FIRST_BACKOFF_MS, pingMsMin: options.pingMsMin ?? PING_MS_MIN },
  );
  await link.start(options.signal);
  return peerOf(link);
}

function peerOf(link: MeshLink): MeshPeer {
  return {
    identity: link.identity,
    get state() {
      return link.state;
    },
    get session() {
      return link.session;
    },
    get document() {
      return link.document;
    },
    on: (name, listener) => link.events.on(name, listener),
    echo: bytes => link.echo(bytes),
    ping: () => link.ping(),
    connectTo: ({ targetKey, signal }) =>
      connectToPeer(link.means, { targetKey, signal: link.within(signal) }),
    listen: async ({ signal, ...options }) => {
      const either = link.within(signal);
      await listenForOffers(link.means, options, either).catch((error: unknown) => {
        if (!either.aborted) throw error;
      });
    },
    close: () => link.close(),
  };
}

import {
  answerText,
  MeshDocument,
  rewrite,
  SyncSession,
  UpdateRefused,
  withoutOtherFingerprints,
  writeRenewed,
} from '@svc/mesh';
import { cleanup } from 'node-datachannel';
import { RTCPeerConnection as NodeConnection } from 'node-datachannel/polyfill';
import type { InboxEvent, MeshAnswerRequest, RendezvousRequest, RendezvousResult } from '../src/api-types.js';
import { encodeBase64Url, fromHex } from '../src/challenge/byte-text.js';
import type { Fetch } from '../src/http-exchange.js';
import {
  createPeerIdentity,
  fingerprintOf,
  type PeerConnectionClass,
  type PeerIdentity,
  verifyPeerProof,
} from '../src/mesh/index.js';
import { withoutCandidates } from '../src/mesh/local-description.js';
import { trySend } from '../src/mesh/data-channels.js';
import { settled } from './settled.js';

// Its threads keep the process, though every connection is closed.
afterAll(() => cleanup());

/** The W3C classes of node-datachannel. */
export const nodeRtc = NodeConnection as unknown as PeerConnectionClass;

type Answered = Pick<
  RendezvousResult,
  'sessionId' | 'sdpAnswer' | 'answerSignature' | 'servicePublicKey' | 'expiresAt' | 'peerProof'
>;

interface ScriptedSession {
  readonly id: string;
  readonly offer: RendezvousRequest;
  readonly fragments: string[];
  state: 'waiting' | 'answered' | 'connected' | 'closed';
  answered?: Answered;
  connection?: RTCPeerConnection;
  ctl?: RTCDataChannel;
}

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ code, detail: `scripted ${code}`, title: code, traceId: '' }), {
    status,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
  });

/** Signalling and a super-peer in this process, that does what the service is to do, or what an attacker would. */
export class ScriptedMesh {
  document = new MeshDocument();
  readonly sessions = new Map<string, ScriptedSession>();
  readonly requests: string[] = [];
  /** Changes an answer of the service before it is sent. */
  alter: (answer: Answered, session: ScriptedSession) => Answered | Promise<Answered> = answer => answer;
  /** Changes an event of an inbox. */
  alterEvent: (event: InboxEvent) => InboxEvent = event => event;
  /** Answers the next rendezvous instead. */
  readonly refusals: (() => Response)[] = [];
  idleMs = 120_000;
  /** Brokered offers are answered by 202 at once. */
  isPutOff = false;
  greets = true;
  private readonly channels = new Set<{ session: SyncSession; crdt: RTCDataChannel }>();
  private readonly inboxes = new Map<string, ReadableStreamDefaultController<Uint8Array>>();
  private sequence = 0;

  private constructor(readonly key: PeerIdentity) {}

  static async start(): Promise<ScriptedMesh> {
    return new ScriptedMesh(await createPeerIdentity());
  }

  publishedKeys = () => [
    {
      kid: 'one',
      alg: 'Ed25519' as const,
      publicKey: encodeBase64Url(fromHex(this.key.publicKey)!),
      use: 'mesh',
      notBefore: '2020-01-01T00:00:00.000Z',
      notAfter: null as string | null,
      revokedAt: null as string | null,
    },
  ];

  readonly fetch: Fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input));
    const method = init?.method ?? 'GET';
    this.requests.push(`${method} ${pathname}`);
    if (pathname === '/.well-known/svc-mesh-keys.json') return json(200, { keys: this.publishedKeys() });
    if (pathname === '/v1/mesh/inbox')
      return this.openInbox(searchParams.get('peerPublicKey')!, init?.signal);
    if (pathname === '/v1/mesh/rendezvous') return this.rendezvous(JSON.parse(String(init?.body)));
    const [, id, verb] = /^\/v1\/mesh\/sessions\/([^/]+)(\/answer)?$/.exec(pathname) ?? [];
    const session = this.sessions.get(id);
    if (session === undefined) return problem(404, 'NOT_FOUND');
    if (verb) return this.takeAnswer(session, JSON.parse(String(init?.body)));
    if (method === 'PATCH') return this.takeFragment(session, String(init?.body));
    if (method === 'DELETE') this.closeSession(session);
    return method === 'DELETE' ? new Response(null, { status: 204 }) : json(200, shown(session));
  };

  /** Begins its document anew, with the same content, and tells every peer. */
  renewDocument(): void {
    this.document = new MeshDocument({ snapshot: rewrite(this.document.encode(), 77) });
    for (const { crdt } of this.channels) trySend(crdt, writeRenewed(1));
  }

  /** Says something on every channel `ctl`. */
  say(message: object): void {
    for (const { ctl } of this.sessions.values())
      if (ctl?.readyState === 'open') ctl.send(JSON.stringify(message));
  }

  /** Connections go as with a killed replica: without a word. */
  kill(): void {
    for (const { connection } of this.sessions.values()) connection?.close();
  }

  breakInboxes(): void {
    for (const inbox of this.inboxes.values()) inbox.close();
    this.inboxes.clear();
  }

  close(): void {
    this.breakInboxes();
    this.kill();
  }

  private async rendezvous(offer: RendezvousRequest): Promise<Response> {
    const refusal = this.refusals.shift();
    if (refusal) return refusal();
    const fingerprint = fingerprintOf(offer.sdpOffer);
    const path = '/v1/mesh/rendezvous';
    verifyPeerProof(
      { ...(offer as Required<RendezvousRequest>), method: 'POST', path, target: offer.targetPeerKey },
      { method: 'POST', path, sdp: offer.sdpOffer, fingerprint, target: offer.targetPeerKey },
    );
    const id = `mesh_${String(++this.sequence).padStart(32, '0')}`;
    const session: ScriptedSession = { id, offer, fragments: [], state: 'waiting' };
    this.sessions.set(id, session);
    if (offer.targetPeerKey) return this.broker(session, offer.targetPeerKey);
    const connection = new nodeRtc({ iceServers: [] });
    session.connection = connection;
    connection.addEventListener('datachannel', ({ channel }) => this.wire(session, channel));
    // It learns the other side's addresses by its checks: see the listener for offers.
    await connection.setRemoteDescription({
      type: 'offer',
      sdp: withoutOtherFingerprints(withoutCandidates(offer.sdpOffer)),
    });
    await connection.setLocalDescription(await connection.createAnswer());
    await settled(() => connection.iceGatheringState === 'complete');
    session.answered = await this.sign(session, connection.localDescription!.sdp);
    session.state = 'answered';
    return json(200, await this.altered(session));
  }

  private async altered(session: ScriptedSession): Promise<object> {
    return {
      ...shown({ ...session, answered: undefined }),
      ...(await this.alter(session.answered!, session)),
    };
  }

  /** An answer that the service signs. */
  async sign(
    session: ScriptedSession,
    sdpAnswer: string,
    peerProof?: Answered['peerProof'],
  ): Promise<Answered> {
    const expiresAtMs = Date.now() + 30_000;
    const text = answerText({
      sessionId: session.id,
      sdpOffer: session.offer.sdpOffer,
      sdpAnswer,
      fingerprint: fingerprintOf(sdpAnswer),
      answererKey: peerProof?.peerPublicKey,
      expiresAtMs,
    });
    return {
      sessionId: session.id,
      sdpAnswer,
      answerSignature: await this.key.sign(text),
      servicePublicKey: this.key.publicKey,
      expiresAt: new Date(expiresAtMs).toISOString(),
      ...(peerProof && { peerProof }),
    };
  }

  private wire(session: ScriptedSession, channel: RTCDataChannel): void {
    channel.binaryType = 'arraybuffer';
    if (channel.label === 'echo') channel.addEventListener('message', ({ data }) => channel.send(data));
    if (channel.label === 'ctl') this.wireControl(session, channel);
    if (channel.label === 'crdt') this.wireDocument(session, channel);
  }

  private wireControl(session: ScriptedSession, ctl: RTCDataChannel): void {
    session.ctl = ctl;
    const say = (message: object) => trySend(ctl, JSON.stringify(message));
    const greet = () => {
      session.state = 'connected';
      const { id: sessionId } = session;
      const names = {
        sessionId,
        nodeId: 'node-1',
        identity: 'verified',
        keyHash: 'ab',
        documentName: 'mesh',
      };
      if (this.greets)
        say({ type: 'welcome', ...names, idleMs: this.idleMs, channels: ['ctl', 'crdt', 'echo'] });
    };
    if (ctl.readyState === 'open') greet();
    else ctl.addEventListener('open', greet);
    ctl.addEventListener('message', ({ data }) => {
      const { type, id } = JSON.parse(data) as { type: string; id: number };
      if (type === 'ping') say({ type: 'pong', id, at: Date.now() });
      if (type === 'bye') this.closeSession(session);
    });
  }

  private wireDocument(session: ScriptedSession, crdt: RTCDataChannel): void {
    const origin = { kind: 'peer', name: session.offer.peerPublicKey } as const;
    const replica = {
      readStateVector: () => this.document.stateVector,
      encode: (vector: Uint8Array) => this.document.encode(vector),
      apply: (update: Uint8Array) => this.document.apply(update, origin),
    };
    const send = (message: Uint8Array) => trySend(crdt, message);
    const mine = { crdt, session: new SyncSession(replica, send) };
    this.channels.add(mine);
    crdt.addEventListener('close', () => this.channels.delete(mine));
    crdt.addEventListener('message', ({ data }) => {
      try {
        const stored = mine.session.receive(new Uint8Array(data)).applied?.stored;
        for (const other of this.channels) if (stored && other !== mine) other.session.sendUpdate(stored);
      } catch (error) {
        if (!(error instanceof UpdateRefused)) throw error;
        trySend(session.ctl!, JSON.stringify({ type: 'refused', code: error.code, detail: error.detail }));
      }
    });
    if (crdt.readyState === 'open') mine.session.begin();
    else crdt.addEventListener('open', () => mine.session.begin());
  }

  private openInbox(peerPublicKey: string, signal?: AbortSignal | null): Response {
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        this.inboxes.set(peerPublicKey, controller);
        signal?.addEventListener('abort', () => {
          this.inboxes.delete(peerPublicKey);
          controller.error(signal.reason);
        });
      },
    });
    return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
  }

  hasInbox = (peerPublicKey: string): boolean => this.inboxes.has(peerPublicKey);

  send(to: string, event: InboxEvent): void {
    const text = `id: ${++this.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(this.alterEvent(event))}\n\n`;
    this.inboxes.get(to)?.enqueue(new TextEncoder().encode(text));
  }

  private async broker(session: ScriptedSession, target: string): Promise<Response> {
    if (!this.inboxes.has(target)) return problem(404, 'NOT_FOUND');
    const { peerPublicKey, signature, nonce, timestamp, sdpOffer } =
      session.offer as Required<RendezvousRequest>;
    const claim = { method: 'POST', path: '/v1/mesh/rendezvous', target };
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const peerProof = { peerPublicKey, signature, nonce, timestamp, ...claim };
    this.send(target, {
      type: 'offer',
      sessionId: session.id,
      sdpOffer,
      peerProof,
      iceServers: [],
      expiresAt,
    });
    if (this.isPutOff) return json(202, { sessionId: session.id, iceServers: [], expiresAt });
    await settled(() => session.answered !== undefined);
    return json(200, await this.altered(session));
  }

  private async takeAnswer(session: ScriptedSession, request: MeshAnswerRequest): Promise<Response> {
    const { sdpAnswer, ...proof } = request;
    const path = `/v1/mesh/sessions/${session.id}/answer`;
    const target = session.offer.peerPublicKey;
    session.answered = await this.sign(session, sdpAnswer, { ...proof, method: 'POST', path, target });
    session.state = 'answered';
    return json(200, shown(session));
  }

  private async takeFragment(session: ScriptedSession, fragment: string): Promise<Response> {
    session.fragments.push(fragment);
    const candidates = [...fragment.matchAll(/^a=(candidate:.*?)\r?$/gm)].map(([, candidate]) => candidate);
    for (const candidate of candidates)
      await session.connection?.addIceCandidate({ candidate, sdpMid: '0' }).catch(() => undefined);
    if (session.offer.targetPeerKey)
      this.send(session.offer.targetPeerKey, { type: 'candidates', sessionId: session.id, candidates });
    return new Response(null, { status: 204 });
  }

  private closeSession(session: ScriptedSession): void {
    session.state = 'closed';
    session.connection?.close();
  }
}

function shown(session: ScriptedSession): Record<string, unknown> {
  return {
    sessionId: session.id,
    kind: session.offer.targetPeerKey ? 'brokered' : 'super_peer',
    state: session.state,
    identity: 'verified',
    iceCandidates: [],
    offerCandidates: [],
    iceServers: [],
    ...session.answered,
  };
}

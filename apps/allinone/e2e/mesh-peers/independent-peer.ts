/// <reference lib="dom" />
import { DirectLink } from './direct-link.js';
import { readInbox, type Offer } from './inbox-reader.js';
import { PlainDocument } from './plain-document.js';
import { ServiceLink, type Welcome } from './service-link.js';
import {
  isAnswered,
  isProven,
  PeerKey,
  type Proof,
  type SignedAnswer,
  type ToldProof,
} from './signed-texts.js';

/** A class of the W3C's `RTCPeerConnection`, of whatever make. */
export type PeerConnectionClass = new (configuration?: RTCConfiguration) => RTCPeerConnection;

const RENDEZVOUS = '/v1/mesh/rendezvous';

/** Body of a request for a rendezvous. */
export type RendezvousBody = Proof & { readonly sdpOffer: string; readonly targetPeerKey?: string };

interface Answer extends SignedAnswer {
  readonly peerProof?: ToldProof;
}

/** The answer to a call, its body read. */
export interface Told {
  readonly status: number;
  readonly etag: string | null;
  readonly json: Record<string, unknown>;
}

/** What a test changes of a meeting. */
export interface Meeting {
  /** The offer, before it is signed and sent. */
  readonly offered?: (sdpOffer: string) => string;
  /** The answer, after its signature was checked and before it is taken. */
  readonly answered?: (sdpAnswer: string) => string;
}

/** A connection to the service that may open. */
export interface TriedLink extends Pick<ServiceLink, 'connection' | 'opened'> {
  readonly sessionId: string;
}

/** A peer of the mesh that uses what a platform has, the published protocol, and nothing of ours. */
export class IndependentPeer {
  readonly document = new PlainDocument();
  service: ServiceLink | undefined;
  private readonly connections: RTCPeerConnection[] = [];
  private readonly ended = new AbortController();

  private constructor(
    private readonly rtc: PeerConnectionClass,
    /** Of the gateway, `http://host:port`. */
    readonly address: string,
    readonly key: PeerKey,
  ) {}

  static async create(rtc: PeerConnectionClass, address: string): Promise<IndependentPeer> {
    return new IndependentPeer(rtc, address, await PeerKey.create());
  }

  /** Opens the channels to the service, and keeps the document in step over them. */
  async meetService(): Promise<Welcome> {
    return (await this.tryService()).opened;
  }

  /** As {@link IndependentPeer.meetService}, without waiting for the channels. @throws Error where there is no answer */
  async tryService({ offered = same, answered = same }: Meeting = {}): Promise<TriedLink> {
    const link = new ServiceLink(this.connect(), this.document);
    const sdpOffer = offered(await described(link.connection, 'createOffer'));
    const { json } = await this.rendezvous(await this.request(sdpOffer));
    const answer = json as unknown as Answer;
    if (!(await isAnswered(answer, sdpOffer))) throw new Error('the service did not sign this answer');
    await link.connection.setRemoteDescription({ type: 'answer', sdp: answered(answer.sdpAnswer) });
    this.service = link;
    return { connection: link.connection, opened: link.opened, sessionId: answer.sessionId };
  }

  /** A signed request for an offer. */
  async request(sdpOffer: string, target?: string): Promise<RendezvousBody> {
    const proof = await this.key.prove({ method: 'POST', path: RENDEZVOUS, sdp: sdpOffer, target });
    return { ...proof, sdpOffer, ...(target !== undefined && { targetPeerKey: target }) };
  }

  /** An offer of a connection that has one channel. */
  async offer(): Promise<{ readonly link: DirectLink; readonly sdpOffer: string }> {
    const connection = this.connect();
    const link = new DirectLink(connection, connection.createDataChannel('direct'));
    return { link, sdpOffer: await described(connection, 'createOffer') };
  }

  /** Asks for a rendezvous. @throws Error where it is not answered, with the status and the code of the problem */
  async rendezvous(body: RendezvousBody): Promise<Told> {
    const told = await this.call('POST', RENDEZVOUS, body);
    if (told.status === 200) return told;
    throw new Error(`${told.status} ${String(told.json.code)} ${String(told.json.reason ?? '')}`.trim());
  }

  /** A direct connection to another peer. @throws Error where that peer did not sign the answer that came */
  async connectTo(target: string): Promise<DirectLink> {
    const { link, sdpOffer } = await this.offer();
    const { json } = await this.rendezvous(await this.request(sdpOffer, target));
    const answer = json as unknown as Answer;
    const path = `/v1/mesh/sessions/${answer.sessionId}/answer`;
    const meant = { method: 'POST', path, sdp: answer.sdpAnswer, target: this.key.publicKey } as const;
    if (answer.peerProof?.peerPublicKey !== target || !(await isProven(answer.peerProof, meant)))
      throw new Error('the peer that was called did not sign this answer');
    if (!(await isAnswered(answer, sdpOffer, target)))
      throw new Error('the service did not sign this answer');
    await link.connection.setRemoteDescription({ type: 'answer', sdp: answer.sdpAnswer });
    await link.opened;
    return link;
  }

  /** Opens an inbox; resolves once other peers can call this one. */
  async listen(onOffer: (offer: Offer) => void): Promise<void> {
    const path = '/v1/mesh/inbox';
    const { timestamp, ...proof } = await this.key.prove({ method: 'GET', path });
    const query = new URLSearchParams({ ...proof, timestamp: String(timestamp) });
    await readInbox(`${this.address}${path}?${query.toString()}`, onOffer, this.ended.signal);
  }

  /** Answers an offer; the connection, and the key that signed the offer. @throws Error where none did */
  async answer(
    { sessionId, sdpOffer, peerProof }: Offer,
    configuration?: RTCConfiguration,
  ): Promise<{ link: DirectLink; from: string }> {
    const meant = { method: 'POST', path: RENDEZVOUS, sdp: sdpOffer, target: this.key.publicKey } as const;
    if (!(await isProven(peerProof, meant))) throw new Error('nobody signed this offer');
    const connection = this.connect(configuration);
    const channel = new Promise<RTCDataChannel>(resolve =>
      connection.addEventListener('datachannel', event => resolve(event.channel)),
    );
    await connection.setRemoteDescription({ type: 'offer', sdp: sdpOffer });
    const sdpAnswer = await described(connection, 'createAnswer');
    const path = `/v1/mesh/sessions/${sessionId}/answer`;
    const from = peerProof.peerPublicKey;
    const proof = await this.key.prove({ method: 'POST', path, sdp: sdpAnswer, target: from });
    const { status, json } = await this.call('POST', path, { ...proof, sdpAnswer });
    if (status !== 200) throw new Error(`${status} ${String(json.code)}`);
    const link = new DirectLink(connection, await channel);
    await link.opened;
    return { link, from };
  }

  /** @param body JSON; text is a fragment of a description */
  async call(method: string, path: string, body?: object | string): Promise<Told> {
    const isFragment = typeof body === 'string';
    const type = isFragment ? 'application/trickle-ice-sdpfrag' : 'application/json';
    const response = await fetch(this.address + path, {
      method,
      ...(body !== undefined && {
        ...{ headers: { 'content-type': type }, body: isFragment ? body : JSON.stringify(body) },
      }),
    });
    const text = await response.text();
    const json = (text === '' ? {} : JSON.parse(text)) as Told['json'];
    return { status: response.status, etag: response.headers.get('etag'), json };
  }

  close(): void {
    this.ended.abort();
    for (const connection of this.connections) connection.close();
  }

  private connect(configuration: RTCConfiguration = { iceServers: [] }): RTCPeerConnection {
    const connection = new this.rtc(configuration);
    this.connections.push(connection);
    return connection;
  }
}

const same = (sdp: string) => sdp;

/** A description of this side with all its candidates. */
async function described(
  connection: RTCPeerConnection,
  make: 'createOffer' | 'createAnswer',
): Promise<string> {
  const gathered = new Promise<void>(resolve => {
    const look = () => {
      if (connection.iceGatheringState === 'complete') resolve();
    };
    connection.addEventListener('icegatheringstatechange', look);
    connection.addEventListener('icecandidate', look);
  });
  await connection.setLocalDescription(await connection[make]());
  if (connection.iceGatheringState !== 'complete') await gathered;
  return connection.localDescription!.sdp;
}

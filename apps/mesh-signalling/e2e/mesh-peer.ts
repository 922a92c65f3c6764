import type { InboxQuery, MeshAnswerRequest, RendezvousRequest } from '@svc/contracts';
import { inspectAnswer, inspectOffer, parsePeerKey, rendezvousText } from '@svc/mesh';
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';

const ANY = { candidates: 'any' } as const;

const hexPairs = (bytes: Uint8Array) =>
  Buffer.from(bytes).toString('hex').toUpperCase().match(/../g)!.join(':');
const iceText = (bytes: number) => randomBytes(bytes).toString('hex');

/** What stands in a description; every one is of another connection. */
export interface DescriptionParts {
  readonly setup?: 'actpass' | 'active';
  /** `8.8.4.4 40000`. */
  readonly addresses?: readonly string[];
  readonly iceUfrag?: string;
  readonly icePwd?: string;
}

export const candidateAt = (address: string, n = 1): string =>
  `candidate:${n} 1 UDP ${2_114_977_791 - n} ${address} typ host`;

/** A description as a peer of data channels makes it. */
export function description(parts: DescriptionParts = {}): string {
  const { setup = 'actpass', addresses = ['8.8.4.4 40000'] } = parts;
  const { iceUfrag = iceText(4), icePwd = iceText(16) } = parts;
  return [
    ...['v=0', `o=- ${Date.now()} 2 IN IP4 127.0.0.1`, 's=-', 't=0 0', 'a=group:BUNDLE 0'],
    ...['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'c=IN IP4 0.0.0.0', 'a=mid:0'],
    ...[`a=ice-ufrag:${iceUfrag}`, `a=ice-pwd:${icePwd}`, 'a=ice-options:trickle'],
    ...[`a=fingerprint:sha-256 ${hexPairs(randomBytes(32))}`, `a=setup:${setup}`],
    ...['a=sctp-port:5000', 'a=max-message-size:262144'],
    ...addresses.map((address, i) => `a=${candidateAt(address, i + 1)}`),
    '',
  ].join('\r\n');
}

/** A fragment of the side that made a description. */
export function fragmentOf(sdp: string, addresses: readonly string[], isLast = false): string {
  const { iceUfrag, icePwd } = inspectOffer(sdp, ANY);
  return [
    ...[`a=ice-ufrag:${iceUfrag}`, `a=ice-pwd:${icePwd}`],
    ...['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'a=mid:0'],
    ...addresses.map((address, i) => `a=${candidateAt(address, 100 + i)}`),
    ...(isLast ? ['a=end-of-candidates', ''] : ['']),
  ].join('\r\n');
}

/** Whether a text was signed with an Ed25519 key; key and signature are hex. */
export function isSignedWith(publicKey: string, text: string, signature: string): boolean {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'));
}

interface Signing {
  readonly nonce?: string;
  readonly timestamp?: number;
}

/** Somebody with a key. */
export class MeshPeer {
  readonly publicKey: string;
  readonly keyHash: string;
  private readonly privateKey: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    this.keyHash = parsePeerKey(this.publicKey).hash;
    this.privateKey = privateKey;
  }

  /** A signed request for a rendezvous with the service, or with another peer. */
  rendezvous(
    sdpOffer: string,
    target?: { readonly publicKey: string },
    signing?: Signing,
  ): RendezvousRequest {
    const { fingerprint } = inspectOffer(sdpOffer, ANY);
    const targetKey = target?.publicKey;
    const signed = { method: 'POST', path: '/v1/mesh/rendezvous', sdp: sdpOffer, fingerprint, targetKey };
    return {
      ...{ peerPublicKey: this.publicKey, sdpOffer, ...this.proof(signed, signing) },
      ...(target && { targetPeerKey: target.publicKey }),
    };
  }

  /** A signed answer to the offer of another peer. */
  answer(
    sessionId: string,
    offerer: { readonly publicKey: string },
    sdpAnswer = description({ setup: 'active' }),
    signing?: Signing,
  ): MeshAnswerRequest {
    const { fingerprint } = inspectAnswer(sdpAnswer, ANY);
    const path = `/v1/mesh/sessions/${sessionId}/answer`;
    const signed = { method: 'POST', path, sdp: sdpAnswer, fingerprint, targetKey: offerer.publicKey };
    return { peerPublicKey: this.publicKey, sdpAnswer, ...this.proof(signed, signing) };
  }

  /** A signed query for an inbox. */
  inbox(signing?: Signing): Omit<InboxQuery, 'timestamp'> & { timestamp: string } {
    const { timestamp, ...proof } = this.proof({ method: 'GET', path: '/v1/mesh/inbox' }, signing);
    return { peerPublicKey: this.publicKey, ...proof, timestamp: String(timestamp) };
  }

  private proof(
    claim: Omit<Parameters<typeof rendezvousText>[0], 'nonce' | 'timestampMs'>,
    { nonce = randomBytes(16).toString('hex'), timestamp = Date.now() }: Signing = {},
  ) {
    const text = rendezvousText({ ...claim, nonce, timestampMs: timestamp });
    return { signature: sign(null, Buffer.from(text), this.privateKey).toString('hex'), nonce, timestamp };
  }
}

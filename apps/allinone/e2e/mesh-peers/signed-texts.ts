/** What a proof of identity is of. */
export interface ProvenRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The description that is sent; none in a question for an inbox. */
  readonly sdp?: string;
  /** Key of the peer that it is meant for; none: the service. */
  readonly target?: string | undefined;
}

/** What stands in a request beside what it asks for. */
export interface Proof {
  readonly peerPublicKey: string;
  readonly signature: string;
  readonly nonce: string;
  readonly timestamp: number;
}

/** A proof as another peer is told of it. */
export interface ToldProof extends Proof {
  readonly method: string;
  readonly path: string;
  readonly target?: string;
}

/** What the service signs of an answer. */
export interface SignedAnswer {
  readonly sessionId: string;
  readonly sdpAnswer: string;
  readonly expiresAt: string;
  readonly answerSignature: string;
  readonly servicePublicKey: string;
}

const utf8 = new TextEncoder();

export const hexOf = (bytes: ArrayBuffer | Uint8Array): string =>
  [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16));

export const sha256Hex = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  hexOf(await crypto.subtle.digest('SHA-256', bytes));

const digestOf = (text: string) => sha256Hex(utf8.encode(text));

/** `AB:CD:…` of the certificate that a description names. */
export function fingerprintOf(sdp: string): string {
  const found = /^a=fingerprint:sha-256 ([0-9A-F:]{95})\r?$/im.exec(sdp);
  if (!found) throw new Error('the description names no certificate');
  return found[1].toUpperCase();
}

/** A description that names another certificate, of nobody. */
export function withOtherFingerprint(sdp: string): string {
  const other = hexOf(crypto.getRandomValues(new Uint8Array(32)))
    .toUpperCase()
    .match(/../g)!;
  return sdp.replace(/^(a=fingerprint:sha-256 )[0-9A-F:]{95}/im, `$1${other.join(':')}`);
}

async function requestText(request: ProvenRequest, nonce: string, timestamp: number): Promise<string> {
  const { method, path, sdp, target } = request;
  const fingerprint = sdp === undefined ? '-' : fingerprintOf(sdp);
  const digest = await digestOf(sdp ?? '');
  return ['svc-mesh-v1', method, path, digest, fingerprint, target ?? '-', nonce, timestamp].join('\n');
}

/**
 * A peer's key, by Web Crypto alone, and what it signs, written from the format's description: these peers share no code with the
 * service or with its client.
 */
export class PeerKey {
  private constructor(
    /** Ed25519, 64 lower-case hex digits. */
    readonly publicKey: string,
    /** SHA-256 of the key's bytes, hex. */
    readonly keyHash: string,
    private readonly privateKey: CryptoKey,
  ) {}

  static async create(): Promise<PeerKey> {
    const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
    const { publicKey, privateKey } = pair as CryptoKeyPair;
    const raw = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
    return new PeerKey(hexOf(raw), await sha256Hex(raw), privateKey);
  }

  async prove(request: ProvenRequest): Promise<Proof> {
    const nonce = hexOf(crypto.getRandomValues(new Uint8Array(16)));
    const timestamp = Date.now();
    const text = utf8.encode(await requestText(request, nonce, timestamp));
    const signature = hexOf(await crypto.subtle.sign('Ed25519', this.privateKey, text));
    return { peerPublicKey: this.publicKey, signature, nonce, timestamp };
  }
}

async function isSigned(publicKey: string, signature: string, text: string): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytesOf(publicKey), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, bytesOf(signature), utf8.encode(text));
}

/** Whether another peer made this description for this request: the service that says so is not believed. */
export async function isProven(proof: ToldProof, meant: Required<ProvenRequest>): Promise<boolean> {
  if (proof.method !== meant.method || proof.path !== meant.path || proof.target !== meant.target)
    return false;
  const text = await requestText(meant, proof.nonce, proof.timestamp);
  return isSigned(proof.peerPublicKey, proof.signature, text);
}

/** Whether the service gave this answer to this offer. @param answerer key of the peer that answers; none: the service */
export async function isAnswered(answer: SignedAnswer, sdpOffer: string, answerer = '-'): Promise<boolean> {
  const { sessionId, sdpAnswer, expiresAt, answerSignature, servicePublicKey } = answer;
  const text = [
    ...['svc-mesh-answer-v1', sessionId, await digestOf(sdpOffer), await digestOf(sdpAnswer)],
    ...[fingerprintOf(sdpAnswer), answerer, Date.parse(expiresAt)],
  ].join('\n');
  return isSigned(servicePublicKey, answerSignature, text);
}

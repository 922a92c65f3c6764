import { rendezvousText } from '@svc/mesh';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const RENDEZVOUS = { method: 'POST', path: '/v1/mesh/rendezvous' };

/** Somebody with an Ed25519 key. */
export class SigningPeer {
  #privateKey;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    /** 64 hex digits. */
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    this.#privateKey = privateKey;
  }

  /** Body of a request for a rendezvous. @param targetPeerKey undefined: the service itself */
  rendezvous(sdpOffer, targetPeerKey) {
    const proof = this.#prove({ ...RENDEZVOUS, sdp: sdpOffer, targetKey: targetPeerKey });
    return { peerPublicKey: this.publicKey, sdpOffer, ...proof, ...(targetPeerKey && { targetPeerKey }) };
  }

  /** Body of an answer. */
  answer(sessionId, offererKey, sdpAnswer) {
    const path = `/v1/mesh/sessions/${sessionId}/answer`;
    const proof = this.#prove({ method: 'POST', path, sdp: sdpAnswer, targetKey: offererKey });
    return { peerPublicKey: this.publicKey, sdpAnswer, ...proof };
  }

  /** Query of an inbox; all of it is text. */
  inbox() {
    const { timestamp, ...proof } = this.#prove({ method: 'GET', path: '/v1/mesh/inbox' });
    return { peerPublicKey: this.publicKey, ...proof, timestamp: String(timestamp) };
  }

  #prove(claim) {
    const [nonce, timestamp] = [randomBytes(16).toString('hex'), Date.now()];
    const fingerprint = claim.sdp && /^a=fingerprint:sha-256 (\S+)/m.exec(claim.sdp)[1];
    const text = rendezvousText({
      ...claim,
      ...(fingerprint && { fingerprint }),
      nonce,
      timestampMs: timestamp,
    });
    return { signature: sign(null, Buffer.from(text), this.#privateKey).toString('hex'), nonce, timestamp };
  }
}

/** A description of a connection that nobody opens: it names no address, so that nothing is sent anywhere. */
export function description(setup) {
  const fingerprint = randomBytes(32).toString('hex').toUpperCase().match(/../g).join(':');
  return [
    ...['v=0', `o=- ${Date.now()} 2 IN IP4 127.0.0.1`, 's=-', 't=0 0', 'a=group:BUNDLE 0'],
    ...['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'c=IN IP4 0.0.0.0', 'a=mid:0'],
    ...[`a=ice-ufrag:${randomBytes(4).toString('hex')}`, `a=ice-pwd:${randomBytes(16).toString('hex')}`],
    ...['a=ice-options:trickle', `a=fingerprint:sha-256 ${fingerprint}`, `a=setup:${setup}`],
    ...['a=sctp-port:5000', 'a=max-message-size:262144', ''],
  ].join('\r\n');
}

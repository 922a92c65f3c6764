export type { ControlMessage } from './control-message.js';
export {
  connectToPeer,
  DIRECT_LABEL,
  type DirectConnection,
  type DirectOptions,
} from './direct-connection.js';
export { ECHO_BYTES_MAX } from './echo-channel.js';
export type { PeerConnectionClass } from './local-description.js';
export { MeshConnectionError, type MeshDistrust, MeshDistrustError, type MeshFailure } from './mesh-error.js';
export { joinMesh, type JoinOptions, type MeshPeer } from './mesh-peer.js';
export { type MeshPeerEvents, type MeshPeerState, type MeshSessionView } from './mesh-link.js';
export { checkOffer, listenForOffers, type ListenOptions } from './offer-listener.js';
export {
  createPeerIdentity,
  generateKeyPair,
  type IdentityOptions,
  identityOfKeyPair,
  type PeerIdentity,
  verifyPeerSignature,
} from './peer-identity.js';
export {
  fingerprintOf,
  type ProvenPeer,
  type ProvenRequest,
  type SignedProof,
  signProof,
  verifyPeerProof,
} from './peer-proof.js';
export { type AnswerContext, type AnswerToCheck, checkAnswer, type CheckedAnswer } from './service-answer.js';
export type { ConnectionMeans } from './super-peer-connection.js';

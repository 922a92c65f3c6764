import { z } from 'zod';
import { byOperator } from './account.contract.js';
import { PublicKeys } from './licences.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { IdemKey } from './tool-call.contract.js';
import { PlainText, PublicKeyHex, unguessableId } from './wire-format.js';

/** Characters of one session description. */
export const SDP_CHARS_MAX = 65_536;
/** Longest that a rendezvous waits for the answer of its target, milliseconds. */
export const TARGET_WAIT_MS = 10_000;
/** A proof of identity is of the present: its timestamp is at most so far from now, milliseconds. */
export const PROOF_WINDOW_MS = 60_000;
/** Longest that a question for the events of an inbox is held open, milliseconds. */
export const INBOX_WAIT_MS_MAX = 10_000;
/** An inbox that nobody asks for so long is closed, and its peer is not present any more, milliseconds. */
export const INBOX_LEASE_MS = 60_000;

const SessionId = unguessableId('mesh').meta({ description: 'Id of a signalling session: 128 random bits' });
const InboxId = unguessableId('inbox').meta({ description: 'Id of an open inbox: 128 random bits' });

const Sdp = z.string().min(1).max(SDP_CHARS_MAX);

const Signature = z
  .string()
  .max(146)
  .regex(/^(0x)?([0-9a-fA-F]{2}){64,72}$/, { error: '64 to 72 bytes in hexadecimal digits' })
  .meta({
    description: 'Of the peer over the text of docs/mesh.md: Ed25519, or ECDSA of SHA-256 (64 bytes, or DER)',
  });
const Nonce = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]{32}$/, { error: '16 bytes in hexadecimal digits' })
  .meta({ description: '16 random bytes; each serves once' });
const Timestamp = z
  .int()
  .min(0)
  .max(8_640_000_000_000_000)
  .meta({ description: `Unix milliseconds, within ${PROOF_WINDOW_MS / 1_000} s` });

const proofFields = { signature: Signature, nonce: Nonce, timestamp: Timestamp };

/** Body of `POST /v1/mesh/rendezvous`. */
export const RendezvousRequest = z
  .strictObject({
    peerPublicKey: PublicKeyHex,
    sdpOffer: Sdp.meta({
      description: 'An offer with one m=application section; complete, or trickled after',
    }),
    targetPeerKey: PublicKeyHex.optional().meta({
      description: 'Broker to this peer; without it the service itself answers',
    }),
    signature: Signature.optional(),
    nonce: Nonce.optional(),
    timestamp: Timestamp.optional(),
  })
  .refine(
    ({ signature, nonce, timestamp }) =>
      [signature, nonce, timestamp].every(field => field === undefined) ||
      [signature, nonce, timestamp].every(field => field !== undefined),
    { error: 'signature, nonce and timestamp come together, or none of them', path: ['signature'] },
  )
  .meta({ id: 'RendezvousRequest' });
export type RendezvousRequest = z.output<typeof RendezvousRequest>;

const IceServer = z
  .object({
    urls: z.array(z.string()),
    username: z.string().optional(),
    credential: z.string().optional(),
  })
  .meta({ id: 'IceServer' });
export type IceServer = z.infer<typeof IceServer>;

/** What a peer signed, as the other peer checks it: the broker is not believed. */
export const PeerProof = z
  .object({
    peerPublicKey: z.string().meta({ description: 'Lower-case hex, without 0x; secp256k1 compressed' }),
    ...proofFields,
    method: z.string(),
    path: z.string(),
    target: z.string().optional().meta({ description: 'The key that it was signed for' }),
  })
  .meta({ id: 'PeerProof', description: 'The parts of the signed text beside the description itself' });
export type PeerProof = z.infer<typeof PeerProof>;

/** What an answer of the rendezvous shows, and what not. */
export const RENDEZVOUS_DOES_NOT_PROVE =
  'That the peers are connected, or that either is who it says beyond holding its key: only that this answer was given to this offer.';

const answeredFields = {
  sdpAnswer: z.string(),
  sessionStatus: z
    .enum(['P2P_AEROMESH_ENTANGLED'])
    .meta({ description: 'An answer was issued; GET the session to learn whether it is connected' }),
  sessionId: SessionId,
  answeredBy: z.enum(['service', 'peer']),
  identity: z.enum(['verified', 'unverified']).meta({ description: 'Of the peer that offers' }),
  iceCandidates: z.array(z.string()).meta({ description: 'Those of sdpAnswer, once more' }),
  iceServers: z.array(IceServer),
  expiresAt: z.iso.datetime().meta({ description: 'Unopened, the session ends then' }),
  answerSignature: z
    .string()
    .meta({ description: 'Ed25519 of the service over the text of docs/mesh.md, hex' }),
  servicePublicKey: z.string().meta({ description: 'hex; listed in /.well-known/svc-mesh-keys.json' }),
  peerProof: PeerProof.optional().meta({ description: 'Of the peer that answers, where one does' }),
  proves: z.literal('signature'),
  doesNotProve: z.string(),
};

/** Response of `POST /v1/mesh/rendezvous`; the first two fields are the spec's. */
export const RendezvousResult = z.object(answeredFields).meta({ id: 'RendezvousResult' });
export type RendezvousResult = z.infer<typeof RendezvousResult>;

/** 202 of `POST /v1/mesh/rendezvous`: the target has not answered yet. */
export const RendezvousPending = z
  .object({ sessionId: SessionId, iceServers: z.array(IceServer), expiresAt: z.iso.datetime() })
  .meta({ id: 'RendezvousPending' });
export type RendezvousPending = z.infer<typeof RendezvousPending>;

export const MESH_SESSION_STATES = ['waiting', 'answered', 'connected', 'closed', 'expired'] as const;

/** Response of `GET /v1/mesh/sessions/:sessionId`. */
export const MeshSession = z
  .object({
    sessionId: SessionId,
    kind: z.enum(['super_peer', 'brokered']),
    state: z.enum(MESH_SESSION_STATES).meta({
      description:
        'connected: the channels to the service are open. Of a brokered session the service does not learn that: answered is the last it sees',
    }),
    reason: z.string().optional().meta({ description: 'Why it is closed or expired' }),
    identity: z.enum(['verified', 'unverified']),
    sdpAnswer: z.string().optional(),
    answerSignature: z.string().optional(),
    servicePublicKey: z.string().optional(),
    peerProof: PeerProof.optional(),
    iceCandidates: z.array(z.string()).meta({ description: 'Of the answer, and trickled by its side since' }),
    offerCandidates: z.array(z.string()).meta({ description: 'Trickled by the side of the offer' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'MeshSession' });
export type MeshSession = z.infer<typeof MeshSession>;

/** Body of `POST /v1/mesh/sessions/:sessionId/answer`. */
export const MeshAnswerRequest = z
  .strictObject({ peerPublicKey: PublicKeyHex, sdpAnswer: Sdp, ...proofFields })
  .meta({ id: 'MeshAnswerRequest' });
export type MeshAnswerRequest = z.output<typeof MeshAnswerRequest>;

/** Query of `GET /v1/mesh/inbox`: whoever reads an inbox proves to hold its key. */
export const InboxQuery = z.strictObject({
  peerPublicKey: PublicKeyHex,
  signature: Signature,
  nonce: Nonce,
  // A query is text.
  timestamp: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, { error: 'unix milliseconds' })
    .transform(Number)
    .meta({ type: 'integer', minimum: 0, maximum: 9_999_999_999_999_999 }),
});
export type InboxQuery = z.output<typeof InboxQuery>;

/** One event of an inbox. */
export const InboxEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('offer'),
      sessionId: SessionId,
      sdpOffer: z.string(),
      peerProof: PeerProof,
      iceServers: z.array(IceServer),
      expiresAt: z.iso.datetime().meta({ description: 'An answer after that comes too late' }),
    }),
    z.object({ type: z.literal('candidates'), sessionId: SessionId, candidates: z.array(z.string()) }),
    z.object({ type: z.literal('closed'), sessionId: SessionId, reason: z.string() }),
  ])
  .meta({ id: 'InboxEvent' });
export type InboxEvent = z.infer<typeof InboxEvent>;

/** Body of `POST /v1/admin/mesh/document/reset`. */
export const ResetMeshDocumentRequest = z
  .strictObject({
    content: z
      .enum(['keep', 'clear'])
      .meta({ description: 'keep: the same content without its history; clear: an empty document' }),
    reason: PlainText.trim().min(3).max(200),
  })
  .meta({ id: 'ResetMeshDocumentRequest' });

/** Response of `POST /v1/admin/mesh/document/reset`. */
export const MeshDocumentReset = z
  .object({
    epoch: z.int().meta({ description: 'How often the document was begun anew, with this time' }),
    writers: z.int().meta({ description: 'Client ids that write no more' }),
    bytesBefore: z.int().meta({ description: 'Of the document, encoded' }),
    bytes: z.int(),
    crdtStateHash: z.string().meta({ description: '64 hexadecimal digits, as sync_mesh_crdt has it' }),
    begunAt: z.iso.datetime(),
  })
  .meta({ id: 'MeshDocumentReset' });
export type MeshDocumentReset = z.infer<typeof MeshDocumentReset>;

/** A place after an event of an inbox. */
const InboxSeq = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const sessionParams = z.object({ sessionId: SessionId });
const sessionRef = { sessionId: SessionId };

/** Who asks, as far as the gateway knows. */
const Caller = z.object({ address: z.string().max(64) });

/** What the mesh service answers on the bus. */
export const meshContract = {
  /**
   * Whether a rendezvous can be tried, without doing it: UNPROCESSABLE names the line of the description, IDENTITY_UNPROVED
   * says what is wrong with the proof, NOT_FOUND and CONFLICT that the target is away or busy, RATE_LIMITED, OVERLOADED.
   * Uses no nonce.
   */
  admitRendezvous: procedure('mesh-signalling', 'admit-rendezvous', {
    request: z.object({ request: RendezvousRequest, caller: Caller }),
    reply: z.object({}),
    timeoutMs: 3_000,
  }),
  /**
   * As {@link meshContract.admitRendezvous}, and does it. A target that does not answer within {@link TARGET_WAIT_MS} is pending.
   * `idemKey` names the call: asked again with the same key it opens no second session and uses no second nonce, but
   * says what has become of the first.
   */
  rendezvous: procedure('mesh-signalling', 'rendezvous', {
    request: z.object({ request: RendezvousRequest, caller: Caller, idemKey: IdemKey.optional() }),
    reply: z.discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('answered'), ...answeredFields, version: z.int() }),
      z.object({ outcome: z.literal('pending'), ...RendezvousPending.shape, version: z.int() }),
    ]),
    timeoutMs: TARGET_WAIT_MS + 8_000,
  }),
  /** NOT_FOUND; EXPIRED never: an ended session is shown for an hour. */
  session: procedure('mesh-signalling', 'session', {
    request: z.object(sessionRef),
    reply: z.object({ session: MeshSession, version: z.int() }),
    timeoutMs: 3_000,
  }),
  /** The answer of the target of an offer. IDENTITY_UNPROVED, NOT_FOUND, CONFLICT (answered already), EXPIRED, UNPROCESSABLE. */
  answer: procedure('mesh-signalling', 'answer', {
    request: z.object({ ...sessionRef, request: MeshAnswerRequest }),
    reply: z.object({ session: MeshSession, version: z.int() }),
    timeoutMs: 5_000,
  }),
  /** Candidates of one side. UNPROCESSABLE (credentials of neither side, too), NOT_FOUND, CONFLICT (no more were to come), EXPIRED. */
  trickle: procedure('mesh-signalling', 'trickle', {
    request: z.object({ ...sessionRef, fragment: z.string().max(SDP_CHARS_MAX) }),
    reply: z.object({ version: z.int() }),
    timeoutMs: 5_000,
  }),
  /** Ends a session; one that has ended stays as it is. NOT_FOUND. */
  closeSession: procedure('mesh-signalling', 'close-session', {
    request: z.object(sessionRef),
    reply: z.object({}),
    timeoutMs: 5_000,
  }),
  /** Opens an inbox for whoever proves to hold the key. IDENTITY_UNPROVED, RATE_LIMITED. */
  openInbox: procedure('mesh-signalling', 'open-inbox', {
    request: z.object({ query: InboxQuery, caller: Caller }),
    reply: z.object({ inboxId: InboxId }),
    timeoutMs: 5_000,
  }),
  /**
   * Events after `afterSeq`, held open for `waitMs` while there are none; asking renews the inbox for {@link INBOX_LEASE_MS}.
   * NOT_FOUND once the inbox is closed.
   */
  inboxEvents: procedure('mesh-signalling', 'inbox-events', {
    request: z.object({
      inboxId: InboxId,
      /** Where it is not said, from what waits: offers that can be answered still. */
      afterSeq: InboxSeq.optional(),
      waitMs: z.int().min(0).max(INBOX_WAIT_MS_MAX).default(0),
    }),
    reply: z.object({
      events: z.array(z.object({ seq: InboxSeq, event: InboxEvent })).max(64),
      /** Where to go on. */
      lastSeq: InboxSeq,
    }),
    timeoutMs: INBOX_WAIT_MS_MAX + 5_000,
  }),
  closeInbox: procedure('mesh-signalling', 'close-inbox', {
    request: z.object({ inboxId: InboxId }),
    reply: z.object({}),
    timeoutMs: 3_000,
  }),
  /** Begins the document anew for an operator, and keeps on record who did it and why. */
  resetDocument: procedure('mesh-signalling', 'reset-document', {
    request: z.object({ ...byOperator, request: ResetMeshDocumentRequest }),
    reply: MeshDocumentReset,
    timeoutMs: 15_000,
  }),
  /** The keys that answers are signed with. */
  meshKeys: procedure('mesh-signalling', 'mesh-keys', {
    isPublic: true,
    request: z.object({}),
    reply: PublicKeys,
    timeoutMs: 3_000,
  }),
} as const;

const ETAG = { ETag: 'Names the ICE session; stays as it is' };

export const meshRoutes = defineRoutes({
  rendezvous: {
    operationId: 'mesh.rendezvous',
    method: 'POST',
    path: '/v1/mesh/rendezvous',
    summary: 'Answer a session description, or broker it to a peer',
    description:
      'Without targetPeerKey the service answers, with the data channels ctl, crdt and echo. With it the offer goes to the inbox of that peer, unchanged; the request waits up to 10 s for its answer. A signature binds the DTLS fingerprint of the offer to peerPublicKey; brokering needs one.',
    tag: 'Mesh',
    access: 'quota',
    body: { schema: RendezvousRequest },
    bodyBytesMax: 262_144,
    replies: {
      200: {
        description: 'The answer and its candidates',
        schema: RendezvousResult,
        headers: { ...ETAG, Location: 'The session' },
      },
      202: {
        description: 'The peer has not answered yet',
        schema: RendezvousPending,
        headers: { ...ETAG, Location: 'The session' },
      },
    },
    problems: ['UNPROCESSABLE', 'NOT_FOUND', 'CONFLICT', 'IDENTITY_UNPROVED', 'OVERLOADED'],
  },
  session: {
    operationId: 'mesh.session',
    method: 'GET',
    path: '/v1/mesh/sessions/:sessionId',
    summary: 'State of a session',
    tag: 'Mesh',
    access: 'free',
    params: sessionParams,
    replies: { 200: { description: 'The session', schema: MeshSession, headers: ETAG } },
    problems: ['NOT_FOUND'],
  },
  answer: {
    operationId: 'mesh.answer',
    method: 'POST',
    path: '/v1/mesh/sessions/:sessionId/answer',
    summary: 'Answer an offer that came to the inbox',
    tag: 'Mesh',
    access: 'free',
    params: sessionParams,
    body: { schema: MeshAnswerRequest },
    bodyBytesMax: 262_144,
    replies: { 200: { description: 'The session', schema: MeshSession, headers: ETAG } },
    problems: ['UNPROCESSABLE', 'NOT_FOUND', 'CONFLICT', 'EXPIRED', 'IDENTITY_UNPROVED'],
  },
  trickle: {
    operationId: 'mesh.trickle',
    method: 'PATCH',
    path: '/v1/mesh/sessions/:sessionId',
    summary: 'Add candidates (trickle ICE, RFC 9725)',
    tag: 'Mesh',
    access: 'free',
    params: sessionParams,
    headers: z.object({
      'If-Match': z.string().max(256).optional().meta({ description: 'ETag of the session; or *' }),
    }),
    body: {
      schema: z.string().min(1).max(SDP_CHARS_MAX).meta({ id: 'SdpFragment' }),
      mediaType: 'application/trickle-ice-sdpfrag',
    },
    replies: { 204: { description: 'Added', headers: ETAG } },
    problems: ['UNPROCESSABLE', 'NOT_FOUND', 'CONFLICT', 'EXPIRED', 'PRECONDITION_FAILED'],
  },
  closeSession: {
    operationId: 'mesh.close-session',
    method: 'DELETE',
    path: '/v1/mesh/sessions/:sessionId',
    summary: 'Close a session',
    tag: 'Mesh',
    access: 'free',
    params: sessionParams,
    replies: { 204: { description: 'Closed' } },
    problems: ['NOT_FOUND'],
  },
  inbox: {
    operationId: 'mesh.inbox',
    method: 'GET',
    path: '/v1/mesh/inbox',
    summary: 'Offers of other peers, as they come',
    description:
      'Server-sent events `offer`, `candidates` and `closed`; while the stream is open its peer is present. The proof is in the query: browsers cannot give an EventSource headers. A stream that broke is opened again with a new proof, and `Last-Event-ID`.',
    tag: 'Mesh',
    access: 'free',
    query: InboxQuery,
    headers: z.object({
      'Last-Event-ID': z
        .string()
        .regex(/^[0-9]{1,15}$/)
        .optional()
        .meta({ description: 'Goes on after this event' }),
    }),
    replies: {
      200: {
        description: 'Events, each an InboxEvent',
        schema: InboxEvent,
        mediaType: 'text/event-stream',
      },
    },
    problems: ['IDENTITY_UNPROVED', 'UNPROCESSABLE', 'CONFLICT', 'OVERLOADED'],
  },
  resetDocument: {
    operationId: 'admin.reset-mesh-document',
    method: 'POST',
    path: '/v1/admin/mesh/document/reset',
    summary: 'Begin the document of the mesh anew, with its content or empty',
    description:
      'Needs the scope `admin:mesh`. All client ids that wrote in it end, and every peer goes on with the new one.',
    tag: 'Admin',
    access: 'admin',
    body: { schema: ResetMeshDocumentRequest },
    replies: { 200: { description: 'The document that was begun', schema: MeshDocumentReset } },
  },
  meshKeys: {
    operationId: 'mesh.keys',
    method: 'GET',
    path: '/.well-known/svc-mesh-keys.json',
    summary: 'Keys that answers of the rendezvous are signed with',
    tag: 'Mesh',
    access: 'free',
    replies: { 200: { description: 'The keys, the newest first', schema: PublicKeys } },
  },
});

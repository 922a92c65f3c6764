import { z } from 'zod';
import { defineRoutes } from './route.js';
import { PublicKeyHex, unguessableId } from './wire-format.js';

/** Characters of one session description. */
export const SDP_CHARS_MAX = 65_536;

const SessionId = unguessableId('mesh').meta({ description: 'Id of a signalling session: 128 random bits' });

/** Body of `POST /v1/mesh/rendezvous`. */
export const RendezvousRequest = z
  .strictObject({
    peerPublicKey: PublicKeyHex,
    sdpOffer: z.string().min(1).max(SDP_CHARS_MAX),
    targetPeerKey: PublicKeyHex.optional().meta({
      description: 'Broker to this peer; without it the service itself answers',
    }),
    signature: z
      .string()
      .regex(/^(0x)?[0-9a-fA-F]{128,144}$/)
      .optional(),
    nonce: z
      .string()
      .regex(/^(0x)?[0-9a-fA-F]{32}$/)
      .optional(),
    timestamp: z
      .int()
      .min(0)
      .max(8_640_000_000_000_000)
      .optional()
      .meta({ description: 'Unix milliseconds, within 60 s' }),
  })
  .meta({ id: 'RendezvousRequest' });

const IceServer = z.object({
  urls: z.array(z.string()),
  username: z.string().optional(),
  credential: z.string().optional(),
});

/** Response of `POST /v1/mesh/rendezvous`; the first two fields are the spec's. */
export const RendezvousResult = z
  .object({
    sdpAnswer: z.string(),
    sessionStatus: z.enum(['P2P_AEROMESH_ENTANGLED']),
    sessionId: SessionId,
    identity: z.enum(['verified', 'unverified']),
    iceCandidates: z.array(z.string()),
    iceServers: z.array(IceServer),
    expiresAt: z.iso.datetime(),
    answerSignature: z.string(),
    servicePublicKey: z.string(),
  })
  .meta({ id: 'RendezvousResult' });

/** 202 of `POST /v1/mesh/rendezvous`: the target has not answered yet. */
export const RendezvousPending = z
  .object({ sessionId: SessionId, expiresAt: z.iso.datetime() })
  .meta({ id: 'RendezvousPending' });

/** Response of `GET /v1/mesh/sessions/:sessionId`. */
export const MeshSession = z
  .object({
    sessionId: SessionId,
    state: z.enum(['waiting', 'answered', 'connected', 'closed', 'expired']),
    sdpAnswer: z.string().optional(),
    iceCandidates: z.array(z.string()),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'MeshSession' });

const sessionParams = z.object({ sessionId: SessionId });

export const meshRoutes = defineRoutes({
  rendezvous: {
    operationId: 'mesh.rendezvous',
    method: 'POST',
    path: '/v1/mesh/rendezvous',
    summary: 'Answer a session description, or broker it to a peer',
    tag: 'Mesh',
    access: 'quota',
    available: false,
    body: { schema: RendezvousRequest },
    bodyBytesMax: 262_144,
    replies: {
      200: { description: 'The answer and its candidates', schema: RendezvousResult },
      202: {
        description: 'The peer has not answered yet',
        schema: RendezvousPending,
        headers: { Location: 'The session' },
      },
    },
    problems: ['UNPROCESSABLE', 'NOT_FOUND', 'CONFLICT'],
  },
  session: {
    operationId: 'mesh.session',
    method: 'GET',
    path: '/v1/mesh/sessions/:sessionId',
    summary: 'State of a session',
    tag: 'Mesh',
    access: 'free',
    available: false,
    params: sessionParams,
    replies: {
      200: { description: 'The session', schema: MeshSession, headers: { ETag: 'Version of the session' } },
    },
  },
  trickle: {
    operationId: 'mesh.trickle',
    method: 'PATCH',
    path: '/v1/mesh/sessions/:sessionId',
    summary: 'Add candidates (trickle ICE, RFC 9725)',
    tag: 'Mesh',
    access: 'free',
    available: false,
    params: sessionParams,
    body: {
      schema: z.string().max(SDP_CHARS_MAX).meta({ id: 'SdpFragment' }),
      mediaType: 'application/trickle-ice-sdpfrag',
    },
    replies: { 204: { description: 'Added' } },
    problems: ['UNPROCESSABLE', 'CONFLICT'],
  },
  closeSession: {
    operationId: 'mesh.close-session',
    method: 'DELETE',
    path: '/v1/mesh/sessions/:sessionId',
    summary: 'Close a session',
    tag: 'Mesh',
    access: 'free',
    available: false,
    params: sessionParams,
    replies: { 204: { description: 'Closed' } },
  },
});

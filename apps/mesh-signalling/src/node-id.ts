import { procedure } from '@svc/contracts';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** Token of the name of this replica, under which the others find what it holds. */
export const NODE_ID = Symbol('NODE_ID');

/** A name that no other start has: what a replica held does not outlive it. */
export const newNodeId = (): string => randomBytes(9).toString('base64url');

const SessionId = z.string().min(1).max(64);

/** What a replica is asked by the others, of connections that it holds. */
const NodeRequest = z.discriminatedUnion('verb', [
  z.object({
    verb: z.literal('add-candidates'),
    sessionId: SessionId,
    candidates: z.array(z.string().max(1_024)).max(64),
  }),
  z.object({ verb: z.literal('close'), sessionId: SessionId, reason: z.string().max(64) }),
  /** Whether it is there. */
  z.object({ verb: z.literal('ping') }),
]);
export type NodeRequest = z.output<typeof NodeRequest>;

/** The procedure of one replica: only that one answers its subject. */
export const nodeProcedure = (nodeId: string) =>
  procedure('mesh-signalling', `node.${nodeId}`, {
    request: NodeRequest,
    reply: z.object({ isHeld: z.boolean() }),
    timeoutMs: 2_000,
  });

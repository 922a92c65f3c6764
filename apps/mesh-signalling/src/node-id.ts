import { randomBytes } from 'node:crypto';

/** Token of the name of this replica, under which the others find what it holds. */
export const NODE_ID = Symbol('NODE_ID');

/** A name that no other start has: what a replica held does not outlive it. */
export const newNodeId = (): string => randomBytes(9).toString('base64url');

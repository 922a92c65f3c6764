import type { PeerKey } from '@svc/mesh';
import { z } from 'zod';

/** Who is at the other end, as far as it was shown. */
export interface Peer {
  /** Lower-case hex without 0x: Ed25519 (32 bytes), or secp256k1 compressed (33). */
  readonly publicKey: string;
  /** SHA-256 of the bytes of that key, hex: the name under which the mesh knows the peer. */
  readonly keyHash: string;
  readonly identity: 'verified' | 'unverified';
  /** Keyed digest of the address that it called from, which has a share of the client ids of the document. */
  readonly address?: string;
}

/** The peer of a key. */
export function peerOf({ hex, hash }: PeerKey, identity: Peer['identity']): Peer {
  return { publicKey: hex, keyHash: hash, identity };
}

/** What the presence board says of a peer, under `peer.<keyHash>.<inbox or session that it is there by>`. */
export const PeerPresence = z.object({
  via: z.enum(['inbox', 'channel']),
  nodeId: z.string(),
  publicKey: z.string().max(132),
  /** When it came, Unix milliseconds. */
  since: z.number(),
});
export type PeerPresence = z.infer<typeof PeerPresence>;

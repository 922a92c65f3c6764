import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import * as Y from 'yjs';

/** What the document says, as plain JSON. */
export interface DocumentState {
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly shared: Readonly<Record<string, unknown>>;
}

const DOMAIN = 'svc-crdt-v1';

/**
 * What a document says, without how it came to say it: two replicas that hold the same operations have the same state, in
 * whatever order they got them; their encodings may differ.
 */
export function documentState(document: Y.Doc): DocumentState {
  return { nodes: document.getMap('nodes').toJSON(), shared: document.getMap('shared').toJSON() };
}

/**
 * SHA-256 of `svc-crdt-v1` and the canonical JSON of `{ nodes, shared }`, both UTF-8, as 64 lower-case hex digits.
 *
 * @example
 * stateHash(new Y.Doc()); // SHA-256 of svc-crdt-v1{"nodes":{},"shared":{}}
 *
 * @throws Error for what JSON cannot say, which no update that is taken brings in; an editor's own text can have half a
 * surrogate pair until it goes through an encoding
 *
 * Source: RFC 8785 (JSON Canonicalization Scheme).
 */
export function stateHash(document: Y.Doc): string {
  return hashState(documentState(document));
}

/** {@link stateHash} of a state that is JSON already. */
export function hashState({ nodes, shared }: DocumentState): string {
  return bytesToHex(sha256(utf8ToBytes(DOMAIN + canonicalize({ nodes, shared }))));
}

/** How many operations of each client a document has, in Yjs's encoding. */
export function stateVector(document: Y.Doc): Uint8Array {
  return Y.encodeStateVector(document);
}

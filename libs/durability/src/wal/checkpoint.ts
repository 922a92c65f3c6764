import { sha256Bytes, sha256Hex } from '#sha256';
import { TransparencyTree } from '@svc/kernels';
import { isDigest, isInstant, isSagaId } from './wal-codec.js';

export const CHECKPOINT_DOMAIN = 'svc-wal-checkpoint/v1\n';
/** Heads in one checkpoint: what is more waits for the next one. */
export const CHECKPOINT_LEAVES_MAX = 10_000;
/** `prevHash` of the first checkpoint. */
export const CHECKPOINT_GENESIS = '0'.repeat(64);
const TREE = new TransparencyTree(sha256Bytes);
const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;
const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** How far a saga's log was: a leaf of a checkpoint. */
export interface WalHead {
  readonly sagaId: string;
  /** Records; at least 1. */
  readonly count: number;
  /** `hash` of the last of them, hexadecimal. */
  readonly head: string;
}

/** A signed root over the heads that changed since the checkpoint before. Digests are lower-case hexadecimal. */
export interface Checkpoint {
  /** From 1, without gaps. */
  readonly number: number;
  /** RFC 6962, over the leaves by saga id. */
  readonly root: string;
  readonly leafCount: number;
  /** `hash` of the checkpoint before; 32 zero bytes for the first. */
  readonly prevHash: string;
  readonly hash: string;
  /** RFC 3339 with milliseconds, UTC; it never falls. */
  readonly at: string;
  readonly keyId: string;
  /** Ed25519 over {@link checkpointText} as UTF-8, base64url. */
  readonly signature: string;
}

/** A key as it is published; times as RFC 3339. */
export interface WalKey {
  readonly kid: string;
  readonly alg: string;
  /** base64url */
  readonly publicKey: string;
  readonly notBefore: string;
  readonly notAfter: string | null;
  readonly revokedAt: string | null;
}

/** Ed25519 (RFC 8032) of the platform. */
export type SignEd25519 = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** What is hashed and signed: the domain, and JCS{at, keyId, leafCount, number, prevHash, root}. */
export function checkpointText(checkpoint: Omit<Checkpoint, 'hash' | 'signature'>): string {
  const { at, keyId, leafCount, number, prevHash, root } = checkpoint;
  return CHECKPOINT_DOMAIN + JSON.stringify({ at, keyId, leafCount, number, prevHash, root });
}

/** `hash` of a checkpoint: SHA-256 of its text. */
export function checkpointHash(checkpoint: Omit<Checkpoint, 'hash' | 'signature'>): string {
  return sha256Hex(checkpointText(checkpoint));
}

/** Hash of a leaf: SHA-256(0x00 ‖ JCS{count, head, saga}). */
export function walLeafHash({ sagaId, count, head }: WalHead): Uint8Array {
  return TREE.leafHash(utf8(JSON.stringify({ count, head, saga: sagaId })));
}

/** RFC 6962 root over leaves in their order, hexadecimal. */
export function walRoot(leaves: readonly WalHead[]): string {
  return hexOf(TREE.root(leaves.map(walLeafHash)));
}

export interface CheckpointSigner {
  readonly keyId: string;
  readonly sign: SignEd25519;
  /** Of the signer's clock; one that was set back stands still. */
  readonly nowMs: number;
}

/** A checkpoint and its leaves in the order of the tree. */
export interface SealedHeads {
  readonly checkpoint: Checkpoint;
  readonly leaves: readonly WalHead[];
}

/**
 * Signs the heads that changed since `previous`, one for each saga, in any order.
 * @throws {RangeError} for none, for more than {@link CHECKPOINT_LEAVES_MAX}, for two of one saga, for a malformed one
 */
export async function buildCheckpoint(
  previous: Checkpoint | undefined,
  heads: readonly WalHead[],
  { keyId, sign, nowMs }: CheckpointSigner,
): Promise<SealedHeads> {
  const leaves = heads.map(({ sagaId, count, head }) => ({ sagaId, count, head })).sort(bySaga);
  if (leaves.length === 0 || leaves.length > CHECKPOINT_LEAVES_MAX)
    throw new RangeError(`a checkpoint has 1 to ${CHECKPOINT_LEAVES_MAX} leaves, got ${leaves.length}`);
  const fault = leavesFault(leaves);
  if (fault !== undefined) throw new RangeError(`the heads cannot be sealed: ${fault}`);
  const now = new Date(nowMs).toISOString();
  const open = {
    number: (previous?.number ?? 0) + 1,
    root: walRoot(leaves),
    leafCount: leaves.length,
    prevHash: previous?.hash ?? CHECKPOINT_GENESIS,
    at: previous && previous.at > now ? previous.at : now,
    keyId,
  };
  const signature = base64UrlOf(await sign(utf8(checkpointText(open))));
  const checkpoint = { ...open, hash: checkpointHash(open), signature };
  if (checkpointMalformation(checkpoint))
    throw new RangeError('the signer gave no Ed25519 signature or key id');
  return { checkpoint, leaves };
}

const bySaga = (a: WalHead, b: WalHead) => (a.sagaId < b.sagaId ? -1 : a.sagaId > b.sagaId ? 1 : 0);

/** Why these are not the leaves of a checkpoint; undefined where they are. */
export function leavesFault(leaves: readonly WalHead[]): string | undefined {
  for (const [index, leaf] of leaves.entries()) {
    if (!isSagaId(leaf.sagaId) || !isDigest(leaf.head)) return 'leaf-malformed';
    if (!Number.isSafeInteger(leaf.count) || leaf.count < 1) return 'leaf-malformed';
    if (index > 0 && leaves[index - 1].sagaId >= leaf.sagaId) return 'leaves-out-of-order';
  }
  return undefined;
}

/** What of a checkpoint's form no checkpoint may have. */
export function checkpointMalformation(checkpoint: Checkpoint): string | undefined {
  const { number, root, leafCount, prevHash, hash, at, keyId, signature } = checkpoint;
  const wellFormed =
    isCount(number) &&
    isCount(leafCount) &&
    leafCount <= CHECKPOINT_LEAVES_MAX &&
    [root, prevHash, hash].every(isDigest) &&
    isInstant(at) &&
    typeof keyId === 'string' &&
    KEY_ID.test(keyId) &&
    typeof signature === 'string' &&
    SIGNATURE.test(signature);
  return wellFormed ? undefined : 'checkpoint-malformed';
}

/** What a signature came to. A revoked key's is believed only where a later checkpoint, by a key in force, links to it. */
export type SignatureCheck = 'good' | 'revoked' | 'bad';

/**
 * Whether one of the keys signed a checkpoint, in the time of that key. One that was revoked has signed nothing from its
 * revocation on, and of what it says to have signed before it cannot be told when it was: that is `revoked`.
 */
export async function checkSignature(
  checkpoint: Checkpoint,
  keys: readonly WalKey[],
  verify: VerifyEd25519,
): Promise<SignatureCheck> {
  const key = keys.find(({ kid, alg }) => kid === checkpoint.keyId && alg === 'Ed25519');
  const publicKey = key && bytesOfBase64Url(key.publicKey);
  const signature = bytesOfBase64Url(checkpoint.signature);
  if (!key || publicKey?.length !== 32 || signature?.length !== 64) return 'bad';
  const atMs = Date.parse(checkpoint.at);
  // Written so that a date which cannot be read is no permission.
  if (!(Date.parse(key.notBefore) <= atMs)) return 'bad';
  if (key.notAfter !== null && !(atMs < Date.parse(key.notAfter))) return 'bad';
  if (key.revokedAt !== null && !(atMs < Date.parse(key.revokedAt))) return 'bad';
  if (!(await verify(publicKey, utf8(checkpointText(checkpoint)), signature))) return 'bad';
  return key.revokedAt === null ? 'good' : 'revoked';
}

/** The audit path of a leaf of a checkpoint, hexadecimal. @throws {RangeError} for a leaf that there is not */
export function inclusionOf(leaves: readonly WalHead[], leafIndex: number): string[] {
  return TREE.inclusionPath(leaves.map(walLeafHash), leafIndex).map(hexOf);
}

/** Whether an audit path leads from a head to the root of a checkpoint. */
export function isIncluded(
  head: WalHead,
  { leafIndex, path }: { readonly leafIndex: number; readonly path: readonly string[] },
  { root, leafCount }: Pick<Checkpoint, 'root' | 'leafCount'>,
): boolean {
  if (!path.every(isDigest)) return false;
  const nodes = path.map(bytesOfHex);
  const found = TREE.rootOfInclusion({ leaf: walLeafHash(head), index: leafIndex, leafCount, path: nodes });
  return found !== undefined && hexOf(found) === root;
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1;
const utf8 = (text: string) => new TextEncoder().encode(text);
const hexOf = (bytes: Uint8Array) => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
const bytesOfHex = (hex: string) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );

function base64UrlOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** Spelled in its one way: bits beyond the last byte are zero. */
function bytesOfBase64Url(text: string): Uint8Array | undefined {
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]{1,88}$/.test(text) || text.length % 4 === 1)
    return undefined;
  const latin1 = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(latin1, character => character.charCodeAt(0));
  return base64UrlOf(bytes) === text ? bytes : undefined;
}

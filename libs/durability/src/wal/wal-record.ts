/** What a record says: in the order in which a saga that succeeds, and then one that is taken back, writes them. */
export const WAL_KINDS = [
  'SAGA_BEGIN',
  'STEP_INTENT',
  'STEP_COMMIT',
  'STEP_FAIL',
  'COMP_INTENT',
  'COMP_COMMIT',
  'SAGA_COMMIT',
  'SAGA_ABORTED',
  'SAGA_STUCK',
] as const;
export type WalKind = (typeof WAL_KINDS)[number];

/** What JSON can carry: payloads are hashed in their canonical form (RFC 8785). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** What a record says before its place in the chain is known. */
export interface WalEntry {
  readonly kind: WalKind;
  /** Name of the step; null where the record is about the saga. */
  readonly step: string | null;
  /** Which try of the step, or of its compensation, from 1; 0 where the record is about the saga. */
  readonly attempt: number;
  /** What a remote effect carries, so that its receiver knows it again: 32 bytes as hexadecimal. */
  readonly idemKey: string | null;
  /** Nothing secret: it stays for good, and leaves the database as an event. */
  readonly payload: JsonObject;
}

/**
 * One record of a saga's write-ahead log. Digests are 32 bytes as lower-case hexadecimal; `hash` is SHA-256 over the
 * domain, the canonical JSON of the record's members with the digest of its payload, and `prevHash`.
 */
export interface WalRecord extends WalEntry {
  readonly sagaId: string;
  /** From 0, without gaps. */
  readonly seq: number;
  /** Of the lease under which it was written: it never falls. */
  readonly fence: number;
  /** RFC 3339 with milliseconds, UTC, of the writer's clock; it never falls within a saga. */
  readonly at: string;
  readonly prevHash: string;
  readonly hash: string;
}

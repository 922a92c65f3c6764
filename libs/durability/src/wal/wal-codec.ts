import { sha256Hex } from '#sha256';
import { canonicalJson, quoted } from './canonical-json.js';
import { type JsonObject, WAL_KINDS, type WalEntry, type WalRecord } from './wal-record.js';

/** What is hashed begins with what it is, so that no digest of one kind is one of another. */
export const RECORD_DOMAIN = 'svc-wal-record/v1\n';
export const GENESIS_DOMAIN = 'svc-wal-genesis/v1\n';

/** Characters of a payload as canonical JSON: a log is no store of documents. */
export const PAYLOAD_CHARS_MAX = 65_536;

const DIGEST = /^[0-9a-f]{64}$/;
const SAGA_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const STEP_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const KINDS: ReadonlySet<string> = new Set(WAL_KINDS);
const INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** What a chain begins from: the definition of its saga, and a digest of its input. */
export interface WalGenesis {
  readonly name: string;
  readonly version: number;
  /** Names of the steps, in their order. */
  readonly steps: readonly string[];
  /** 32 bytes as lower-case hexadecimal. */
  readonly inputDigest: string;
}

/** The genesis that the payload of SAGA_BEGIN states; undefined where it states none. */
export function genesisOf(payload: JsonObject): WalGenesis | undefined {
  const { name, version, steps, inputDigest } = payload;
  if (typeof name !== 'string' || !Number.isSafeInteger(version)) return undefined;
  if (typeof inputDigest !== 'string' || !DIGEST.test(inputDigest)) return undefined;
  if (!Array.isArray(steps) || !steps.every(step => typeof step === 'string')) return undefined;
  return { name, version: version as number, steps: steps as string[], inputDigest };
}

/** `prevHash` of the first record: SHA-256 of the domain and the genesis as canonical JSON, hexadecimal. */
export function genesisHash({ name, version, steps, inputDigest }: WalGenesis): string {
  return sha256Hex(GENESIS_DOMAIN + canonicalJson({ name, version, steps, inputDigest }));
}

/** SHA-256 of a payload's canonical JSON, hexadecimal. @throws PayloadError */
export function payloadDigest(payload: JsonObject): string {
  return digestOfText(canonicalJson(payload));
}

const EMPTY_PAYLOAD = sha256Hex('{}');
/** Most records of intent say nothing more. */
const digestOfText = (canonical: string) => (canonical === '{}' ? EMPTY_PAYLOAD : sha256Hex(canonical));

/**
 * `hash` of a record, hexadecimal: SHA-256(domain ‖ JCS{at, attempt, fence, idem, kind, payload, saga, seq, step} ‖ prev),
 * `payload` being the digest of the payload, and `prev` 32 bytes.
 *
 * @throws PayloadError
 */
export function recordHash(record: Omit<WalRecord, 'hash'>, digest = payloadDigest(record.payload)): string {
  const { sagaId, seq, kind, step, attempt, idemKey, fence, at, prevHash } = record;
  // Written out because it is on the path of every record; members are in the order of RFC 8785, and numbers whole.
  const header =
    `{"at":${quoted(at)},"attempt":${attempt},"fence":${fence},"idem":${quotedOrNull(idemKey)}` +
    `,"kind":${quoted(kind)},"payload":"${digest}","saga":${quoted(sagaId)},"seq":${seq}` +
    `,"step":${quotedOrNull(step)}}`;
  return sha256Hex(RECORD_DOMAIN + header, prevHash);
}

const quotedOrNull = (text: string | null): string => (text === null ? 'null' : quoted(text));

/** Where records are appended, and when. */
export interface AppendAt {
  readonly sagaId: string;
  /** Of the lease under which they are written. */
  readonly fence: number;
  /** Of the writer's clock, Unix milliseconds. A clock that was set back stands still: `at` never falls. */
  readonly nowMs: number;
}

/** The last record of a chain, as much of it as the next one depends on. */
export type ChainEnd = Pick<WalRecord, 'sagaId' | 'seq' | 'fence' | 'at' | 'hash'>;

/**
 * Gives entries their place after `previous`; without it they begin a chain, the first being SAGA_BEGIN with the members
 * of {@link WalGenesis} in its payload.
 *
 * @throws {RangeError} for a record that no log may hold, or a fence below that of the record before
 * @throws PayloadError
 * @example
 * const [begin] = appendRecords(undefined, [{ kind: 'SAGA_BEGIN', ... }], { sagaId, fence: 1, nowMs: Date.now() });
 */
export function appendRecords(
  previous: ChainEnd | undefined,
  entries: readonly WalEntry[],
  { sagaId, fence, nowMs }: AppendAt,
): WalRecord[] {
  if (previous && !isDigest(previous.hash)) throw new RangeError('the record before has no hash');
  let last: ChainEnd | undefined = previous;
  const now = new Date(nowMs).toISOString();
  return entries.map(({ kind, step, attempt, idemKey, payload }) => {
    if (last && (last.sagaId !== sagaId || last.fence > fence))
      throw new RangeError(
        `a record of ${sagaId} with fence ${fence} cannot follow ${last.sagaId} #${last.seq}`,
      );
    const prevHash = last ? last.hash : beginOf(kind, payload);
    const at = last && last.at > now ? last.at : now;
    const seq = last ? last.seq + 1 : 0;
    const open = { kind, step, attempt, idemKey, payload, sagaId, seq, fence, at, prevHash };
    const canonical = canonicalJson(payload);
    const fault = malformation(open) ?? (canonical.length > PAYLOAD_CHARS_MAX ? 'payload-size' : undefined);
    if (fault) throw new RangeError(`record ${seq} of saga ${sagaId} cannot be written: ${fault}`);
    const record = { ...open, hash: recordHash(open, digestOfText(canonical)) };
    last = record;
    return record;
  });
}

function beginOf(kind: string, payload: JsonObject): string {
  const genesis = kind === 'SAGA_BEGIN' ? genesisOf(payload) : undefined;
  if (!genesis)
    throw new RangeError(
      'a log begins with SAGA_BEGIN, whose payload has name, version, steps and inputDigest',
    );
  return genesisHash(genesis);
}

/**
 * What of a record's form no record may have, by the name of the member; undefined where all is well. Hashes of the
 * chain are not looked at: that they are right says more than that they are well-formed.
 */
export function malformation(record: Omit<WalRecord, 'hash' | 'prevHash'>): string | undefined {
  const { sagaId, seq, kind, step, attempt, idemKey, fence, at, payload } = record;
  if (typeof sagaId !== 'string' || !SAGA_ID.test(sagaId)) return 'saga-id-malformed';
  if (!isWhole(seq)) return 'seq-malformed';
  if (!KINDS.has(kind)) return 'kind-unknown';
  if (step !== null && (typeof step !== 'string' || !STEP_NAME.test(step))) return 'step-malformed';
  if (!isWhole(attempt)) return 'attempt-malformed';
  if (idemKey !== null && !isDigest(idemKey)) return 'idem-key-malformed';
  if (!isWhole(fence)) return 'fence-malformed';
  if (!isInstant(at)) return 'at-malformed';
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return 'payload-malformed';
  return undefined;
}

const isWhole = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isDigest = (value: unknown): value is string => typeof value === 'string' && DIGEST.test(value);
export const isSagaId = (value: unknown): value is string => typeof value === 'string' && SAGA_ID.test(value);

/** RFC 3339 with milliseconds in UTC, of a day that there is. */
export function isInstant(value: unknown): value is string {
  if (typeof value !== 'string' || !INSTANT.test(value)) return false;
  const day = value.slice(8, 10);
  // The days that every month has need no calendar, which is slow.
  if (day >= '01' && day <= '28') return true;
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value;
}

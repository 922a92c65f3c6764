import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { parsePeerKey } from './peer-key.js';
import { ProofError, type ProofPart } from './proof-error.js';

/** A proof is of the present: its timestamp is at most so far from now. */
export const PROOF_WINDOW_MS = 60_000;

/** The parts of what a peer signs to say that a request, and the certificate its description names, are its own. */
export interface RendezvousClaim {
  /** Of the request, in capitals: `POST`. */
  readonly method: string;
  /** Of the request, as it is sent: `/v1/mesh/rendezvous`. */
  readonly path: string;
  /** The description in the body, as it is sent; none where the request has none. */
  readonly sdp?: string;
  /** SHA-256 of the certificate, as the description names it. */
  readonly fingerprint?: string;
  /** Public key of the peer that is called, in any spelling; none for the service. */
  readonly targetKey?: string;
  /** 16 random bytes in hex digits. */
  readonly nonce: string;
  /** Unix milliseconds. */
  readonly timestampMs: number;
}

/** The parts of what the service signs: that it gave this answer to this offer. */
export interface AnswerClaim {
  readonly sessionId: string;
  readonly sdpOffer: string;
  readonly sdpAnswer: string;
  /** Of the answer. */
  readonly fingerprint: string;
  /** Public key of the peer that answers, in any spelling; none where the service does. */
  readonly answererKey?: string;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

const METHOD = /^[A-Z]{1,16}$/;
const PATH = /^\/[!-~]{0,2047}$/;
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
const FINGERPRINT = /^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/;
const NONCE = /^[0-9a-f]{32}$/;
const TIME_MS_MAX = 8_640_000_000_000_000;
/** Half of a pair or a pair: without one there is no half alone, and this is seen much sooner. */
const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Cs}/u;
/** What stands in place of a part that there is none of. */
const NONE = '-';

/**
 * What a peer signs: eight lines, with `\n` between them and none at the end. No part can hold a line end, so that no two claims
 * have the same text.
 *
 * ```
 * svc-mesh-v1
 * POST
 * /v1/mesh/rendezvous
 * <SHA-256 of the description in UTF-8, hex; of nothing where there is none>
 * AB:CD:… or -
 * <key of the target in small hex digits, secp256k1 compressed> or -
 * <nonce, 32 small hex digits>
 * <timestamp in decimals>
 * ```
 *
 * @throws ProofError where a part is not as it is described
 */
export function rendezvousText(claim: RendezvousClaim): string {
  const nonce = claim.nonce.toLowerCase().replace(/^0x/, '');
  return [
    'svc-mesh-v1',
    shaped('METHOD', claim.method, METHOD),
    shaped('PATH', claim.path, PATH),
    digestOf(claim.sdp ?? ''),
    claim.fingerprint === undefined ? NONE : fingerprintOf(claim.fingerprint),
    keyOf(claim.targetKey),
    shaped('NONCE', nonce, NONCE),
    timeOf(claim.timestampMs),
  ].join('\n');
}

/**
 * What the service signs: seven lines, as in {@link rendezvousText}: `svc-mesh-answer-v1`, the session, the digests of offer and
 * answer, the fingerprint of the answer, the key of the peer that answers or `-`, and when the answer expires.
 *
 * @throws ProofError where a part is not as it is described
 */
export function answerText(claim: AnswerClaim): string {
  return [
    'svc-mesh-answer-v1',
    shaped('SESSION_ID', claim.sessionId, SESSION_ID),
    digestOf(claim.sdpOffer),
    digestOf(claim.sdpAnswer),
    fingerprintOf(claim.fingerprint),
    keyOf(claim.answererKey),
    timeOf(claim.expiresAtMs),
  ].join('\n');
}

/** Whether a timestamp is at most {@link PROOF_WINDOW_MS} from now, to either side: clocks differ. */
export function isTimely(timestampMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - timestampMs) <= PROOF_WINDOW_MS;
}

function shaped(part: ProofPart, text: string, shape: RegExp): string {
  if (shape.test(text)) return text;
  throw new ProofError(
    part,
    `the ${part.toLowerCase().replace('_', ' ')} of a proof must match ${shape.source}`,
  );
}

function fingerprintOf(text: string): string {
  return shaped('FINGERPRINT', text.toUpperCase(), FINGERPRINT);
}

function keyOf(text: string | undefined): string {
  return text === undefined ? NONE : parsePeerKey(text).hex;
}

function timeOf(timeMs: number): string {
  if (Number.isInteger(timeMs) && timeMs >= 0 && timeMs <= TIME_MS_MAX) return String(timeMs);
  throw new ProofError('TIMESTAMP', `a time is from 0 to ${TIME_MS_MAX} in whole milliseconds`);
}

function digestOf(text: string): string {
  // UTF-8 has no half of a pair: all of them would become the same character, and different texts the same bytes.
  if (SURROGATE.test(text) && LONE_SURROGATE.test(text)) {
    throw new ProofError('DESCRIPTION', 'a description holds half of a surrogate pair');
  }
  return bytesToHex(sha256(utf8ToBytes(text)));
}

import { decodeBase64, encodeBase64Url } from '../encoding/base64.js';
import { constantTimeEqual, hmacSha256 } from '../encoding/digest.js';
import { canonicalJson } from '../encoding/jcs.js';
import { decodeJson, isRecord } from '../encoding/base64-json.js';
import { malformed, PaymentRefusal } from '../payment-refusal.js';

const CONTENT_BYTES_MAX = 2_048;
export const CHALLENGE_TOKEN_CHARS_MAX = 4_096;

/** What a challenge asks for, signed: the header `X-402-Challenge` and the body's `challengeToken`. */
export interface ChallengeToken {
  /** Unguessable id of the challenge. */
  readonly jti: string;
  readonly operationId: string;
  readonly amountMicroUsd: number;
  readonly amountSats: number;
  /** Payment hash of the challenge's invoice, where a Lightning rail is offered; lower-case hex. */
  readonly paymentHash?: string;
  /** Unix seconds. */
  readonly exp: number;
}

const TOOL_PREFIX = 'tool.';

/** `v1.<base64url of the canonical JSON>.<base64url of its HMAC-SHA256>` */
export function signChallengeToken(key: Uint8Array, token: ChallengeToken): string {
  const { jti, operationId, amountMicroUsd, amountSats, paymentHash, exp } = token;
  const subject = operationId.startsWith(TOOL_PREFIX)
    ? { tool: operationId.slice(TOOL_PREFIX.length) }
    : { route: operationId };
  const content = canonicalJson({
    ...subject,
    jti,
    amountMicroUsd,
    sats: amountSats,
    exp,
    ...(paymentHash === undefined ? {} : { paymentHash }),
  });
  const signed = `v1.${encodeBase64Url(content)}`;
  return `${signed}.${encodeBase64Url(hmacSha256(key, signed))}`;
}

/**
 * Reads a token of {@link signChallengeToken}. The caller compares `exp` with the time.
 *
 * @throws {PaymentRefusal} PAYMENT_MALFORMED for what is no such token, PAYMENT_INVALID for one that
 * another key signed
 */
export function openChallengeToken(key: Uint8Array, text: string): ChallengeToken {
  if (text.length > CHALLENGE_TOKEN_CHARS_MAX) {
    malformed(
      `the challenge token has ${text.length} characters, at most ${CHALLENGE_TOKEN_CHARS_MAX} are read`,
    );
  }
  const [version, content, signature, ...rest] = text.split('.');
  if (version !== 'v1' || signature === undefined || rest.length > 0) {
    malformed('the challenge token must be v1.<content>.<signature>');
  }
  const mac = decodeBase64(signature, 32);
  if (!mac || !constantTimeEqual(mac, hmacSha256(key, `v1.${content}`))) {
    throw new PaymentRefusal('PAYMENT_INVALID', 'the challenge token was not issued here or was altered');
  }
  const fields = decodeJson(content, CONTENT_BYTES_MAX);
  if (!isRecord(fields)) return malformed('the challenge token holds no object');
  return {
    jti: String(fields.jti),
    operationId: fields.tool === undefined ? String(fields.route) : `${TOOL_PREFIX}${String(fields.tool)}`,
    amountMicroUsd: Number(fields.amountMicroUsd),
    amountSats: Number(fields.sats),
    paymentHash: fields.paymentHash === undefined ? undefined : String(fields.paymentHash),
    exp: Number(fields.exp),
  };
}

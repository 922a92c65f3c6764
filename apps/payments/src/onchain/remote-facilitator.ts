import type { FacilitatorRequest } from '@svc/protocols';
import { z } from 'zod';
import {
  type Facilitator,
  FacilitatorAway,
  type FacilitatorKind,
  saysUsed,
  type Transfer,
  type Verification,
} from './facilitator.js';

const VERIFY_TIMEOUT_MS = 5_000;
/** A facilitator waits until the transfer is mined. The gateway waits 30 seconds for the whole claim. */
const SETTLE_TIMEOUT_MS = 14_000;
const ANSWER_BYTES_MAX = 64 * 1_024;
/** What it supports changes seldom, and is asked by every probe. */
const KINDS_AGE_MS = 60_000;

/**
 * Reasons that facilitators find before they send anything, by the names of x402's specification, its libraries and
 * public services. All others are doubts, since some come up after sending: a transaction that failed, a receipt or a
 * node that is missing, a verification or simulation repeated once the transfer is on its way.
 */
const DECIDED: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_scheme',
  'asset_not_deployed_contract',
  'eip6492_factory_not_allowed',
  ...[
    'authorization_value',
    'eip3009_not_supported',
    'failed_to_parse_signature',
    'insufficient_amount',
    'insufficient_balance',
    'insufficient_funds',
    'missing_eip712_domain',
    'network_mismatch',
    'payload_authorization_from_address_kyt',
    'payload_authorization_to_address_kyt',
    'payload_authorization_valid_after',
    'payload_authorization_valid_before',
    'payload_authorization_value',
    'payload_authorization_value_mismatch',
    'payload_authorization_value_too_low',
    'payload_recipient_mismatch',
    'payload_signature',
    'payload_signature_address',
    'payload_undeployed_smart_wallet',
    'recipient_mismatch',
    'required_amount',
    'scheme',
    'signature',
    'signature_format',
    'token_name_mismatch',
    'token_version_mismatch',
    'unsupported_scheme',
  ].map(reason => `invalid_exact_evm_${reason}`),
]);

const text = z.string().max(2_000).nullish();
const Supported = z.object({
  kinds: z
    .array(z.object({ x402Version: z.number(), scheme: z.string().max(64), network: z.string().max(128) }))
    .max(1_000),
});
const Verified = z.object({ isValid: z.boolean(), invalidReason: text });
const Settled = z.object({
  success: z.boolean(),
  transaction: z.string().max(128).nullish(),
  errorReason: text,
});

export interface RemoteOptions {
  /** `https://…`, without a slash at its end; plain http to this machine alone. */
  readonly url: string;
  /** Value of the `Authorization` header, where it wants one. */
  readonly authorization?: string;
  readonly verifyTimeoutMs?: number;
  readonly settleTimeoutMs?: number;
}

/**
 * A facilitator over HTTP (x402's facilitator interface: `GET /supported`, `POST /verify`, `POST /settle`). Its answers
 * are read up to a bound, its redirects are not followed, and its word that money has moved is checked on the chain by
 * whoever asks.
 */
export class RemoteFacilitator implements Facilitator {
  readonly trusted = false;
  private supported: { at: number; kinds: readonly FacilitatorKind[] } | undefined;

  constructor(private readonly options: RemoteOptions) {}

  async kinds(): Promise<readonly FacilitatorKind[]> {
    if (this.supported && Date.now() - this.supported.at < KINDS_AGE_MS) return this.supported.kinds;
    const { status, json } = await this.exchange(
      'supported',
      this.options.verifyTimeoutMs ?? VERIFY_TIMEOUT_MS,
    );
    const answer = Supported.safeParse(json);
    if (status !== 200 || !answer.success)
      throw new FacilitatorAway(`answered ${status} to what it supports`);
    this.supported = { at: Date.now(), kinds: answer.data.kinds };
    return answer.data.kinds;
  }

  async verify(request: FacilitatorRequest): Promise<Verification> {
    const timeoutMs = this.options.verifyTimeoutMs ?? VERIFY_TIMEOUT_MS;
    const { status, json } = await this.exchange('verify', timeoutMs, request);
    const answer = Verified.safeParse(json);
    // Facilitators say no with 200 and with 4xx; a yes comes with 200 alone.
    if (!answer.success || status >= 500 || (answer.data.isValid && status !== 200)) {
      throw new FacilitatorAway(`answered ${status} to a verification`);
    }
    return answer.data.isValid ? { valid: true } : { valid: false, reason: answer.data.invalidReason ?? '' };
  }

  async settle(request: FacilitatorRequest): Promise<Transfer> {
    try {
      const timeoutMs = this.options.settleTimeoutMs ?? SETTLE_TIMEOUT_MS;
      const { status, json } = await this.exchange('settle', timeoutMs, request);
      const answer = Settled.safeParse(json);
      if (!answer.success || status >= 500) {
        return { outcome: 'in-doubt', detail: `the facilitator answered ${status} to a settlement` };
      }
      const { success, transaction, errorReason } = answer.data;
      if (success && status === 200) return { outcome: 'done', transaction: transaction ?? '' };
      const sent = transaction !== undefined && transaction !== null && transaction !== '';
      const reason = errorReason ?? '';
      // What was sent may yet be mined; and a facilitator that loses its node after sending names no transaction.
      if (!success && !sent && (DECIDED.has(reason) || saysUsed(reason)))
        return { outcome: 'refused', reason };
      return { outcome: 'in-doubt', detail: 'the facilitator leaves the transfer in doubt' };
    } catch (cause) {
      return { outcome: 'in-doubt', detail: 'the facilitator did not answer', cause };
    }
  }

  async isReady(): Promise<boolean> {
    return (await this.kinds()).length > 0;
  }

  private async exchange(
    path: 'supported' | 'verify' | 'settle',
    timeoutMs: number,
    request?: FacilitatorRequest,
  ): Promise<{ status: number; json: unknown }> {
    const { url, authorization } = this.options;
    const x402Version = request?.paymentPayload.x402Version;
    try {
      const response = await fetch(`${url}/${path}`, {
        method: request ? 'POST' : 'GET',
        headers: {
          ...(request ? { 'Content-Type': 'application/json' } : {}),
          ...(authorization === undefined ? {} : { Authorization: authorization }),
        },
        body: request && JSON.stringify({ x402Version, ...request }),
        // A redirect would carry payment and authorization to an address that nobody configured.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, json: JSON.parse(await boundedText(response)) };
    } catch (cause) {
      throw new FacilitatorAway(`/${path} has no answer that can be read`, { cause });
    }
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new Error(`sent more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

import type { LightningNetwork } from '../challenge/bolt11.js';
import { encodeBase64Url, fromHex } from '../challenge/byte-text.js';
import { ConnectionError, WalletError } from '../errors.js';
import { exchange, type Fetch, type HttpAnswer } from '../http-exchange.js';
import type { PaidInvoice, PayOptions, Wallet } from './wallet.js';

export interface LndWalletOptions {
  /** REST address of the node, `https://host:8080`. */
  readonly url: string | URL;
  /** A macaroon with `offchain:write` and `offchain:read`, hex. */
  readonly macaroonHex: string;
  readonly network: LightningNetwork;
  /** Most routing fee for one payment, sats. Default 10. */
  readonly feeSatsMax?: number;
  /** How long the node looks for a route, seconds. Default 30. */
  readonly paymentTimeoutSeconds?: number;
  /** `fetch` that trusts the node's certificate; `@svc/client/node` has one for a self-signed one. */
  readonly fetch?: Fetch;
}

/** A payment as LND's REST interface reports it (`lnrpc.Payment`). */
interface LndPayment {
  readonly status: string;
  readonly preimage: string;
  readonly feeSats: number;
  readonly failure: string;
}

interface LndUpdate {
  readonly payment?: LndPayment;
  /** What the node says against it; undefined with no payment either means an unreadable answer. */
  readonly error?: string;
}

const ALREADY_KNOWN = /already (paid|exists)|AlreadyExists|in (transition|flight)/i;

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Reads the last line of a stream of `{"result":…}` or `{"error":…}` lines; plain errors too. */
function lastUpdate(answer: HttpAnswer): LndUpdate {
  const lines = new TextDecoder().decode(answer.body).trim().split('\n');
  let line: Record<string, unknown> | undefined;
  try {
    line = objectOf(JSON.parse(lines.at(-1) ?? ''));
  } catch {
    line = undefined;
  }
  const result = objectOf(line?.['result']);
  if (result !== undefined)
    return {
      payment: {
        status: String(result['status']),
        preimage: String(result['payment_preimage'] ?? ''),
        feeSats: Number(result['fee_sat'] ?? 0),
        failure: String(result['failure_reason'] ?? ''),
      },
    };
  const message = objectOf(line?.['error'])?.['message'] ?? line?.['message'] ?? line?.['error'];
  return typeof message === 'string' ? { error: message } : {};
}

/**
 * Pays through an LND node's REST interface (`/v2/router/send`). LND pays one payment hash at most
 * once; a payment that it knows already is followed to its end (`/v2/router/track`) instead.
 *
 * @see https://lightning.engineering/api-docs/api/lnd/router/send-payment-v2
 */
export function lndWallet(options: LndWalletOptions): Wallet {
  const timeoutSeconds = options.paymentTimeoutSeconds ?? 30;

  async function call(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<LndUpdate> {
    try {
      const answer = await exchange(options.fetch ?? globalThis.fetch, {
        method,
        url: new URL(path, options.url).href,
        headers: { 'Grpc-Metadata-macaroon': options.macaroonHex, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
        timeoutMs: (timeoutSeconds + 15) * 1_000,
        responseBytesMax: 1_048_576,
      });
      return lastUpdate(answer);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      throw new WalletError(`the LND node did not answer: ${error.message}`, 'unknown', { cause: error });
    }
  }

  function settled(update: LndUpdate): PaidInvoice {
    const { payment, error } = update;
    if (error !== undefined) throw new WalletError(`the LND node refused: ${error}`, false);
    if (payment === undefined) throw new WalletError('the answer is not one of an LND node', 'unknown');
    if (payment.status === 'SUCCEEDED') return { preimage: payment.preimage, feeSats: payment.feeSats };
    if (payment.status === 'FAILED') throw new WalletError(`the payment failed: ${payment.failure}`, false);
    throw new WalletError(
      `the LND node stopped reporting while the payment was ${payment.status}`,
      'unknown',
    );
  }

  return {
    name: 'lnd',
    network: options.network,
    async pay(invoice: string, { paymentHash, signal }: PayOptions): Promise<PaidInvoice> {
      const sent = await call(
        'POST',
        '/v2/router/send',
        {
          payment_request: invoice,
          timeout_seconds: timeoutSeconds,
          fee_limit_sat: String(options.feeSatsMax ?? 10),
          no_inflight_updates: true,
        },
        signal,
      );
      if (sent.error === undefined || !ALREADY_KNOWN.test(sent.error)) return settled(sent);
      const hash = encodeBase64Url(fromHex(paymentHash) ?? new Uint8Array());
      const path = `/v2/router/track/${hash}?no_inflight_updates=true`;
      return settled(await call('GET', path, undefined, signal));
    },
  };
}

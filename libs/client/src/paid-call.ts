import { chooseLightningOffer, type LightningOffer } from './challenge/lightning-offer.js';
import { ConnectionError, PaymentRefusedError, ProblemError, SvcError, WalletError } from './errors.js';
import { errorOf, exchange, type Fetch, type HttpAnswer, jsonObjectOf } from './http-exchange.js';
import { authorizeByCardToken, type SharedPaymentTokenWallet } from './payer/spt-payer.js';
import { authorizeByX402, type X402Wallet } from './payer/x402-payer.js';
import { credentialHeaders, type LightningPayment, type Payment } from './payment.js';
import { RetryBudget, type RetryPolicy, wait } from './retry-budget.js';
import type { PaidInvoice, Wallet } from './wallet/wallet.js';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Lowers or raises `maxSatsPerCall` for this call. */
  readonly maxSats?: number;
  /** A payment that an earlier try of this very request made (`error.payment`): used, not made again. */
  readonly payment?: Payment;
  /**
   * The same value for every retry of one purchase by account key, sent as `Idempotency-Key`: a lost answer is then asked
   * for again by itself. Calls that prove have one of their own where there is a key.
   */
  readonly idempotencyKey?: string;
  readonly onStage?: (stage: CallStage) => void;
  readonly onPayment?: (payment: Payment) => void | Promise<void>;
}

export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
  /** What the call was paid with; undefined where it was free. */
  readonly payment: Payment | undefined;
}

export interface RequestOptions extends CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Fills `{name}` in the path. */
  readonly parameters?: Readonly<Record<string, string | number>>;
}

/** What happens in a call, for a progress line. */
export type CallStage =
  | { readonly stage: 'sent' }
  | { readonly stage: 'paying'; readonly amountSats: number; readonly rail: LightningPayment['rail'] }
  | { readonly stage: 'paid'; readonly payment: Payment }
  | { readonly stage: 'waiting'; readonly reason: string; readonly delayMs: number };

export interface CallSettings {
  readonly fetch: Fetch;
  readonly wallet: Wallet | undefined;
  readonly x402: X402Wallet | undefined;
  readonly cardTokens: SharedPaymentTokenWallet | undefined;
  readonly key: string | undefined;
  readonly satsMax: number;
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
  readonly retry: RetryPolicy;
}

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** A payment that was made for this very request before: it is used instead of a new one. */
  readonly payment?: Payment;
  /** Sent with an Idempotency-Key: what an account key pays for is done once, however often it is asked for. */
  readonly isIdempotent?: boolean;
  /** The job that has the payment is as good as an answer: a 409 that names it is not waited out. */
  readonly wantsJob?: boolean;
  readonly onStage?: (stage: CallStage) => void;
  /** Awaited between the payment and its first use, so that the credential can be kept safe. */
  readonly onPayment?: (payment: Payment) => void | Promise<void>;
}

export interface PaidAnswer {
  readonly answer: HttpAnswer;
  /** What this call was paid with; undefined where nothing was asked. */
  readonly payment: Payment | undefined;
}

/** Paying one invoice again is safe by the wallet's guarantee, so a lost answer is asked for again. */
const WALLET_TRIES = 2;

async function preimageProves(preimage: string, paymentHash: string): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/i.test(preimage)) return false;
  const bytes = Uint8Array.from(preimage.match(/../g) as string[], pair => Number.parseInt(pair, 16));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('') === paymentHash;
}

async function askWallet(wallet: Wallet, offer: LightningOffer, signal?: AbortSignal): Promise<PaidInvoice> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await wallet.pay(offer.invoice, { paymentHash: offer.paymentHash, signal });
    } catch (error) {
      signal?.throwIfAborted();
      const lost = error instanceof WalletError && error.moneyMoved === 'unknown';
      if (!lost || attempt === WALLET_TRIES) throw error;
    }
  }
}

async function payInvoice(
  call: Call,
  settings: CallSettings,
  wallet: Wallet,
  answer: HttpAnswer,
): Promise<LightningPayment> {
  // The preimage is checked with it; a browser has it at https addresses and at localhost alone.
  if (globalThis.crypto?.subtle === undefined)
    throw new PaymentRefusedError('INSECURE_CONTEXT', 'this page has no crypto.subtle: serve it over https');
  const offer = chooseLightningOffer(answer.headers, jsonObjectOf(answer), {
    network: wallet.network,
    satsMax: settings.satsMax,
    nowSeconds: Math.floor(Date.now() / 1_000),
  });
  call.onStage?.({ stage: 'paying', amountSats: offer.amountSats, rail: offer.rail });
  const { preimage, feeSats } = await askWallet(wallet, offer, call.signal);
  if (!(await preimageProves(preimage, offer.paymentHash)))
    throw new WalletError(
      `the wallet ${wallet.name} gave a preimage that does not prove the payment`,
      'unknown',
    );
  return {
    rail: offer.rail,
    authorization: offer.authorize(preimage.toLowerCase()),
    amountSats: offer.amountSats,
    feeSats,
    paymentHash: offer.paymentHash,
  };
}

/** Satoshis in micro-USD: all prices are listed at this rate. */
const MICRO_USD_PER_SAT = 500;

/** By the first way of paying that this side has and the 402 offers: stablecoin, Lightning, card. */
async function payOnce(call: Call, settings: CallSettings, answer: HttpAnswer): Promise<Payment> {
  const { wallet, x402, cardTokens, satsMax } = settings;
  const { headers } = answer;
  const body = jsonObjectOf(answer);
  const rules = { microUsdMax: satsMax * MICRO_USD_PER_SAT, nowSeconds: Math.floor(Date.now() / 1_000) };
  const byCard = () => cardTokens && authorizeByCardToken(headers, body, cardTokens);
  const overLightning = () =>
    wallet &&
    payInvoice(call, settings, wallet, answer).catch((error: unknown) => {
      const isOffered = !(error instanceof PaymentRefusedError && error.code === 'CHALLENGE_UNSUPPORTED');
      if (isOffered || cardTokens === undefined) throw error;
      return undefined;
    });
  const byStablecoin = x402 && (await authorizeByX402(headers, body, x402, rules));
  const payment = byStablecoin ?? (await overLightning()) ?? (await byCard());
  if (payment === undefined)
    throw new PaymentRefusedError(
      'CHALLENGE_UNSUPPORTED',
      'the 402 offers no payment that this client can make',
    );
  call.onStage?.({ stage: 'paid', payment });
  return payment;
}

const canPay = ({ wallet, x402, cardTokens }: CallSettings): boolean =>
  wallet !== undefined || x402 !== undefined || cardTokens !== undefined;

/** Id of the job that a 409 says the payment is held by. */
export function holderOf(error: unknown): string | undefined {
  if (!(error instanceof ProblemError) || error.code !== 'PAYMENT_IN_FLIGHT') return undefined;
  const { jobId } = error.problem as { jobId?: unknown };
  return typeof jobId === 'string' ? jobId : undefined;
}

/** Whether the server asks to come back later with the very same request. */
function isTemporary(error: SvcError, payment: Payment | undefined, call: Call): boolean {
  if (!(error instanceof ProblemError)) return false;
  if (call.wantsJob === true && holderOf(error) !== undefined) return false;
  if (error.code === 'PAYMENT_IN_FLIGHT') return payment !== undefined || call.isIdempotent === true;
  // The same call under the same key is at work: its answer will be there.
  if (error.code === 'CONFLICT') return call.isIdempotent === true && error.retryAfterSeconds !== undefined;
  return (error.status === 503 || error.status === 429) && error.retryAfterSeconds !== undefined;
}

function send(call: Call, settings: CallSettings, payment: Payment | undefined): Promise<HttpAnswer> {
  return exchange(settings.fetch, {
    method: call.method,
    url: call.url,
    headers: {
      ...call.headers,
      ...(settings.key === undefined ? {} : { 'X-SVC-KEY': settings.key }),
      ...(payment === undefined ? {} : credentialHeaders(payment)),
    },
    body: call.body,
    signal: call.signal,
    timeoutMs: settings.timeoutMs,
    responseBytesMax: settings.responseBytesMax,
  });
}

/**
 * Sends one call, pays its 402 at most once, and brings the answer home: whatever is lost on the
 * way afterwards is asked for again with the same credential, never with a second payment.
 *
 * @throws {SvcError} with `payment` set once money has moved
 */
export async function sendPaying(call: Call, settings: CallSettings): Promise<PaidAnswer> {
  const budget = new RetryBudget(settings.retry);
  let payment = call.payment;
  try {
    for (;;) {
      call.onStage?.({ stage: 'sent' });
      const outcome = await send(call, settings, payment).catch((error: unknown) => {
        // Only what is delivered once is repeated blindly, for a repetition brings the same answer: a payment, or
        // what an account key pays under an Idempotency-Key. Without one, the key could be charged twice.
        const repeatable = payment !== undefined || call.isIdempotent === true;
        if (error instanceof ConnectionError && repeatable) return error;
        throw error;
      });
      if (!(outcome instanceof ConnectionError)) {
        if (outcome.status >= 200 && outcome.status < 300) return { answer: outcome, payment };
        if (outcome.status === 402 && payment === undefined && canPay(settings)) {
          payment = await payOnce(call, settings, outcome);
          await call.onPayment?.(payment);
          continue;
        }
      }
      const error = outcome instanceof ConnectionError ? outcome : errorOf(outcome);
      const retryable = error instanceof ConnectionError || isTemporary(error, payment, call);
      const retryAfter = error instanceof ProblemError ? error.retryAfterSeconds : undefined;
      const delayMs = retryable ? budget.next(retryAfter) : undefined;
      if (delayMs === undefined) throw error;
      call.onStage?.({ stage: 'waiting', reason: error.message, delayMs });
      await wait(delayMs, call.signal);
    }
  } catch (error) {
    if (error instanceof SvcError && payment !== undefined) error.payment = payment;
    throw error;
  }
}

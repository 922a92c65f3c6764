import type { PaymentCredential, RailOffer } from '@svc/contracts';
import { problem, ProblemError } from '@svc/platform';
import {
  facilitatorRequestOf,
  type FacilitatorRequest,
  issueEvmCharge,
  offerX402,
  paymentChallengeHeader,
  PaymentRefusal,
  type Price,
  requireX402Terms,
  signedOffers,
  type TransferAuthorization,
  x402PayerOf,
  type X402Payment,
  x402ProofKey,
  x402ResponseHeaders,
  type X402Settlement,
  type X402Terms,
} from '@svc/protocols';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ClaimedPayment,
  moneyOfToken,
  type PresentedPayment,
  type QuotedOffers,
  type Quote,
  type Rail,
  type Settlement,
} from '../rail/rail.js';
import { ReadinessProbe } from '../rail/readiness-probe.js';
import type { ChainMoney } from '../receipt/stored-receipt.js';
import { QuestionPlaces, SharedQuestions } from '../rail/shared-questions.js';
import type { AuthorizationFate } from './evm-chain.js';
import {
  isNodesFault,
  NONCE_USED,
  refusalCodeOf,
  saysUsed,
  shownReason,
  type Transfer,
  WRONG_SIGNATURE,
} from './facilitator.js';
import type { OnchainBackend, OnchainOptions } from './onchain-options.js';
import { OnchainRefunds } from './onchain-refunds.js';
import { offeredResource, settledResource } from './discovery.js';
import {
  asProblems,
  isOnchain,
  onchainOperationOf,
  type OnchainPayment,
  onchainPaymentOf,
  requireFor,
  secretOf,
} from './onchain-payment.js';

/** How long an authorization holds that a client signs for an offer: for as long a lost settlement stays in doubt. */
export const AUTHORIZATION_SECONDS = 120;
/** Of every token that is taken: its units are micro-USD. */
const TOKEN_DECIMALS = 6;
/** An authorization that ends sooner cannot be mined in time; the terms say the same. */
const SETTLEMENT_SECONDS_MIN = 6;
/** How long a node may be behind the one that a facilitator sent a transfer by. */
const CHECK_MS = 4_000;
const CHECK_EVERY_MS = 250;
/** After that a used authorization without a trace was not used for us. */
const TRACE_MS = 120_000;

/**
 * Payments that are being verified at one time: each is a signature to be recovered and up to six questions to a node, and nobody has
 * paid for them. One caller has a quarter of those that the others leave.
 */
export const VERIFYING_MAX = 32;
export const VERIFYING_PARTS = 4;
/** Those that wait, and for how long, milliseconds. */
export const VERIFYING_WAITING_MAX = 64;
const VERIFYING_WAIT_MS = 5_000;
/** For so long a credential is refused again without a question, as it was or because the node could not tell, milliseconds. */
const REFUSED_MS = 2_000;

interface Evidence extends Record<string, unknown> {
  /** Of x402, whose clients want a header of their own. */
  readonly version?: 1 | 2;
  readonly authorization: TransferAuthorization;
  /** It was on the chain before it came here: whoever sent it, only the chain can tell where its amount went. */
  readonly usedBefore: boolean;
}

/**
 * x402, scheme `exact`, versions 2 and 1, and MPP's `evm/charge`: the payer signs a transfer of dollars (EIP-3009), and a
 * facilitator carries it out. The token moves an authorization's amount once, so settling is idempotent of itself; what became of a
 * settlement whose answer was lost, and whether a facilitator of others says the truth, is read from the chain.
 */
export class OnchainRail implements Rail {
  readonly family = 'x402';
  readonly names = ['x402', 'mpp-evm'];
  readonly observes = false;
  readonly money: string;
  readonly sandbox: boolean;
  readonly walletNetwork: string;
  readonly refunds: OnchainRefunds | undefined;
  private backend: OnchainBackend | undefined;
  private readonly probe: ReadinessProbe;
  /** Whether a payment was used before it came here, by price and digest of the credential. */
  private readonly verifying = new SharedQuestions<boolean>(
    new QuestionPlaces({
      ...{ name: 'payments on the chain', atOnceMax: VERIFYING_MAX, parts: VERIFYING_PARTS },
      ...{ waitingMax: VERIFYING_WAITING_MAX, waitMsMax: VERIFYING_WAIT_MS },
    }),
    {
      rememberedMs: REFUSED_MS,
      remembers: outcome =>
        'error' in outcome && outcome.error instanceof ProblemError && isOfTheNode(outcome.error.code),
    },
  );

  constructor(private readonly options: OnchainOptions) {
    this.sandbox = options.sandbox;
    this.walletNetwork = options.terms.network;
    this.money = moneyOfToken(this.token);
    const { refundDailyMicroUsd: dailyLimitMicroUsd, terms, origin } = options;
    this.refunds =
      dailyLimitMicroUsd === undefined
        ? undefined
        : new OnchainRefunds({ terms, dailyLimitMicroUsd, origin, backend: () => this.connected() });
    this.probe = new ReadinessProbe(() => this.canSettle(), options.probeEveryMs);
  }

  async open(): Promise<void> {
    this.backend ??= await this.options.connect();
    await this.probe.start();
  }

  isReady(): boolean {
    return this.probe.ready;
  }

  async quote(quote: Quote): Promise<QuotedOffers> {
    const { price, description, realm, resource, jti, expiresAtMs } = quote;
    // The other rails stay.
    if (this.isTooLittle(price.amountMicroUsd)) return { offers: [] };
    const url = URL.canParse(resource) ? resource : `https://${realm}/`;
    const terms = { ...this.termsOf(price.amountMicroUsd), jti, operationId: price.operationId };
    const signed = this.signedOffer(terms, url, expiresAtMs);
    const { headers, body } = offerX402(terms, offeredResource(url, price, description), signed);
    return { offers: [{ rail: 'x402', scheme: 'x402', headers, body }, this.evmOfferOf(quote)] };
  }

  /** The offer signed, where a key may sign now. Its URL has the path that was called, and none of the host. */
  private signedOffer(terms: X402Terms, url: string, expiresAtMs: number) {
    const { offers } = this.options;
    const signer = offers?.signer(Date.now());
    if (!offers || !signer) return undefined;
    const resourceUrl = `${offers.origin}${new URL(url).pathname}`;
    return signedOffers(terms, { resourceUrl, expiresAtMs }, signer);
  }

  /** Clients let their authorization end with the challenge, so it ends when one of x402 does. */
  private evmOfferOf({ price, description, realm, jti, expiresAtMs }: Quote): RailOffer {
    const { operationId, amountMicroUsd } = price;
    const challenge = issueEvmCharge(this.options.challengeKey, {
      ...{ ...this.options.terms, amountMicroUsd, jti, operationId, description, realm },
      expiresAtMs: Math.min(expiresAtMs, Date.now() + AUTHORIZATION_SECONDS * 1_000),
    });
    return {
      ...{ rail: 'mpp-evm', scheme: 'Payment', method: 'evm', intent: 'charge' },
      wwwAuthenticate: paymentChallengeHeader(challenge),
    };
  }

  reads(credential: PaymentCredential): boolean {
    return isOnchain(credential);
  }

  operationOf(credential: PaymentCredential): string | undefined {
    return onchainOperationOf(credential);
  }

  known(credential: PaymentCredential, price: Price): PresentedPayment {
    const paid = onchainPaymentOf(credential, this.options.challengeKey);
    const request = this.requestOf(paid, price);
    return this.presented(credential, price, { paid, request, usedBefore: false });
  }

  requireOffered(credential: PaymentCredential, price: Price): void {
    this.read(credential, price);
  }

  /**
   * A payment that is over, or was used, verifies by its signature: what it bought can be read again. What costs least comes first: the
   * terms, what was refused a moment ago, then in its caller's turn the signature, and then the questions.
   */
  async verify(credential: PaymentCredential, price: Price): Promise<PresentedPayment> {
    const read = this.read(credential, price);
    const digest = createHash('sha256').update(credential.value).digest('base64');
    // One value may be read as two payments: what a question is about depends on the scheme, too.
    const key = `${credential.scheme} ${price.amountMicroUsd} ${digest}`;
    const usedBefore = await this.verifying.ask(key, () => this.isUsedBefore(read));
    return this.presented(credential, price, { ...read, usedBefore });
  }

  /**
   * Whether the authorization was used before it came here. The cheapest questions come first: most who cannot pay lack the
   * money, or the key.
   * @throws ProblemError the refusal, where it is not good; SERVICE_UNAVAILABLE where the node cannot tell
   */
  private async isUsedBefore({
    paid: {
      payment: { authorization, signature },
    },
    request,
    isOver,
  }: ReturnType<OnchainRail['read']>): Promise<boolean> {
    const { chain, facilitator } = this.connected();
    const isSignedByKey = await chain.isSignedByKey(authorization, signature);
    if (isOver) {
      if (isSignedByKey) return false;
      throw problem('PAYMENT_EXPIRED', 'The authorization is over');
    }
    if (!isSignedByKey && !(await chain.canBeWallets(authorization, signature).catch(cannotBeVerified)))
      throw refusedAs(WRONG_SIGNATURE);
    const isUsed = () => chain.isUsed(authorization).catch(cannotBeVerified);
    if (!(await chain.hasFunds(authorization).catch(cannotBeVerified))) {
      if (isSignedByKey && (await isUsed())) return true;
      throw problem('PAYMENT_INSUFFICIENT', 'The payer has less of the token than the price');
    }
    const verification = await facilitator.verify(request).catch(cannotBeVerified);
    if (verification.valid) return false;
    // Facilitators name what they found in words of their own, if they look: the chain is asked what matters.
    if (isSignedByKey && (await isUsed())) return true;
    // By the chain's clock it may be over before it is by ours, and then it cannot be tried either.
    if (isSignedByKey && isNodesFault(verification.reason)) {
      const { fate } = await chain.fateOf(authorization).catch(cannotBeVerified);
      if (fate === 'over') throw problem('PAYMENT_EXPIRED', 'The authorization is over');
    }
    throw refusedAs(verification.reason);
  }

  async settle(payment: PresentedPayment): Promise<Settlement> {
    const evidence = payment.evidence as Evidence;
    try {
      if (evidence.usedBefore) {
        const fate = await this.connected().chain.fateOf(evidence.authorization);
        return this.settlementOf(evidence, fate, { isFresh: false });
      }
      const transfer = await this.connected().facilitator.settle(payment.secret as FacilitatorRequest);
      return await this.judge(evidence, transfer);
    } catch (cause) {
      return inDoubt('Whether the payment was settled cannot be read from the chain now', cause);
    }
  }

  async enquire({ evidence, claimedAtMs }: ClaimedPayment): Promise<Settlement> {
    try {
      const fate = await this.connected().chain.fateOf((evidence as Evidence).authorization);
      return this.settlementOf(evidence as Evidence, fate, { isFresh: Date.now() - claimedAtMs < TRACE_MS });
    } catch (cause) {
      return inDoubt('Whether the payment was settled cannot be read from the chain now', cause);
    }
  }

  async close(): Promise<void> {
    this.probe.stop();
  }

  private async canSettle(): Promise<boolean> {
    const { chain, facilitator } = this.connected();
    const { network } = this.options.terms;
    const [usable, ready, kinds] = await Promise.all([
      chain.isUsable(),
      facilitator.isReady(),
      facilitator.kinds(),
    ]);
    const settles = kinds.some(kind => kind.scheme === 'exact' && kind.network === network);
    return usable && ready && settles;
  }

  /** What a facilitator says, held against the chain unless it was read from there. */
  private async judge(evidence: Evidence, transfer: Transfer): Promise<Settlement> {
    const { chain, facilitator } = this.connected();
    if (transfer.outcome === 'done') {
      if (facilitator.trusted) return this.settled(evidence, transfer.transaction);
      return this.checked(evidence);
    }
    const fate = await chain.fateOf(evidence.authorization);
    if (fate.fate === 'transferred') return this.settled(evidence, fate.transaction);
    if (transfer.outcome === 'in-doubt') return inDoubt(sentence(transfer.detail), transfer.cause);
    if (saysUsed(transfer.reason)) return this.settlementOf(evidence, fate, { isFresh: true });
    return this.refused(evidence, transfer.reason);
  }

  /** Waits for the chain to say what the facilitator says. */
  private async checked(evidence: Evidence): Promise<Settlement> {
    const deadlineMs = Date.now() + (this.options.checkMs ?? CHECK_MS);
    for (;;) {
      const fate = await this.connected().chain.fateOf(evidence.authorization);
      if (fate.fate === 'transferred') return this.settled(evidence, fate.transaction);
      if (Date.now() >= deadlineMs) {
        return inDoubt('The facilitator says that the payment was settled, and the chain does not yet');
      }
      await delay(CHECK_EVERY_MS);
    }
  }

  /** @param isFresh a trace that is missing may yet come */
  private settlementOf(
    evidence: Evidence,
    { fate, ...rest }: AuthorizationFate,
    { isFresh }: { isFresh: boolean },
  ): Settlement {
    switch (fate) {
      case 'transferred':
        return this.settled(evidence, (rest as { transaction: string }).transaction);
      case 'cancelled':
        return this.refused(evidence, NONCE_USED);
      case 'over':
        return this.refused(evidence, 'invalid_exact_evm_payload_authorization_valid_before');
      case 'untraced':
        return isFresh
          ? inDoubt('The authorization was used, and the chain has not shown how yet')
          : this.refused(evidence, NONCE_USED);
      case 'open':
        return inDoubt('The transfer was asked for, and the chain has not seen it yet');
    }
  }

  private settled({ version, authorization }: Evidence, transaction: string): Settlement {
    const headers = this.headersOf(version, { success: true, transaction, payer: authorization.from });
    return {
      outcome: 'settled',
      reference: transaction,
      chargedMicroUsd: Number(authorization.value),
      headers,
    };
  }

  private refused({ version, authorization }: Evidence, reason: string): Settlement {
    const errorReason = shownReason(reason);
    const payer = authorization.from;
    const headers = this.headersOf(version, { success: false, transaction: '', payer, errorReason });
    if (isNodesFault(reason))
      return { outcome: 'refused', code: 'SERVICE_UNAVAILABLE', detail: NOT_TRIED, headers };
    const detail = `The payment is refused: ${errorReason}`;
    return { outcome: 'refused', code: refusalCodeOf(reason), detail, headers };
  }

  private headersOf(
    version: Evidence['version'],
    settlement: Omit<X402Settlement, 'network'>,
  ): Record<string, string> | undefined {
    const { network } = this.options.terms;
    return version === undefined ? undefined : x402ResponseHeaders(version, { ...settlement, network });
  }

  private read(credential: PaymentCredential, price: Price) {
    const paid = onchainPaymentOf(credential, this.options.challengeKey);
    requireFor(paid, price);
    if (this.isTooLittle(amountOf(paid, price))) throw tooLittle(amountOf(paid, price), this.leastMicroUsd);
    const isOver = asProblems(() => isOverFor(paid.payment, this.termsOf(amountOf(paid, price))));
    return { paid, isOver, request: this.requestOf(paid, price) };
  }

  private requestOf(paid: OnchainPayment, price: Price): FacilitatorRequest {
    const terms = this.termsOf(amountOf(paid, price));
    const resource = settledResource(this.options.origin, price, paid.payment.resourceUrl);
    return asProblems(() => facilitatorRequestOf(paid.payment, terms, resource));
  }

  private presented(
    { scheme, value }: PaymentCredential,
    price: Price,
    read: { paid: OnchainPayment; request: FacilitatorRequest; usedBefore: boolean },
  ): PresentedPayment {
    const { paid, request, usedBefore } = read;
    const { payment, charge } = paid;
    const { authorization } = payment;
    const evidence: Evidence = {
      ...{ authorization, usedBefore },
      ...(charge ? {} : { version: payment.version }),
    };
    const proofKey = x402ProofKey(payment, this.options.terms.asset.address);
    const secret = secretOf(paid);
    const shown = secret === undefined ? `${scheme} ${value}` : `x402 ${proofKey} ${secret}`;
    const endsAtSeconds = Number(authorization.validBefore) - SETTLEMENT_SECONDS_MIN;
    return {
      ...(charge ? { rail: 'mpp-evm', method: 'evm', challengeId: charge.challengeId } : { rail: 'x402' }),
      proofKey,
      credentialDigest: createHash('sha256').update(shown).digest('hex'),
      payer: x402PayerOf(payment),
      chain: this.token,
      publicOnceSettled: secret === undefined,
      ...{ amountMicroUsd: price.amountMicroUsd, amountSats: price.amountSats },
      chargeMicroUsd: amountOf(paid, price),
      // Some wallets sign for ever: an instant that Date can hold.
      expiresAtMs: Math.min(endsAtSeconds * 1_000, charge?.expiresAtMs ?? Infinity, 8.64e15),
      evidence,
      secret: request,
    };
  }

  private get leastMicroUsd(): number {
    return this.options.leastMicroUsd ?? 0;
  }

  /** Whether the facilitator settles no such amount. */
  private isTooLittle(amountMicroUsd: number): boolean {
    return amountMicroUsd < this.leastMicroUsd;
  }

  private get token(): ChainMoney {
    const { network, asset } = this.options.terms;
    return { network, asset: asset.address, decimals: TOKEN_DECIMALS };
  }

  private termsOf(amountMicroUsd: number): X402Terms {
    return { ...this.options.terms, amountMicroUsd, maxTimeoutSeconds: AUTHORIZATION_SECONDS };
  }

  private connected(): OnchainBackend {
    if (this.backend) return this.backend;
    throw problem('SERVICE_UNAVAILABLE', 'Payments on the chain are not ready yet', { retryAfterSeconds: 1 });
  }
}

/** What the payment moves, micro-USD: what its challenge asked for, where it has one, which is never less than the price. */
const amountOf = ({ charge }: OnchainPayment, price: Price): number =>
  charge?.amountMicroUsd ?? price.amountMicroUsd;

/** Holds a payment against the terms, but for its end: what was bought in time can be asked for later. */
function isOverFor(payment: X402Payment, terms: X402Terms): boolean {
  try {
    requireX402Terms(payment, terms, Date.now());
    return false;
  } catch (error) {
    if (error instanceof PaymentRefusal && error.code === 'PAYMENT_EXPIRED') return true;
    throw error;
  }
}

const tooLittle = (amountMicroUsd: number, leastMicroUsd: number) =>
  problem(
    'PAYMENT_METHOD_UNSUPPORTED',
    `The price is ${amountMicroUsd} micro-USD, and payments on the chain are taken from ${leastMicroUsd} on; pay by another rail of the 402`,
  );

function cannotBeVerified(cause: unknown): never {
  const detail = 'The payment cannot be verified now; keep the credential';
  throw problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 5, cause });
}

/** Nothing was moved, and the same credential may do. */
const NOT_TRIED = 'The node cannot try the payment now; keep the credential';

type RefusalCode = ReturnType<typeof refusalCodeOf>;
const REFUSALS: ReadonlySet<string> = new Set<RefusalCode>([
  ...(['PAYMENT_INVALID', 'PAYMENT_EXPIRED', 'PAYMENT_INSUFFICIENT'] as const),
]);
/** Whether it says what the node found, or could not: asking again at once finds no more. */
const isOfTheNode = (code: string): boolean => REFUSALS.has(code) || code === 'SERVICE_UNAVAILABLE';

const refusedAs = (reason: string) =>
  isNodesFault(reason)
    ? problem('SERVICE_UNAVAILABLE', NOT_TRIED, { retryAfterSeconds: 5, charged: 'no' })
    : problem(refusalCodeOf(reason), `The payment is refused: ${shownReason(reason)}`);

const inDoubt = (detail: string, cause?: unknown): Settlement => ({ outcome: 'unknown', detail, cause });
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

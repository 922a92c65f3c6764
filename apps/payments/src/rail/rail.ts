import type { PaymentCredential, RailOffer } from '@svc/contracts';
import type { CountedBudget, Price } from '@svc/protocols';
import type { ChainMoney } from '../receipt/stored-receipt.js';

/** Rails whose payments share one replay key: L402 and MPP-lightning are one family. */
export type RailFamily = 'lightning' | 'stripe' | 'x402';

/** What a challenge is made for. */
export interface Quote {
  readonly price: Price;
  /** What is bought, at most 100 characters of printable ASCII. */
  readonly description: string;
  /** Host that the client called. */
  readonly realm: string;
  /** URL that the client called: x402 names it. */
  readonly resource: string;
  /** Unguessable id of the challenge, that of the challenge token too. */
  readonly jti: string;
  readonly expiresAtMs: number;
  /** Of an L402 bundle. */
  readonly bundle?: {
    readonly capabilities: readonly string[];
    /** Unix seconds. */
    readonly validUntil: number;
  };
}

/** How a rail offers to be paid. */
export interface QuotedOffers {
  readonly offers: readonly RailOffer[];
  /** Payment hash of the invoice, which the challenge token then names too. */
  readonly paymentHash?: string;
  /** Where the offers end before the quote does. */
  readonly expiresAtMs?: number;
}

/** A payment whose credential verified: it pays this operation's price, here. No money has moved by it. */
export interface PresentedPayment {
  /** `l402`, `mpp-lightning`, `mpp-stripe`, `mpp-evm`, `spt`, `x402` */
  readonly rail: string;
  /** What makes the payment unique however it is presented; never the raw header. */
  readonly proofKey: string;
  /**
   * SHA-256 of what of the credential only its payer can show again, lower-case hex: where there is nothing of that
   * kind, of the credential as it came. The credential itself is not kept.
   */
  readonly credentialDigest: string;
  /** SHA-256 of a token that is unique beside the proof key: a shared payment token. */
  readonly tokenDigest?: string;
  /** Whom the credential proves to pay: `x402:0x…`. Lightning and tokens prove nobody. */
  readonly payer?: string;
  /** Whether everybody can read the whole credential once it has settled: then it does not show again who paid. */
  readonly publicOnceSettled?: boolean;
  /** The price. */
  readonly amountMicroUsd: number;
  readonly amountSats: number;
  /** What settlement takes, never less than the price; the remainder becomes credit. */
  readonly chargeMicroUsd: number;
  /** From then on it makes no new claim; what it bought before can still be read. */
  readonly expiresAtMs: number;
  /** What to tell a payer whose payment has expired, beside that it has. */
  readonly expiryHint?: string;
  /** Id of the MPP challenge, for its receipt. */
  readonly challengeId?: string;
  /** MPP's name of the method, for its receipt; absent where it is that of the rail's family. */
  readonly method?: string;
  /** What it is paid in, where that is a token on a chain. */
  readonly chain?: ChainMoney;
  /** Whatever the rail needs to settle and to enquire: kept with the claim, JSON, no secret of the payer. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** What settlement needs and must not be kept: a token, a preimage, a signature. */
  readonly secret: unknown;
}

/** A credential that pays several calls, verified: what it was issued as, and what its holders have made of it. */
export interface PresentedBundle {
  /** The payment of the whole bundle. */
  readonly payment: PresentedPayment;
  readonly issued: {
    readonly capabilities: readonly string[];
    readonly budgetSats: number;
    readonly expiresAtMs: number;
  };
  /** What the credential may pay for, as operations or patterns of them. */
  readonly capabilities: readonly string[];
  /** From then on the credential pays for nothing new. */
  readonly expiresAtMs: number;
  /** That of the issuer first: each bounds what is spent under it. */
  readonly budgets: readonly CountedBudget[];
}

/** What became of a settlement. */
export type Settlement =
  | {
      readonly outcome: 'settled';
      /** Reference of the money's movement: payment hash, `pi_…`, transaction hash. */
      readonly reference: string;
      readonly chargedMicroUsd: number;
      /** Headers that the rail's protocol wants on the answer beside `Payment-Receipt`. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /**
   * Nothing was taken: the payer is told why. The credential may be tried again, under another claim id, so that what
   * stood in the way (an empty wallet, a declined card) does not for ever. SERVICE_UNAVAILABLE where the payer is not
   * at fault, PAYMENT_IN_FLIGHT where another request uses the same token.
   */
  | {
      readonly outcome: 'refused';
      readonly code:
        | 'PAYMENT_INVALID'
        | 'PAYMENT_EXPIRED'
        | 'PAYMENT_INSUFFICIENT'
        | 'PAYMENT_IN_FLIGHT'
        | 'FORBIDDEN'
        | 'SERVICE_UNAVAILABLE';
      readonly detail: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** It was sent, and whether it was done is not known: the reconciler will ask. */
  | { readonly outcome: 'unknown'; readonly detail: string; readonly cause?: unknown };

/** What a reconciler asks about. */
export interface ClaimedPayment {
  readonly claimId: string;
  readonly proofKey: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly claimedAtMs: number;
}

/** A refund that a rail is to move, or has moved. */
export interface OrderedRefund {
  readonly refundId: string;
  readonly amountMicroUsd: number;
  /** What settled the payment: `pi_…`, a transaction hash, a payment hash. */
  readonly paymentReference: string;
  /** Whom the payment proved to be from: `x402:0x…`. */
  readonly payer?: string;
}

/** The {@link Rail.money} of a token on a chain. */
export const moneyOfToken = ({ network, asset }: Pick<ChainMoney, 'network' | 'asset'>): string =>
  `${network}/erc20:${asset.toLowerCase()}`;

/** Which money a claim came in by: of claims that have no word of it, that of the token in their receipt. SQL over `claim`. */
export const MONEY_OF_CLAIM = `coalesce(claim.settlement_evidence->>'money',
  claim.receipt->'chain'->>'network' || '/erc20:' || lower(claim.receipt->'chain'->>'asset'))`;

/** What a refund is known by at its rail: kept before it is sent, JSON, nothing secret. */
export type RefundPlan = Readonly<Record<string, unknown>>;

/** What became of a refund. */
export type RefundOutcome =
  | { readonly outcome: 'done'; readonly reference: string }
  /** Nothing was moved by it, and nothing can be any more. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** It was sent, and whether it was done is not known: the rail will be asked. */
  | { readonly outcome: 'unknown'; readonly detail: string; readonly cause?: unknown };

/** How a rail pays back. A refund is sent once; what became of it is then asked, and it is not sent again. */
export interface RefundPort {
  /** The least that it moves, and what every amount is a multiple of, micro-USD. */
  readonly unitMicroUsd: number;
  /** The most that it moves in a day (UTC), micro-USD; without a limit where absent. */
  readonly dailyLimitMicroUsd?: number;
  /** Makes the plan of a refund; moves nothing. Absent where the payer says where to: a refund waits for an invoice, which is its plan. */
  plan?(refund: OrderedRefund): Promise<RefundPlan>;
  /** Moves it. Never throws. */
  send(refund: OrderedRefund, plan: RefundPlan): Promise<RefundOutcome>;
  /** What became of one that was sent. Moves nothing, and never throws. @param sentAtMs when it was to be sent */
  enquire(refund: OrderedRefund, plan: RefundPlan, sentAtMs: number): Promise<RefundOutcome>;
}

/**
 * One way to move money, behind the one claims table. A rail verifies and settles; whether a payment may buy is
 * decided by the claims alone. Settling is idempotent: the same claim settles once, however often it is asked.
 */
export interface Rail {
  readonly family: RailFamily;
  /** Rails that it offers, as `/health` lists them. */
  readonly names: readonly string[];
  /** Network of the wallets that pay by it, as CAIP-2 names it: `eip155:8453`. */
  readonly walletNetwork?: string;
  /**
   * What money it takes and pays back, and where that is: `usd`, `usd:test`, `bitcoin:regtest`, `eip155:8453/erc20:0x…`. Its claims keep it, and
   * whatever goes out for one goes out in it.
   */
  readonly money: string;
  /** Whether its money is play money. */
  readonly sandbox: boolean;
  /**
   * Whether settling only looks whether the money has arrived. It is then asked before the claim, which begins as
   * settled; otherwise the claim is on record before anything can be taken.
   */
  readonly observes: boolean;
  /** Begins to probe whether it can settle, and resolves when a first answer is there or has taken too long. */
  open(): Promise<void>;
  /** Whether a payment could be made and settled now: the newest answer of a probe, so it costs nothing; never throws. */
  isReady(): boolean;
  /** No offers where the rail does not take so little. @throws ProblemError SERVICE_UNAVAILABLE: the challenge then goes without this rail */
  quote(quote: Quote): Promise<QuotedOffers>;
  /** Whether the credential is this rail's to verify. */
  reads(credential: PaymentCredential): boolean;
  /**
   * The operation that a credential says it pays for, as it says it and nothing of it verified; undefined where it does
   * not say, or cannot be read. Never throws.
   */
  operationOf(credential: PaymentCredential): string | undefined;
  /**
   * What a credential is without anybody being asked whether it is good, of rails that ask somebody for that: a claim that
   * stands under the very credential needs no second verification, and what it bought is answered whatever is asked for it by now.
   * @throws ProblemError PAYMENT_MALFORMED, PAYMENT_METHOD_UNSUPPORTED
   */
  known?(credential: PaymentCredential, price: Price): PresentedPayment;
  /**
   * Holds a credential that is {@link known} against what is offered now: price, receiver, operation. For what its claim has not bought.
   * @throws ProblemError as {@link verify}, but for what only whom it asks can tell
   */
  requireOffered?(credential: PaymentCredential, price: Price): void;
  /**
   * Verifies a credential against the price. Moves nothing.
   * @throws ProblemError PAYMENT_MALFORMED, PAYMENT_INVALID, PAYMENT_EXPIRED, PAYMENT_BOUND_ELSEWHERE,
   * PAYMENT_INSUFFICIENT, PAYMENT_METHOD_UNSUPPORTED; SERVICE_UNAVAILABLE where whom it must ask is away
   */
  verify(credential: PaymentCredential, price: Price): Promise<PresentedPayment>;
  /**
   * What a credential is that pays several calls; undefined for one that pays a single call.
   * @throws ProblemError PAYMENT_MALFORMED, PAYMENT_INVALID
   */
  bundleOf?(credential: PaymentCredential): PresentedBundle | undefined;
  /**
   * The proof key of a payment by a credential that its payer alone has whole, whatever it has bought and however long ago. Absent where
   * others may read credentials, as on a chain.
   * @throws ProblemError IDENTITY_UNPROVED
   */
  proofOfPayer?(credential: PaymentCredential): string;
  /** Takes the money, or learns that it has arrived. Never throws: what is not known is `unknown`. */
  settle(payment: PresentedPayment, claimId: string): Promise<Settlement>;
  /**
   * What became of a settlement that was `unknown`. Takes nothing, and never throws. `refused` only when what was sent
   * can take nothing any more.
   */
  enquire(claim: ClaimedPayment): Promise<Settlement>;
  /** How it pays back; absent where it cannot, as it is configured. */
  readonly refunds?: RefundPort;
  /** Ends its connections and probes. */
  close(): Promise<void>;
}

/** Injection token of the {@link Rail}s of this deployment, in the order in which a 402 offers them. */
export const RAILS = Symbol('RAILS');

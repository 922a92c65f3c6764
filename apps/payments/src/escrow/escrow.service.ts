import { Inject, Injectable } from '@nestjs/common';
import type { Charged, escrowContract, ParsedRequestOf, ReplyOf } from '@svc/contracts';
import { problem, ProblemError } from '@svc/platform';
import { requestDigest } from '@svc/protocols';
import type Stripe from 'stripe';
import { DataSource, type EntityManager } from 'typeorm';
import { ACCOUNT_SECRETS, type AccountSecrets } from '../account/account-secrets.js';
import { Accounts } from '../account/accounts.js';
import { CARD_SETTINGS, type CardSettings } from '../card/card-config.js';
import type { StripeAdapter } from '../card/stripe-adapter.js';
import { hasMadeNothing, stripeFaultOf } from '../card/stripe-fault.js';
import { STRIPE_ASKED_AGAIN_MS, StripeQuestions } from '../card/stripe-questions.js';
import { accountSubject } from '../quota/quotas.js';
import { addressSubject } from '../quota/client-subject.js';
import { SharedQuestions } from '../rail/shared-questions.js';
import { centsOfUsd, type EscrowWish, isFinal } from './escrow-state.js';
import { type Escrow, EscrowStore, type NewEscrow } from './escrow-store.js';
import { escrowRefusal, EscrowViews } from './escrow-views.js';

/** Escrows that one round of the sweep looks after. */
const ROUND_MAX = 50;
const RETRY = { retryAfterSeconds: 5 };
const ACCOUNT_ID_PREFIX = 'acct_';
const ENDS = { cancel: 'CANCELLED', expire: 'EXPIRED' } as const;

type CreateRequest = ParsedRequestOf<typeof escrowContract.create>;
type ReleaseRequest = ParsedRequestOf<typeof escrowContract.release>;
type CancelRequest = ParsedRequestOf<typeof escrowContract.cancel>;
type View = ReplyOf<typeof escrowContract.find>;

/**
 * Payments that are held at the card processor. What is to be done with one is recorded first, under its row's lock, then
 * done at the processor by an idempotency key of its own, then adopted: a crash between two steps is gone on from.
 */
@Injectable()
export class EscrowService {
  /** How payments that are waited for stand. */
  private readonly asked: SharedQuestions<void>;
  private readonly opening: SharedQuestions<Escrow>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: EscrowStore,
    private readonly accounts: Accounts,
    @Inject(ACCOUNT_SECRETS) private readonly secrets: Pick<AccountSecrets, 'address'>,
    @Inject(CARD_SETTINGS) private readonly card: CardSettings | null,
    questions: StripeQuestions,
    private readonly views: EscrowViews,
  ) {
    const { now } = questions;
    this.asked = new SharedQuestions(questions, {
      ...{ rememberedMs: STRIPE_ASKED_AGAIN_MS, remembers: () => true, now },
    });
    this.opening = new SharedQuestions(questions);
  }

  async create(request: CreateRequest): Promise<View> {
    const { accountId, address, idempotencyKey, escrow: given } = request;
    this.requireStripe();
    const { description, payee, metadata, expiresInHours } = given;
    const payeeAccountId = await this.payeeAccountOf(accountId, payee);
    const wanted: NewEscrow = {
      accountId,
      openedBy: await this.openerOf(accountId, address),
      amountCents: centsOfUsd(given.amountUsd),
      expiresInHours,
      requestDigest: requestDigest('escrow.create-intent', given),
      ...(payeeAccountId === undefined ? {} : { payeeAccountId }),
      ...(payee === undefined ? {} : { payee }),
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    const escrow = await this.store.begin(wanted);
    if (escrow.paymentIntentId !== undefined || isFinal(escrow.state)) return this.made(escrow, request);
    const opening = this.opening.ask(escrow.escrowId, () => this.open(escrow, wanted));
    const opened = await opening.catch(async (error: unknown) => {
      const isNone = error instanceof NoPayment || (error as ProblemError).code === 'OVERLOADED';
      const isKept = !isNone && idempotencyKey !== undefined;
      await this.store.abandon(escrow.escrowId, isKept).catch(() => undefined);
      throw error instanceof NoPayment ? error.problem : error;
    });
    return this.made(opened, request);
  }

  /** The answer that makes an escrow: it alone says the claim link, to a retry too until somebody has claimed it. */
  private async made(escrow: Escrow, { accountId, baseUrl }: CreateRequest): Promise<View> {
    const view = await this.views.of(escrow, accountId);
    if (escrow.payeeIs !== 'unclaimed' || isFinal(escrow.state)) return view;
    return { ...view, claimUrl: `${baseUrl}/v1/escrow/claims/${this.store.claimTokenOf(escrow.escrowId)}` };
  }

  /** Makes the payment of an escrow at the card processor. */
  private async open({ escrowId, amountCents }: Escrow, wanted: NewEscrow): Promise<Escrow> {
    const { accountId, description } = wanted;
    // The caller's metadata stays here: at Stripe it could pass for ours.
    const intent = await this.requireStripe()
      .createHeld({
        escrowId,
        amountCents,
        metadata: { account_id: accountId },
        ...(description === undefined || description === '' ? {} : { description }),
      })
      .catch((cause: unknown) => {
        if (stripeFaultOf(cause).kind === 'contended') throw contended('no', cause);
        const away = problem('SERVICE_UNAVAILABLE', stripeFaultOf(cause).detail, { ...RETRY, cause });
        throw hasMadeNothing(cause) ? new NoPayment(away) : away;
      });
    const opened = await this.store.opened(escrowId, wanted, intent);
    if (opened) return opened;
    throw problem('SERVICE_UNAVAILABLE', 'The escrow was given up meanwhile', RETRY);
  }

  async find(accountId: string, escrowId: string): Promise<View> {
    const escrow = await this.require(accountId, escrowId);
    return this.views.of(await this.refreshed(escrow), accountId);
  }

  async release({ accountId, intentId, idempotencyKey: key, release }: ReleaseRequest): Promise<View> {
    const escrow = await this.requireOwn(accountId, intentId);
    // Its payer may have paid by now, and no event have come.
    if (escrow.state === 'REQUIRES_PAYMENT') await this.refreshed(escrow);
    const cents = release.amountUsd === undefined ? escrow.amountCents : centsOfUsd(release.amountUsd);
    const wish = { verb: 'release', cents, ...(key === undefined ? {} : { key }) } as const;
    return this.views.of(await this.act(intentId, wish), accountId);
  }

  async cancel({ accountId, intentId, idempotencyKey: key }: CancelRequest): Promise<View> {
    await this.requireOwn(accountId, intentId);
    const wish = { verb: 'cancel', ...(key === undefined ? {} : { key }) } as const;
    return this.views.of(await this.act(intentId, wish), accountId);
  }

  /** Brings an escrow to what the processor says of its payment, within a transaction; false for what is no escrow's. */
  async adopt(manager: EntityManager, intent: Stripe.PaymentIntent): Promise<boolean> {
    return (await this.store.adoptWithin(manager, intent)) !== undefined;
  }

  /** Ends what is past its time, and goes on with what was left under way; returns how many it looked after. */
  async sweep(): Promise<number> {
    if (!this.card) return 0;
    const due = await this.store.due(ROUND_MAX);
    let failure: unknown;
    for (const { escrowId, wish } of due) {
      try {
        await this.act(escrowId, wish);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return due.length;
  }

  /** @throws ProblemError what the wish is refused with; SETTLEMENT_UNKNOWN where the processor did not say */
  private async act(escrowId: string, wish: EscrowWish): Promise<Escrow> {
    const { escrow, judged } = await this.store.wish(escrowId, wish);
    if (judged.verdict === 'refuse') throw escrowRefusal(judged);
    if (judged.verdict === 'replay') return escrow;
    if (escrow.paymentIntentId === undefined) return this.store.endUnopened(escrowId);
    const stripe = this.requireStripe();
    let intent: Stripe.PaymentIntent;
    try {
      intent = await perform(stripe, escrow);
    } catch (error) {
      return this.afterFailure(stripe, escrow, error);
    }
    return (await this.store.adopt(intent)) ?? escrow;
  }

  /** The processor did not do it: what it says of the payment counts, and what it refused can be asked anew. */
  private async afterFailure(stripe: StripeAdapter, escrow: Escrow, error: unknown): Promise<Escrow> {
    const fault = stripeFaultOf(error);
    if (fault.kind === 'contended') throw contended('unknown', error);
    if (fault.kind !== 'declined' && fault.kind !== 'refused') throw notKnown(error);
    const intent = await stripe.retrieveIntent(escrow.paymentIntentId!).catch((cause: unknown) => {
      throw notKnown(cause);
    });
    const after = (await this.store.adopt(intent)) ?? escrow;
    if (!isFinal(after.state)) {
      await this.store.withdraw(escrow.escrowId, escrow.actionAttempt);
      throw problem('UNPROCESSABLE', fault.detail, { cause: error });
    }
    const { verb } = escrow.action!;
    const isDone = verb === 'release' ? after.releasedCents > 0 : after.state === ENDS[verb];
    if (isDone) return after;
    throw problem(after.state === 'EXPIRED' ? 'EXPIRED' : 'CONFLICT', `The escrow is ${after.state}`);
  }

  /**
   * As the processor said it within the last seconds, while its payer or we are at work; as it was where it cannot be asked.
   */
  async refreshed(escrow: Escrow): Promise<Escrow> {
    const isOpen =
      escrow.state === 'REQUIRES_PAYMENT' || (escrow.action !== undefined && !escrow.action.done);
    if (!isOpen || escrow.paymentIntentId === undefined || !this.card) return escrow;
    const { escrowId, paymentIntentId } = escrow;
    const { stripe } = this.card;
    try {
      await this.asked.ask(escrowId, async () => {
        await this.store.adopt(await stripe.retrieveIntent(paymentIntentId));
      });
    } catch (error) {
      if (!(error instanceof ProblemError)) stripeFaultOf(error);
      else if (error.code !== 'OVERLOADED') throw error;
      return escrow;
    }
    return (await this.store.find(escrowId)) ?? escrow;
  }

  /**
   * An escrow that the account made, or is the payee of.
   * @throws ProblemError NOT_FOUND
   */
  async require(accountId: string, escrowId: string): Promise<Escrow> {
    const escrow = await this.store.find(escrowId);
    if (escrow && (escrow.accountId === accountId || escrow.payeeAccountId === accountId)) return escrow;
    throw problem('NOT_FOUND', 'The account has no such escrow');
  }

  /** @throws ProblemError NOT_FOUND; FORBIDDEN to its payee */
  private async requireOwn(accountId: string, escrowId: string): Promise<Escrow> {
    const escrow = await this.require(accountId, escrowId);
    if (escrow.accountId === accountId) return escrow;
    throw problem(
      'FORBIDDEN',
      'The account is the payee: the account that made the escrow releases or cancels it',
    );
  }

  /** Whom an escrow counts for: anybody can have many keys that came of the rests of payments. */
  private async openerOf(accountId: string, address: string | undefined): Promise<string> {
    return address !== undefined && (await this.accounts.countsByAddress(this.dataSource.manager, accountId))
      ? addressSubject(this.secrets.address, address)
      : accountSubject(accountId);
  }

  /** Money goes to accounts alone: a payee by another name is who claims the escrow, undefined until then. */
  private async payeeAccountOf(accountId: string, payee: string | undefined): Promise<string | undefined> {
    if (payee === undefined) return accountId;
    if (!payee.startsWith(ACCOUNT_ID_PREFIX)) return undefined;
    if (await this.accounts.find(this.dataSource.manager, payee)) return payee;
    throw problem('UNPROCESSABLE', 'payee: there is no such account here; another name gets a claim link', {
      errors: [{ path: 'payee', message: 'is no account here', got: payee.slice(0, 80) }],
    });
  }

  private requireStripe(): StripeAdapter {
    if (this.card) return this.card.stripe;
    throw problem('SERVICE_UNAVAILABLE', 'No card processor is configured here', {
      retryAfterSeconds: 3_600,
    });
  }
}

/** The card processor has made no payment, and will make none of this try. */
class NoPayment extends Error {
  constructor(readonly problem: ProblemError) {
    super(problem.message);
    this.name = 'NoPayment';
  }
}

/** Does the recorded action at the processor; asked again, it is the same action. */
function perform(stripe: StripeAdapter, { escrowId, paymentIntentId, action, actionAttempt }: Escrow) {
  const { verb, cents } = action!;
  const idempotencyKey = `${escrowId}:${verb}:${actionAttempt}`;
  if (verb === 'release') return stripe.captureHeld(paymentIntentId!, cents!, idempotencyKey);
  const reason = verb === 'expire' ? 'abandoned' : 'requested_by_customer';
  return stripe.cancelIntent(paymentIntentId!, reason, idempotencyKey);
}

/** Another request for the same escrow is at work. */
function contended(charged: Charged, cause: unknown): ProblemError {
  const detail = 'Another request for this escrow is at work; send yours again';
  return problem('CONFLICT', detail, { retryAfterSeconds: 1, charged, cause });
}

function notKnown(cause: unknown): ProblemError {
  const detail = 'The card processor did not say whether it was done; it is being found out';
  return problem('SETTLEMENT_UNKNOWN', detail, { retryAfterSeconds: 5, cause });
}

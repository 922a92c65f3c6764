import { Inject, Injectable } from '@nestjs/common';
import type { checkoutContract, ParsedRequestOf, Payee, ReplyOf } from '@svc/contracts';
import {
  inTransaction,
  problem,
  type ProblemError,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { AUDIT_CREDIT_MICRO_USD, CREDIT_PACKS, deriveKey, hmacSha256, requestDigest } from '@svc/protocols';
import type Stripe from 'stripe';
import { DataSource } from 'typeorm';
import { Accounts } from '../account/accounts.js';
import { ApiKeys } from '../account/api-keys.js';
import { CARD_SETTINGS, type CardSettings } from '../card/card-config.js';
import { hasMadeNothing, stripeFaultOf } from '../card/stripe-fault.js';
import { STRIPE_ASKED_AGAIN_MS, StripeQuestions } from '../card/stripe-questions.js';
import { Leads } from '../lead/leads.js';
import { LicenceIssuer } from '../licence/licence-issuer.js';
import { SharedQuestions } from '../rail/shared-questions.js';
import { type Checkout, CheckoutStore, type NewCheckout } from './checkout-store.js';
import { type Fulfilled, Fulfilment } from './fulfilment.js';
import { productCatalog } from './product-catalog.js';
import { packProduct, type PurchaseTier, tierProduct } from './products.js';

const MICRO_USD_PER_CENT = 10_000;

type PrepayRequest = ParsedRequestOf<typeof checkoutContract.prepay>;
/** A request for a link; where no address of the deployment is configured, that at which it was reached is needed. */
type PurchaseRequest = Omit<ParsedRequestOf<typeof checkoutContract.purchaseLink>, 'baseUrl'> & {
  baseUrl?: string;
};
type Confirmation = ReplyOf<typeof checkoutContract.confirm>;
type Page = { readonly sessionId: string; readonly checkoutUrl: string };
/** What came of looking at a session, and how the session stood. */
type Looked = Fulfilled & { readonly detail: string };

/** Sells packs and plans by hosted checkouts. */
@Injectable()
export class CheckoutService {
  private readonly addressKey: Uint8Array;
  /** Whether a session was paid. What was is a row from then on, and is not asked about again. */
  private readonly asked: SharedQuestions<Looked>;
  /** Pages that are made for whoever pays nothing for it. */
  private readonly opening: SharedQuestions<Page>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly checkouts: CheckoutStore,
    private readonly fulfilment: Fulfilment,
    private readonly accounts: Accounts,
    private readonly apiKeys: ApiKeys,
    private readonly licences: LicenceIssuer,
    private readonly leads: Leads,
    @Inject(CARD_SETTINGS) private readonly card: CardSettings | null,
    @Inject(SERVICE_ENVIRONMENT) environment: Pick<ServiceEnvironment, 'secrets'>,
    questions: StripeQuestions,
  ) {
    this.addressKey = deriveKey(environment.secrets.PAYMENTS_SECRET, 'checkout-address');
    this.asked = new SharedQuestions(questions, {
      rememberedMs: STRIPE_ASKED_AGAIN_MS,
      remembers: outcome => !('answer' in outcome) || outcome.answer.outcome !== 'fulfilled',
      now: questions.now,
    });
    this.opening = new SharedQuestions(questions);
  }

  async prepay({ pack, baseUrl, accountId, idempotencyKey, address }: PrepayRequest) {
    const byAddress = `address:${this.digestOf(address)}`;
    const scope = accountId === undefined ? byAddress : `account:${accountId}`;
    const countsByAddress =
      accountId !== undefined && (await this.accounts.countsByAddress(this.dataSource.manager, accountId));
    const { packId, customerEmail: email } = pack;
    const checkout: NewCheckout = {
      product: packProduct(packId),
      requestDigest: requestDigest('credits.prepay', pack),
      openedBy: countsByAddress ? byAddress : scope,
      ...(email === undefined ? {} : { email }),
      ...(accountId === undefined ? {} : { topUpAccountId: accountId }),
      ...(idempotencyKey === undefined ? {} : { idempotency: { scope, key: idempotencyKey } }),
    };
    const { sessionId, checkoutUrl } = await this.open(checkout, baseUrl, 'checkout');
    const { audits } = CREDIT_PACKS.find(each => each.packId === packId)!;
    return { checkoutUrl, sessionId, packId, credits: audits };
  }

  async purchaseLink({ tier, workEmail, baseUrl, payer, idempotencyKey }: PurchaseRequest) {
    const checkout: NewCheckout = {
      product: tierProduct(tier),
      requestDigest: requestDigest('tool.create_purchase_link', { tier, ...(workEmail && { workEmail }) }),
      ...(workEmail === undefined ? {} : { email: workEmail }),
      ...(idempotencyKey === undefined
        ? {}
        : { idempotency: { scope: linkScope(payer), key: idempotencyKey } }),
    };
    const processorAccount = await this.processorAccount();
    const { checkoutUrl } = await this.open(checkout, baseUrl, 'purchase-link');
    return { checkoutUrl, processorAccount, fulfillment: fulfillmentOf(tier) };
  }

  /**
   * Who is paid by card; nobody where no card processor is configured.
   * @throws ProblemError SERVICE_UNAVAILABLE
   */
  async payee(): Promise<Payee> {
    if (!this.card) return { networkId: '', destination: '', destinationName: '' };
    const { accountId, name } = await this.card.stripe.merchant().catch(refuse);
    return { networkId: this.card.networkId, destination: accountId, destinationName: name.slice(0, 128) };
  }

  /** @throws ProblemError SERVICE_UNAVAILABLE where no card processor is configured */
  assertInService(): void {
    this.requireCard();
  }

  /**
   * Takes a link back that was made under an Idempotency-Key: its page can be paid no more. What was paid stays paid. A page
   * that was made and whose address was never recorded was told to nobody, and ends by itself.
   */
  async withdrawLink(payer: string, idempotencyKey: string): Promise<void> {
    const known = await this.checkouts.findByKey({ scope: linkScope(payer), key: idempotencyKey });
    if (known?.sessionId === undefined || known.fulfilledAt) return;
    const { stripe } = this.requireCard();
    try {
      const session = await stripe.retrieveCheckout(known.sessionId);
      if (session.status === 'open') await stripe.expireCheckout(known.sessionId);
    } catch (error) {
      if (stripeFaultOf(error).code !== 'resource_missing') throw refusalOf(error);
    }
  }

  catalog() {
    return { catalog: CATALOG };
  }

  /** Fulfils what was paid, and shows the key to the one who asks first. */
  async confirm(sessionId: string, showKey: boolean): Promise<Confirmation> {
    const known = await this.checkouts.findBySession(sessionId);
    if (!known) throw problem('NOT_FOUND', 'There is no such checkout here');
    const checkout = known.fulfilledAt ? known : await this.fulfil(sessionId);
    return inTransaction(this.dataSource, async manager => {
      const locked = (await this.checkouts.lock(manager, checkout.checkoutId))!;
      const shown: { apiKey?: string; licenseKey?: string } = {};
      if (showKey && !locked.keyShownAt && !locked.topUpAccountId) {
        const { keyId, key } = await this.apiKeys.issue(manager, locked.accountId!, {
          label: locked.productId,
        });
        await this.checkouts.keyShown(manager, locked.checkoutId, keyId);
        shown.apiKey = key;
        if (locked.licenceId) shown.licenseKey = await this.licences.keyOf(manager, locked.licenceId);
      }
      const { balanceMicroUsd } = (await this.accounts.find(manager, locked.accountId!))!;
      return { ...confirmationOf(locked, sessionId, balanceMicroUsd), ...shown };
    });
  }

  private async fulfil(sessionId: string): Promise<Checkout> {
    const { stripe } = this.requireCard();
    const looked = await this.asked.ask(sessionId, async () => {
      const session = await stripe.retrieveCheckout(sessionId).catch(refuse);
      return { ...(await this.fulfilment.fulfil(session)), detail: unpaidDetail(session) };
    });
    if (looked.outcome === 'fulfilled') return looked.checkout;
    if (looked.outcome === 'unknown') throw problem('NOT_FOUND', 'There is no such checkout here');
    throw problem('CHECKOUT_UNPAID', looked.detail, { retryAfterSeconds: STRIPE_ASKED_AGAIN_MS / 1_000 });
  }

  /** Begins a checkout, or finds the one that its Idempotency-Key began, and makes its hosted page. */
  private async open(
    order: NewCheckout,
    baseUrl: string | undefined,
    source: 'checkout' | 'purchase-link',
  ): Promise<Page> {
    const { publicUrl = baseUrl?.replace(/\/+$/, '') } = this.requireCard();
    if (publicUrl === undefined)
      throw problem('SERVICE_UNAVAILABLE', 'No public address is configured here', {
        retryAfterSeconds: 3_600,
      });
    const checkout = await this.checkouts.begin(order);
    if (checkout.sessionId && checkout.sessionUrl) {
      return { sessionId: checkout.sessionId, checkoutUrl: checkout.sessionUrl };
    }
    const make = () => this.makePage(order, checkout, { publicUrl, source });
    // What was paid for does not wait behind what was not.
    const made = order.openedBy === undefined ? make() : this.opening.ask(checkout.checkoutId, make);
    return made.catch(async (error: unknown) => {
      const isNone = error instanceof NoPage || (error as ProblemError).code === 'OVERLOADED';
      const isKept = !isNone && order.idempotency !== undefined;
      await this.checkouts.abandon(checkout.checkoutId, isKept).catch(() => undefined);
      throw error instanceof NoPage ? error.problem : error;
    });
  }

  private async makePage(
    order: NewCheckout,
    { checkoutId }: Checkout,
    { publicUrl, source }: { publicUrl: string; source: 'checkout' | 'purchase-link' },
  ): Promise<Page> {
    const { stripe } = this.requireCard();
    const { product, email, openedBy } = order;
    const session = await stripe
      .createCheckout({
        checkoutId,
        amountCents: product.amountMicroUsd / MICRO_USD_PER_CENT,
        name: product.name,
        monthly: product.kind === 'subscription',
        successUrl: `${publicUrl}/prepay-success?session_id={CHECKOUT_SESSION_ID}`,
        cancelUrl: `${publicUrl}/`,
        ...(email === undefined ? {} : { email }),
        metadata: { checkout_id: checkoutId, product: product.productId },
      })
      .catch((error: unknown) => {
        throw hasMadeNothing(error) ? new NoPage(refusalOf(error)) : refusalOf(error);
      });
    const { id: sessionId, url: sessionUrl } = session;
    if (!sessionUrl) throw problem('SERVICE_UNAVAILABLE', 'The card processor made no page', RETRY);
    await inTransaction(this.dataSource, async manager => {
      if (!(await this.checkouts.opened(manager, checkoutId, { sessionId, sessionUrl, openedBy })))
        throw problem('SERVICE_UNAVAILABLE', 'The checkout was given up meanwhile', RETRY);
      const detail = { product: product.productId, paid: false };
      if (email) await this.leads.record(manager, { source, email, detail });
    });
    return { sessionId, checkoutUrl: sessionUrl };
  }

  private async processorAccount(): Promise<string> {
    return this.requireCard().stripe.accountId().catch(refuse);
  }

  private requireCard(): CardSettings {
    if (this.card) return this.card;
    throw problem('SERVICE_UNAVAILABLE', 'No card processor is configured here', {
      retryAfterSeconds: 3_600,
    });
  }

  /** No address is kept: what stands for it says nothing to whoever has no secret of ours. */
  private digestOf(address: string): string {
    return Buffer.from(hmacSha256(this.addressKey, address)).toString('hex');
  }
}

/** It changes with the code alone. */
const CATALOG = productCatalog();

const RETRY = { retryAfterSeconds: 5 };

/** The card processor has made no page, and will make none of this try. */
class NoPage extends Error {
  constructor(readonly problem: ProblemError) {
    super(problem.message);
    this.name = 'NoPage';
  }
}

/** Within whom the Idempotency-Key of a purchase link is its own. */
const linkScope = (payer: string) => `purchase-link:${payer}`;

/** A call that moved no money failed: the caller mends the request, or sends it again. */
function refuse(error: unknown): never {
  throw refusalOf(error);
}

function refusalOf(error: unknown): ProblemError {
  const fault = stripeFaultOf(error);
  if (fault.code === 'resource_missing') return problem('NOT_FOUND', 'There is no such checkout here');
  if (fault.code === 'email_invalid') {
    return problem('UNPROCESSABLE', 'The card processor does not take this e-mail address', {
      errors: [{ path: 'customerEmail', message: 'is not taken by the card processor' }],
    });
  }
  return problem('SERVICE_UNAVAILABLE', fault.detail, { ...RETRY, cause: error });
}

function unpaidDetail({ status }: Stripe.Checkout.Session): string {
  if (status === 'complete') return 'The checkout is complete and its payment is still on its way';
  if (status === 'expired') return 'The checkout expired without a payment';
  return 'The checkout is open: pay it on its page';
}

function confirmationOf(checkout: Checkout, sessionId: string, balanceMicroUsd: number): Confirmation {
  const { kind, productId, accountId, amountMicroUsd, keyShownAt } = checkout;
  const isPack = kind === 'pack';
  return {
    status: 'FULFILLED',
    sessionId,
    accountId: accountId!,
    ...(isPack ? { packId: productId as never } : { tier: productId as PurchaseTier }),
    creditsAdded: isPack ? Math.floor(amountMicroUsd / AUDIT_CREDIT_MICRO_USD) : 0,
    credits: Math.floor(balanceMicroUsd / AUDIT_CREDIT_MICRO_USD),
    balanceMicroUsd,
    ...(keyShownAt && { keyShownAt: keyShownAt.toISOString() }),
  };
}

function fulfillmentOf(tier: PurchaseTier): string {
  const licence = tierProduct(tier).licence ? ' and the licence key' : '';
  return (
    'When the checkout is paid, its page leads to /prepay-success, which shows the account key' +
    `${licence} once, to whoever opens it first. The plan begins at once and is renewed each month.`
  );
}

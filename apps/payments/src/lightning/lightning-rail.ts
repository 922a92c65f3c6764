import { BUNDLE_DEPTH_MAX, type PaymentCredential, type RailOffer } from '@svc/contracts';
import { freshBytes, problem } from '@svc/platform';
import {
  isAsIssued,
  isL402Bundle,
  issueLightningCharge,
  L402_SERVICE,
  l402ChallengeHeader,
  type L402Credential,
  microUsdFromSats,
  mintL402Bundle,
  mintL402Token,
  parseL402Credential,
  parsePaymentCredential,
  paymentChallengeHeader,
  PaymentRefusal,
  type Price,
  verifyL402,
  verifyL402Bundle,
  verifyLightningCharge,
  type VerifiedBundle,
} from '@svc/protocols';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentKeys } from '../payments-config.js';
import { paymentMethodOf } from '../rail/payment-method.js';
import type {
  ClaimedPayment,
  PresentedBundle,
  PresentedPayment,
  QuotedOffers,
  Quote,
  Rail,
  Settlement,
} from '../rail/rail.js';
import { ReadinessProbe } from '../rail/readiness-probe.js';
import { QuestionPlaces } from '../rail/shared-questions.js';
import type { InvoiceState, IssuedInvoice, LightningBackend } from './lightning-backend.js';
import { LightningRefunds } from './lightning-refunds.js';

/**
 * Invoices that a node makes at one time: each is a row there, made before any payment. One caller has a quarter of those that the
 * others leave. A challenge that gets no place goes without Lightning.
 */
export const INVOICES_MAX = 32;
const INVOICE_PARTS = 4;
/** Those that wait, and for how long, milliseconds. */
const INVOICES_WAITING_MAX = 256;
const INVOICE_WAIT_MS = 2_000;
/** So long a challenge waits for its invoice, milliseconds: who asks for a challenge waits 5 s, and the other rails have made theirs. */
const QUOTE_MS = 3_500;

/** How long a paid L402 token can still be presented after its invoice has expired. */
export const L402_GRACE_SECONDS = 86_400;
const EXPIRY_HINT =
  '; if its invoice was paid in time, present the L402 macaroon of the same challenge with the preimage';

/**
 * Lightning: L402 and the `lightning` method of MPP over one invoice, one payment hash and so one claim. The money has
 * arrived before a credential can be made; settling asks for the node's word beside the preimage, so that a preimage
 * that leaked otherwise buys nothing.
 */
export class LightningRail implements Rail {
  readonly family = 'lightning';
  readonly names = ['l402', 'mpp-lightning'];
  readonly observes = true;
  readonly money: string;
  readonly sandbox: boolean;
  readonly refunds: LightningRefunds;
  private readonly probe: ReadinessProbe;
  /** Questions whether money has come have none: they are of payers. */
  private readonly invoices = new QuestionPlaces({
    ...{ name: 'invoices', atOnceMax: INVOICES_MAX, parts: INVOICE_PARTS },
    ...{ waitingMax: INVOICES_WAITING_MAX, waitMsMax: INVOICE_WAIT_MS },
  });

  constructor(
    private readonly backend: LightningBackend,
    private readonly keys: Pick<PaymentKeys, 'l402' | 'paymentChallenge'>,
    probeEveryMs?: number,
  ) {
    this.money = `bitcoin:${backend.network}`;
    this.sandbox = backend.kind === 'sandbox';
    this.refunds = new LightningRefunds(backend);
    this.probe = new ReadinessProbe(() => backend.isReady(), probeEveryMs);
  }

  open(): Promise<void> {
    return this.probe.start();
  }

  isReady(): boolean {
    return this.probe.ready;
  }

  async quote({ price, realm, description, expiresAtMs, bundle }: Quote): Promise<QuotedOffers> {
    const asked = {
      amountSats: price.amountSats,
      description,
      expirySeconds: Math.max(1, Math.ceil((expiresAtMs - Date.now()) / 1_000)),
    };
    const create = () => this.backend.createInvoice(asked);
    const invoice = await (this.sandbox ? create() : inTime(this.invoices.ask(create)));
    const offers = [l402Offer(this.tokenOf(price, realm, invoice, bundle), invoice)];
    // A `Payment` credential pays one call. The tool catalogue says `lightningSupported: false` for its MPP payments.
    if (!bundle && !price.operationId.startsWith('tool.'))
      offers.push(this.chargeOffer(price, realm, invoice));
    return { offers, paymentHash: invoice.paymentHash, expiresAtMs: invoice.expiresAtMs };
  }

  reads(credential: PaymentCredential): boolean {
    return credential.scheme === 'L402' || paymentMethodOf(credential) === 'lightning';
  }

  operationOf({ scheme, value }: PaymentCredential): string | undefined {
    try {
      if (scheme === 'L402') return capabilityOf(parseL402Credential(value));
      const { externalId } = parsePaymentCredential(value).challenge.request;
      return typeof externalId === 'string' ? externalId : undefined;
    } catch {
      return undefined;
    }
  }

  async verify(credential: PaymentCredential, price: Price): Promise<PresentedPayment> {
    try {
      return credential.scheme === 'L402'
        ? this.verifyToken(credential, price)
        : this.verifyCharge(credential, price);
    } catch (error) {
      if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
      throw error;
    }
  }

  bundleOf({ scheme, value }: PaymentCredential): PresentedBundle | undefined {
    if (scheme !== 'L402') return undefined;
    try {
      const parsed = parseL402Credential(value);
      if (!isL402Bundle(parsed)) return undefined;
      return bundled(parsed, verifyL402Bundle(this.keys.l402, parsed));
    } catch (error) {
      if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
      throw error;
    }
  }

  /** A token that its payer has handed on with conditions is another's to spend, and not to take the account with. */
  proofOfPayer({ scheme, value }: PaymentCredential): string {
    try {
      if (scheme !== 'L402')
        return verifyLightningCharge(this.keys.paymentChallenge, parsePaymentCredential(value)).paymentHash;
      const parsed = parseL402Credential(value);
      const verify = isL402Bundle(parsed) ? verifyL402Bundle : verifyL402;
      const { paymentHash } = verify(this.keys.l402, parsed);
      if (isAsIssued(parsed)) return paymentHash;
      throw problem('IDENTITY_UNPROVED', 'The macaroon has conditions of a holder: show it as it was issued');
    } catch (error) {
      if (error instanceof PaymentRefusal) throw problem('IDENTITY_UNPROVED', error.message);
      throw error;
    }
  }

  settle({ proofKey, secret, chargeMicroUsd }: PresentedPayment): Promise<Settlement> {
    return this.askNode({ paymentHash: proofKey, preimage: secret as string }, chargeMicroUsd);
  }

  enquire({ proofKey, evidence }: ClaimedPayment): Promise<Settlement> {
    return this.askNode({ paymentHash: proofKey }, Number(evidence.chargeMicroUsd));
  }

  async close(): Promise<void> {
    this.probe.stop();
    this.backend.close();
  }

  private async askNode(
    payment: { paymentHash: string; preimage?: string },
    chargedMicroUsd: number,
  ): Promise<Settlement> {
    let state: InvoiceState;
    try {
      state = await this.backend.lookup(payment);
    } catch (cause) {
      const detail = 'The Lightning node cannot be asked about the payment now; keep the credential';
      return { outcome: 'unknown', detail, cause };
    }
    if (state === 'settled') return { outcome: 'settled', reference: payment.paymentHash, chargedMicroUsd };
    const detail = `The Lightning node says the invoice is ${state}`;
    return { outcome: 'refused', code: 'PAYMENT_INVALID', detail };
  }

  private verifyToken(credential: PaymentCredential, price: Price): PresentedPayment {
    const parsed = parseL402Credential(credential.value);
    const grant = verifyL402(this.keys.l402, parsed);
    requireOperation(grant.capabilities, price);
    return presented(credential, price, {
      rail: 'l402',
      paymentHash: grant.paymentHash,
      amountSats: grant.amountSats,
      quotedSats: grant.quotedSats,
      preimage: parsed.preimage,
      expiresAtMs: grant.validUntil * 1_000,
    });
  }

  private verifyCharge(credential: PaymentCredential, price: Price): PresentedPayment {
    const parsed = parsePaymentCredential(credential.value);
    const charge = verifyLightningCharge(this.keys.paymentChallenge, parsed);
    requireOperation([charge.operationId], price);
    const preimage = parsed.payload.preimage as string;
    const payment = presented(credential, price, {
      ...charge,
      ...{ rail: 'mpp-lightning', quotedSats: charge.amountSats, preimage },
    });
    return { ...payment, challengeId: charge.challengeId, expiryHint: EXPIRY_HINT };
  }

  private tokenOf(
    { operationId, amountSats }: Price,
    realm: string,
    { paymentHash, expiresAtMs }: IssuedInvoice,
    bundle: Quote['bundle'],
  ): string {
    const issued = { location: realm, paymentHash, tokenId: freshBytes(32).toString('hex') };
    if (bundle) return mintL402Bundle(this.keys.l402, { ...issued, ...bundle, budgetSats: amountSats });
    return mintL402Token(this.keys.l402, {
      ...issued,
      ...{ capabilities: [operationId], amountSats },
      validUntil: expiresAtMs / 1_000 + L402_GRACE_SECONDS,
    });
  }

  private chargeOffer(price: Price, realm: string, invoice: IssuedInvoice): RailOffer {
    const challenge = issueLightningCharge(this.keys.paymentChallenge, {
      operationId: price.operationId,
      amountSats: price.amountSats,
      description: price.description,
      invoice: invoice.invoice,
      paymentHash: invoice.paymentHash,
      network: this.backend.network,
      realm,
      expiresAtMs: invoice.expiresAtMs,
    });
    return {
      rail: 'mpp-lightning',
      scheme: 'Payment',
      method: 'lightning',
      intent: 'charge',
      wwwAuthenticate: paymentChallengeHeader(challenge),
      body: { invoice: invoice.invoice },
    };
  }
}

/** The one operation that a single-use macaroon is good for, by its narrowest caveat. */
function capabilityOf(credential: L402Credential): string | undefined {
  if (isL402Bundle(credential)) return undefined;
  const { caveats } = credential.macaroon;
  const prefix = `${L402_SERVICE}_capabilities=`;
  const narrowest = caveats.findLast(caveat => caveat.startsWith(prefix))?.slice(prefix.length);
  return narrowest === undefined || narrowest.includes(',') ? undefined : narrowest.trim();
}

const l402Offer = (token: string, { invoice }: IssuedInvoice): RailOffer => ({
  ...{ rail: 'l402', scheme: 'L402', body: { invoice } },
  wwwAuthenticate: l402ChallengeHeader(token, invoice),
});

/** @throws PaymentRefusal PAYMENT_INVALID for a macaroon with too many budgets: what is spent counts in each of them */
function bundled({ preimage }: L402Credential, verified: VerifiedBundle): PresentedBundle {
  const { budgets, issued, paymentHash, capabilities, validUntil } = verified;
  if (budgets.length > BUNDLE_DEPTH_MAX) {
    const detail = `the macaroon has ${budgets.length} budgets, at most ${BUNDLE_DEPTH_MAX} are counted`;
    throw new PaymentRefusal('PAYMENT_INVALID', detail);
  }
  const chargeMicroUsd = microUsdFromSats(issued.budgetSats);
  const [issuedExpiresAtMs, expiresAtMs] = [issued.validUntil * 1_000, validUntil * 1_000];
  return {
    payment: {
      ...{ rail: 'l402', proofKey: paymentHash, secret: preimage, expiresAtMs: issuedExpiresAtMs },
      credentialDigest: Buffer.from(budgets[0].digest).toString('hex'),
      ...{ amountMicroUsd: chargeMicroUsd, amountSats: issued.budgetSats, chargeMicroUsd },
      evidence: { chargeMicroUsd },
    },
    issued: {
      ...{ capabilities: issued.capabilities, budgetSats: issued.budgetSats },
      expiresAtMs: issuedExpiresAtMs,
    },
    ...{ capabilities, expiresAtMs, budgets },
  };
}

interface PaidInvoice {
  readonly rail: 'l402' | 'mpp-lightning';
  readonly paymentHash: string;
  readonly amountSats: number;
  /** What was asked when the invoice was made, as it is signed into the credential. */
  readonly quotedSats: number;
  readonly preimage: string;
  readonly expiresAtMs: number;
}

/**
 * A payment buys at the price of its invoice or at today's, whichever is lower: an invoice cannot be paid back, so a price that
 * rose after it was made is not for its payer. The difference to a price that fell becomes credit.
 */
function presented({ scheme, value }: PaymentCredential, price: Price, paid: PaidInvoice): PresentedPayment {
  const priceSats = Math.min(price.amountSats, paid.quotedSats);
  if (paid.amountSats < priceSats) {
    const detail = `The price is ${priceSats} sats, the payment ${paid.amountSats}`;
    throw problem('PAYMENT_INSUFFICIENT', detail);
  }
  const chargeMicroUsd = microUsdFromSats(paid.amountSats);
  return {
    rail: paid.rail,
    proofKey: paid.paymentHash,
    credentialDigest: createHash('sha256').update(`${scheme} ${value}`).digest('hex'),
    amountMicroUsd: Math.min(price.amountMicroUsd, microUsdFromSats(priceSats)),
    amountSats: priceSats,
    chargeMicroUsd,
    expiresAtMs: paid.expiresAtMs,
    evidence: { chargeMicroUsd },
    secret: paid.preimage,
  };
}

function requireOperation(operationIds: readonly string[], price: Price): void {
  if (operationIds.includes(price.operationId)) return;
  const detail = `The payment was made for ${operationIds.join(', ').slice(0, 80)}`;
  throw problem('PAYMENT_BOUND_ELSEWHERE', detail);
}

/** What it resolves to, unless that takes longer than a challenge waits. @throws ProblemError SERVICE_UNAVAILABLE */
async function inTime<T>(asked: Promise<T>): Promise<T> {
  const late = new AbortController();
  const waits = delay(QUOTE_MS, undefined, { ref: false, signal: late.signal }).then(() => {
    throw problem('SERVICE_UNAVAILABLE', 'The node has made no invoice in time', { retryAfterSeconds: 1 });
  });
  try {
    return await Promise.race([asked, waits]);
  } finally {
    late.abort();
    waits.catch(() => undefined);
  }
}

import type { PaymentCredential } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { Price } from '@svc/protocols';
import { createHash } from 'node:crypto';
import type {
  ClaimedPayment,
  PresentedPayment,
  QuotedOffers,
  Quote,
  Rail,
  RailFamily,
  OrderedRefund,
  RefundOutcome,
  RefundPlan,
  RefundPort,
  Settlement,
} from '../src/rail/rail.js';

/** What the rail of the tests does when it is asked to settle. */
export type SettleFault =
  | 'none'
  /** Takes nothing, and says so. */
  | 'refuse'
  /** Takes nothing, for no fault of the payer's. */
  | 'busy'
  /** Takes nothing, and does not know. */
  | 'lost-before'
  /** Takes the money, and does not know. */
  | 'lost-after'
  /** Takes the money, and throws, which no rail may. */
  | 'throw-after';

/** What a credential of the tests says. */
export interface ScriptedPayment {
  readonly nonce: string;
  readonly payer?: string;
  /** A token beside the nonce, as the card rail has it. */
  readonly token?: string;
  readonly chargeMicroUsd?: number;
  /** The rail that it is of, where there are several. */
  readonly family?: RailFamily;
  /** What it says it pays for. */
  readonly operationId?: string;
  readonly expiresAtMs?: number;
  /** Whether everybody can read it on chain once it has settled. */
  readonly isPublic?: boolean;
  /** Changes the text of the credential and nothing else. */
  readonly spelling?: string;
}

/**
 * A rail that takes money from its own purse, and fails as it is told to. It is idempotent by claim id, as rails are,
 * and it counts what it took: the tests hold the ledger against that.
 */
export class ScriptedRail implements Rail {
  readonly sandbox = true;
  readonly observes = false;
  readonly names: readonly string[];
  money: string;
  readonly refunds = new ScriptedRefunds();
  /** Micro-USD taken, by claim id. */
  readonly taken = new Map<string, number>();
  /** Of which it has said that nothing was taken: from then on nothing is. */
  readonly declined = new Set<string>();
  /** Claim ids in the order in which they were asked to be settled. */
  readonly asked: string[] = [];
  fault: SettleFault = 'none';
  /** Whether enquiries are answered. */
  isAway = false;
  ready = true;
  /** Whom it asks whether a credential is good is away. */
  cannotVerify = false;
  /** Whether what is offered by now is another than the credentials were made for. */
  offersOther = false;
  /** Waited for before anything is taken. */
  gate: Promise<void> | undefined;

  constructor(readonly family: RailFamily = 'x402') {
    this.names = [family];
    this.money = MONEY[family];
  }

  async open(): Promise<void> {
    // There is nothing to probe.
  }

  isReady(): boolean {
    return this.ready;
  }

  async quote({ jti }: Quote): Promise<QuotedOffers> {
    return { offers: [{ rail: this.family, scheme: 'x402', body: { jti } }] };
  }

  reads({ scheme, value }: PaymentCredential): boolean {
    return scheme === 'x402' && [undefined, this.family].includes(familyOf(value));
  }

  operationOf({ value }: PaymentCredential): string | undefined {
    return (JSON.parse(value) as ScriptedPayment).operationId;
  }

  async verify(credential: PaymentCredential, price: Price): Promise<PresentedPayment> {
    if (this.cannotVerify) throw problem('SERVICE_UNAVAILABLE', 'the node is away', { retryAfterSeconds: 5 });
    this.requireOffered();
    return this.known(credential, price);
  }

  requireOffered(): void {
    if (this.offersOther) throw problem('PAYMENT_INVALID', 'another receiver');
  }

  known({ value }: PaymentCredential, price: Price): PresentedPayment {
    const paid = JSON.parse(value) as ScriptedPayment;
    if (!/^[0-9a-z-]+$/.test(paid.nonce)) throw problem('PAYMENT_MALFORMED', 'nonce');
    return {
      rail: this.family,
      proofKey: `scripted:${paid.nonce}`,
      credentialDigest: sha256(value),
      tokenDigest: paid.token === undefined ? undefined : sha256(paid.token),
      payer: paid.payer,
      publicOnceSettled: paid.isPublic,
      amountMicroUsd: price.amountMicroUsd,
      amountSats: price.amountSats,
      chargeMicroUsd: paid.chargeMicroUsd ?? price.amountMicroUsd,
      expiresAtMs: paid.expiresAtMs ?? Date.now() + 600_000,
      evidence: { nonce: paid.nonce },
      secret: value,
    };
  }

  async settle({ chargeMicroUsd }: PresentedPayment, claimId: string): Promise<Settlement> {
    this.asked.push(claimId);
    const { fault } = this;
    await this.gate;
    if (fault === 'refuse')
      return { outcome: 'refused', code: 'PAYMENT_INVALID', detail: 'The purse is empty' };
    if (fault === 'busy')
      return { outcome: 'refused', code: 'SERVICE_UNAVAILABLE', detail: 'The node is busy' };
    if (fault === 'lost-before') return { outcome: 'unknown', detail: 'no answer' };
    this.taken.set(claimId, this.taken.get(claimId) ?? chargeMicroUsd);
    if (fault === 'lost-after') return { outcome: 'unknown', detail: 'no answer' };
    if (fault === 'throw-after') throw new Error('the connection was lost');
    return this.settledAs(claimId);
  }

  async enquire({ claimId }: ClaimedPayment): Promise<Settlement> {
    if (this.isAway) return { outcome: 'unknown', detail: 'still no answer' };
    if (this.taken.has(claimId)) return this.settledAs(claimId);
    this.declined.add(claimId);
    return { outcome: 'refused', code: 'PAYMENT_INVALID', detail: 'Nothing was taken' };
  }

  async close(): Promise<void> {
    // There is no connection.
  }

  /** All that it ever took. */
  get takenMicroUsd(): number {
    return [...this.taken.values()].reduce((total, amount) => total + amount, 0);
  }

  private settledAs(claimId: string): Settlement {
    return {
      outcome: 'settled',
      reference: `tx_${claimId}`,
      chargedMicroUsd: this.taken.get(claimId)!,
      headers: { 'PAYMENT-RESPONSE': `settled ${claimId}` },
    };
  }
}

export const MONEY: Readonly<Record<RailFamily, string>> = {
  ...{ x402: 'eip155:84532/erc20:0xusdc', stripe: 'usd', lightning: 'bitcoin:regtest' },
};

/** What the refunds of the tests do when they are sent. */
export type RefundFault =
  | 'none'
  /** Moves nothing, and says so. */
  | 'refuse'
  /** Moves nothing, and does not know. */
  | 'lost-before'
  /** Moves the money, and does not know. */
  | 'lost-after';

/** Pays back out of its own purse, and fails as it is told to. It counts what it was sent: the tests hold the rows against that. */
export class ScriptedRefunds implements RefundPort {
  readonly unitMicroUsd = 1;
  dailyLimitMicroUsd: number | undefined;
  fault: RefundFault = 'none';
  /** Whether it cannot be asked. */
  isAway = false;
  /** Waited for when the money has moved, before that is said. */
  gate: Promise<void> | undefined;
  /** Ids in the order in which they were sent. */
  readonly sent: string[] = [];
  /** Micro-USD moved, by id of the refund. */
  readonly moved = new Map<string, number>();

  async plan({ refundId }: OrderedRefund): Promise<RefundPlan> {
    return { nonce: refundId };
  }

  async send({ refundId, amountMicroUsd }: OrderedRefund): Promise<RefundOutcome> {
    this.sent.push(refundId);
    const { fault } = this;
    if (fault === 'refuse') return { outcome: 'refused', detail: 'the purse is empty' };
    if (fault === 'lost-before') return { outcome: 'unknown', detail: 'no answer' };
    this.moved.set(refundId, (this.moved.get(refundId) ?? 0) + amountMicroUsd);
    await this.gate;
    if (fault === 'lost-after') return { outcome: 'unknown', detail: 'no answer' };
    return { outcome: 'done', reference: `re_${refundId}` };
  }

  async enquire({ refundId }: OrderedRefund): Promise<RefundOutcome> {
    if (this.isAway) return { outcome: 'unknown', detail: 'still no answer' };
    if (this.moved.has(refundId)) return { outcome: 'done', reference: `re_${refundId}` };
    return { outcome: 'refused', detail: 'no such refund' };
  }

  reset(): void {
    this.fault = 'none';
    this.isAway = false;
    this.gate = undefined;
    this.dailyLimitMicroUsd = undefined;
  }
}

/** The credential of a payment over the {@link ScriptedRail}. */
export const scripted = (payment: ScriptedPayment): PaymentCredential => ({
  scheme: 'x402',
  value: JSON.stringify(payment),
});

/** What is no JSON is nobody's in particular. */
function familyOf(value: string): RailFamily | undefined {
  try {
    return (JSON.parse(value) as ScriptedPayment).family;
  } catch {
    return undefined;
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

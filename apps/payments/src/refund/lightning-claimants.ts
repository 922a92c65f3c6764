import { Inject, Injectable } from '@nestjs/common';
import type { LightningRefund, ParsedRequestOf, refundsContract } from '@svc/contracts';
import { inTransaction, problem, type ProblemError } from '@svc/platform';
import { MICRO_USD_PER_SAT } from '@svc/protocols';
import { type DecodedInvoice, decodeInvoice, InvoiceError } from '@svc/protocols/bolt11';
import { DataSource, type EntityManager } from 'typeorm';
import { LIGHTNING_BACKEND, type LightningBackend } from '../lightning/lightning-backend.js';
import { readerOf } from '../rail/payment-method.js';
import { type Rail, RAILS } from '../rail/rail.js';
import type { StandingRefund } from './refund-row.js';
import { RefundSender } from './refund-sender.js';
import { RefundStore } from './refund-store.js';

/** For so long an invoice must be payable that is paid, seconds. */
const PAYABLE_SECONDS_MIN = 60;

type Asked = ParsedRequestOf<typeof refundsContract.lightning>;

/** Pays refunds of Lightning payments to invoices that their payers bring: a refund once, and an invoice for one refund. */
@Injectable()
export class LightningClaimants {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: RefundStore,
    private readonly sender: RefundSender,
    @Inject(LIGHTNING_BACKEND) private readonly backend: LightningBackend,
    @Inject(RAILS) private readonly rails: readonly Rail[],
  ) {}

  /**
   * @throws ProblemError IDENTITY_UNPROVED for a credential that does not show who paid; VALIDATION_FAILED for no invoice; NOT_FOUND where
   * the payment has no refund; CONFLICT where none waits; UNPROCESSABLE for another amount, an invoice that ends soon, or is taken
   */
  async pay({ invoice, credential }: Asked): Promise<LightningRefund> {
    const paymentHash = this.provedHash(credential);
    const decoded = this.decoded(invoice);
    const beforeMs = performance.now();
    const { refund, isMine } = await inTransaction(this.dataSource, manager =>
      this.take(manager, paymentHash, invoice, decoded),
    );
    return shown(isMine ? await this.sender.sendMarked(refund, beforeMs) : refund, decoded.paymentHash);
  }

  private async take(
    manager: EntityManager,
    paymentHash: string,
    invoice: string,
    decoded: DecodedInvoice,
  ): Promise<{ refund: StandingRefund; isMine: boolean }> {
    const refunds = await this.ofOurMoney(manager, paymentHash);
    const same = refunds.find(({ invoiceHash }) => invoiceHash === decoded.paymentHash);
    if (same) return { refund: same, isMine: false };
    if (refunds.length === 0) throw problem('NOT_FOUND', 'The payment has no refund by Lightning');
    const waiting = refunds.filter(({ state }) => state === 'requested');
    if (waiting.length === 0)
      throw problem('CONFLICT', 'Every refund of the payment was paid to another invoice, or is on its way');
    const refund = waiting.find(({ amountMicroUsd }) => satsOf(amountMicroUsd) === decoded.amountSats);
    if (!refund) {
      const bound = [...new Set(waiting.map(({ amountMicroUsd }) => satsOf(amountMicroUsd)))];
      throw badInvoice('is not over the satoshis of a refund that waits', bound, decoded.amountSats);
    }
    requirePayable(decoded);
    const mine = await this.mark(manager, refund, invoice, decoded);
    return { refund: mine, isMine: true };
  }

  /** An invoice of one network is no refund of what came on another. */
  private async ofOurMoney(manager: EntityManager, paymentHash: string): Promise<StandingRefund[]> {
    const money = this.rails.find(({ family }) => family === 'lightning')?.money;
    const refunds = await this.store.ofLightning(manager, paymentHash);
    return refunds.filter(refund => refund.money === money);
  }

  private async mark(
    manager: EntityManager,
    refund: StandingRefund,
    invoice: string,
    { paymentHash: invoiceHash, amountSats }: DecodedInvoice,
  ): Promise<StandingRefund> {
    const plan = { invoice, paymentHash: invoiceHash, amountSats };
    try {
      return (await this.store.markSent(refund.refundId, plan, { manager, invoiceHash }))!;
    } catch (error) {
      // Its row is locked: only another refund can have the hash.
      if ((error as { code?: string }).code !== '23505') throw error;
      throw badInvoice('was brought for another refund', 'an invoice of its own', invoice.slice(0, 80));
    }
  }

  private provedHash(credential: Asked['credential']): string {
    if (!credential) {
      const message = 'is missing: show the L402 or Lightning credential that was paid with';
      throw problem('VALIDATION_FAILED', `Authorization: ${message}`, {
        errors: [{ path: 'Authorization', message }],
      });
    }
    const rail = readerOf(this.rails, credential);
    if (rail.family === 'lightning' && rail.proofOfPayer) return rail.proofOfPayer(credential);
    throw problem('IDENTITY_UNPROVED', 'This credential is of no Lightning payment');
  }

  private decoded(invoice: string): DecodedInvoice {
    try {
      return decodeInvoice(invoice, this.backend.network);
    } catch (error) {
      if (!(error instanceof InvoiceError)) throw error;
      const errors = [{ path: 'invoice', message: error.message, got: invoice.slice(0, 80) }];
      throw problem('VALIDATION_FAILED', `invoice: ${error.message}`, { errors });
    }
  }
}

const satsOf = (microUsd: number): number => microUsd / MICRO_USD_PER_SAT;

function requirePayable({ createdAt, expirySeconds }: DecodedInvoice): void {
  const left = createdAt + expirySeconds - Math.floor(Date.now() / 1_000);
  if (left < PAYABLE_SECONDS_MIN)
    throw badInvoice('ends too soon: seconds that it can be paid', PAYABLE_SECONDS_MIN, left);
}

const badInvoice = (message: string, bound: unknown, got: unknown): ProblemError =>
  problem('UNPROCESSABLE', `invoice: ${message}`, { errors: [{ path: 'invoice', message, bound, got }] });

const shown = (
  { refundId, state, amountMicroUsd, detail }: StandingRefund,
  paymentHash: string,
): LightningRefund => ({
  ...{ refundId, state, microUsd: amountMicroUsd, sats: satsOf(amountMicroUsd), paymentHash },
  ...(detail !== undefined && { detail }),
});

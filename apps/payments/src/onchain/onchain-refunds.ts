import { facilitatorRequestOf, type TransferAuthorization, type X402Terms } from '@svc/protocols';
import { createHash } from 'node:crypto';
import type { OrderedRefund, RefundOutcome, RefundPlan, RefundPort } from '../rail/rail.js';
import type { AuthorizationFate } from './evm-chain.js';
import { saysUsed, shownReason, type Transfer } from './facilitator.js';
import type { OnchainBackend } from './onchain-options.js';

/** How long a transfer may be carried out; from then on one that was not is refused. */
const VALID_SECONDS = 300;
/** A node's clock may be behind. */
const CLOCK_MARGIN_SECONDS = 600;
/** So long a transfer that was made may lack its trace on a node that is behind. */
const TRACE_MS = 120_000;

/** Where refunds go by, and how much of them in a day. */
export interface OnchainRefundOptions {
  readonly terms: Omit<X402Terms, 'amountMicroUsd' | 'maxTimeoutSeconds'>;
  readonly dailyLimitMicroUsd: number;
  /** Whom a facilitator of others is told it settles for. */
  readonly origin?: string;
  readonly backend: () => OnchainBackend;
}

/**
 * Refunds on a chain: a transfer that the wallet of refunds signs (EIP-3009), with a nonce made of the refund's id. The token moves it
 * once, whoever sends it how often, and says whether it did; its end bounds how long that is open.
 */
export class OnchainRefunds implements RefundPort {
  readonly unitMicroUsd = 1;

  constructor(private readonly options: OnchainRefundOptions) {}

  get dailyLimitMicroUsd(): number {
    return this.options.dailyLimitMicroUsd;
  }

  async plan({ refundId, amountMicroUsd, payer = '' }: OrderedRefund): Promise<RefundPlan> {
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const authorization: TransferAuthorization = {
      from: this.wallet.address,
      to: payer.slice('x402:'.length),
      value: String(amountMicroUsd),
      validAfter: String(nowSeconds - CLOCK_MARGIN_SECONDS),
      validBefore: String(nowSeconds + VALID_SECONDS),
      nonce: `0x${createHash('sha256').update(`refund ${refundId}`).digest('hex')}`,
    };
    return { authorization };
  }

  async send(_refund: OrderedRefund, plan: RefundPlan): Promise<RefundOutcome> {
    const authorization = authorizationOf(plan);
    try {
      const { chain, facilitator } = this.options.backend();
      if (!(await chain.hasFunds(authorization)))
        return { outcome: 'refused', detail: 'The wallet of refunds has less of the token than the amount' };
      const signature = await this.wallet.sign(authorization);
      return await this.judge(
        authorization,
        await facilitator.settle(this.requestOf(authorization, signature)),
      );
    } catch (cause) {
      return inDoubt('Whether the transfer was made cannot be read from the chain now', cause);
    }
  }

  async enquire(_refund: OrderedRefund, plan: RefundPlan, sentAtMs: number): Promise<RefundOutcome> {
    const authorization = authorizationOf(plan);
    try {
      const fate = await this.options.backend().chain.fateOf(authorization);
      return outcomeOf(authorization, fate, { isFresh: Date.now() - sentAtMs < TRACE_MS });
    } catch (cause) {
      return inDoubt('Whether the transfer was made cannot be read from the chain now', cause);
    }
  }

  /** Only the chain is believed, and a refusal of our own facilitator, which then has sent nothing. */
  private async judge(authorization: TransferAuthorization, transfer: Transfer): Promise<RefundOutcome> {
    const { chain, facilitator } = this.options.backend();
    if (transfer.outcome === 'done' && facilitator.trusted)
      return { outcome: 'done', reference: transfer.transaction };
    const outcome = outcomeOf(authorization, await chain.fateOf(authorization), { isFresh: true });
    const isRefusal = transfer.outcome === 'refused' && facilitator.trusted && !saysUsed(transfer.reason);
    if (outcome.outcome !== 'unknown' || !isRefusal) return outcome;
    return { outcome: 'refused', detail: `The transfer is refused: ${shownReason(transfer.reason)}` };
  }

  private requestOf(authorization: TransferAuthorization, signature: string) {
    const { terms, origin = 'https://svc.invalid' } = this.options;
    const { to, value } = authorization;
    return facilitatorRequestOf(
      { version: 2, network: terms.network, authorization, signature },
      { ...terms, payTo: to, amountMicroUsd: Number(value), maxTimeoutSeconds: VALID_SECONDS },
      { url: `${origin}/v1/refunds`, description: 'Refund of a payment', mimeType: 'application/json' },
    );
  }

  private get wallet() {
    const { wallet } = this.options.backend();
    if (!wallet) throw new Error('no wallet for refunds is configured');
    return wallet;
  }
}

const authorizationOf = ({ authorization }: RefundPlan) => authorization as TransferAuthorization;

/** @param isFresh a trace that is missing may yet come */
function outcomeOf(
  { nonce }: TransferAuthorization,
  fate: AuthorizationFate,
  { isFresh }: { isFresh: boolean },
): RefundOutcome {
  switch (fate.fate) {
    case 'transferred':
      return { outcome: 'done', reference: fate.transaction };
    case 'over':
    case 'cancelled':
      return { outcome: 'refused', detail: 'The transfer was not made in time, and cannot be any more' };
    case 'untraced':
      // Nobody else signs for this wallet, and it signs no cancellation: what was used was this transfer.
      return isFresh
        ? inDoubt('The transfer was made, and the chain has not shown how yet')
        : { outcome: 'done', reference: nonce };
    case 'open':
      return inDoubt('The transfer was asked for, and the chain has not seen it yet');
  }
}

const inDoubt = (detail: string, cause?: unknown): RefundOutcome => ({ outcome: 'unknown', detail, cause });

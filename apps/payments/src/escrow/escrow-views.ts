import { Injectable } from '@nestjs/common';
import type { EscrowClaim, EscrowIntent } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import { type EscrowRefusal, usdOfCents } from './escrow-state.js';
import { type Escrow, EscrowStore } from './escrow-store.js';

/** What is said of an escrow: what only the account that made it may know is said to that one alone. */
@Injectable()
export class EscrowViews {
  constructor(private readonly store: EscrowStore) {}

  /** @param accountId who asks: the account that made it, or its payee */
  async of(escrow: Escrow, accountId: string): Promise<EscrowIntent> {
    const { description, payee, payeeAccountId, acceptedAt, metadata, clientSecret } = escrow;
    const refundedCents = await this.store.refundedCents(escrow);
    const isCreator = escrow.accountId === accountId;
    return {
      intentId: escrow.escrowId,
      role: isCreator ? 'creator' : 'payee',
      state: shownState(escrow, refundedCents),
      amountUsd: usdOfCents(escrow.amountCents),
      releasedUsd: usdOfCents(escrow.releasedCents),
      ...(refundedCents === 0 ? {} : { refundedUsd: usdOfCents(refundedCents) }),
      ...(description === undefined ? {} : { description }),
      ...(payee === undefined ? {} : { payee }),
      ...(payeeAccountId === undefined ? {} : { payeeAccountId }),
      ...(acceptedAt === undefined ? {} : { acceptedAt: acceptedAt.toISOString() }),
      ...(metadata === undefined || !isCreator ? {} : { metadata }),
      ...(clientSecret === undefined || !isCreator ? {} : { clientSecret }),
      reference: escrow.paymentIntentId ?? '',
      createdAt: escrow.createdAt.toISOString(),
      expiresAt: new Date(escrow.expiresAtMs).toISOString(),
    };
  }

  /** What the holder of the claim link may know of an escrow. */
  async ofClaim(escrow: Escrow): Promise<EscrowClaim> {
    const { description, payee } = escrow;
    return {
      intentId: escrow.escrowId,
      state: shownState(escrow, await this.store.refundedCents(escrow)),
      isClaimed: escrow.payeeIs !== 'unclaimed',
      ...(payee === undefined ? {} : { payee }),
      amountUsd: usdOfCents(escrow.amountCents),
      ...(description === undefined ? {} : { description }),
      expiresAt: new Date(escrow.expiresAtMs).toISOString(),
    };
  }
}

/** Money that has all gone back to its payer is no longer the payee's. */
const shownState = ({ state, releasedCents }: Escrow, refundedCents: number): EscrowIntent['state'] =>
  releasedCents > 0 && refundedCents === releasedCents ? 'REFUNDED' : state;

export const escrowRefusal = ({ code, detail, errors }: EscrowRefusal): ProblemError =>
  problem(code, detail, errors ? { errors: [...errors] } : {});

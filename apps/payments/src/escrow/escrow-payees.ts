import { Injectable } from '@nestjs/common';
import type { EscrowClaim, EscrowIntent, EscrowList, escrowContract, ParsedRequestOf } from '@svc/contracts';
import { problem } from '@svc/platform';
import { DerivedCredit } from '../account/derived-credit.js';
import { checkedAddress } from '../account/key-recovery.js';
import { decodeCursor, encodeCursor } from '../page/page-cursor.js';
import { refusalToPayee } from './escrow-state.js';
import { type Escrow, EscrowStore } from './escrow-store.js';
import { EscrowService } from './escrow.service.js';
import { escrowRefusal, EscrowViews } from './escrow-views.js';

type ClaimRequest = ParsedRequestOf<typeof escrowContract.claim>;

/** What payees see of escrows, and do to them. */
@Injectable()
export class EscrowPayees {
  constructor(
    private readonly store: EscrowStore,
    private readonly escrows: EscrowService,
    private readonly views: EscrowViews,
    private readonly derived: DerivedCredit,
  ) {}

  /**
   * A page of the escrows of an account, as they were last heard of.
   * @throws ProblemError VALIDATION_FAILED for a cursor of another list
   */
  async list({
    accountId,
    role,
    limit,
    cursor,
  }: ParsedRequestOf<typeof escrowContract.list>): Promise<EscrowList> {
    const page = { list: 'escrows', filters: { accountId, role } };
    const after = decodeCursor(page, cursor, /^esc_[A-Za-z0-9_-]{22}$/);
    const found = await this.store.list(accountId, {
      ...(role === undefined ? {} : { role }),
      ...(after === undefined ? {} : { after }),
      limit: limit + 1,
    });
    const shown = found.slice(0, limit);
    return {
      items: await Promise.all(shown.map(escrow => this.views.of(escrow, accountId))),
      nextCursor: found.length > limit ? encodeCursor(page, shown.at(-1)!.escrowId) : null,
    };
  }

  /** @throws ProblemError NOT_FOUND; FORBIDDEN to who is not its payee; CONFLICT, EXPIRED as {@link refusalToPayee} says */
  async accept(accountId: string, escrowId: string): Promise<EscrowIntent> {
    const escrow = await this.escrows.refreshed(await this.escrows.require(accountId, escrowId));
    if (escrow.payeeIs !== 'other' || escrow.payeeAccountId !== accountId)
      throw problem('FORBIDDEN', 'The account is not the payee of the escrow');
    const accepted = await this.store.accept(escrowId, locked => {
      requireOpen(locked);
      return accountId;
    });
    return this.views.of(accepted, accountId);
  }

  /** @throws ProblemError NOT_FOUND for a link of nothing */
  async claimOf(claimToken: string): Promise<EscrowClaim> {
    return this.views.ofClaim(await this.byLink(claimToken));
  }

  /**
   * Makes an account the payee of the escrow that the link is of, once; asked again by the same, the escrow as it stands. A wallet has an
   * account of its own, which is opened here.
   * @throws ProblemError NOT_FOUND; UNKNOWN_CREDENTIAL without account and wallet, CONFLICTING_CREDENTIALS with both; UNPROCESSABLE for an
   * address that is none; FORBIDDEN to the account that made it; CONFLICT where another has claimed it, and as {@link refusalToPayee}
   * says; EXPIRED
   */
  async claim({ claimToken, accountId, address }: ClaimRequest): Promise<EscrowIntent> {
    if (accountId !== undefined && address !== undefined)
      throw problem(
        'CONFLICTING_CREDENTIALS',
        'Send the key of an account or the address of a wallet, not both',
      );
    const wallet = address === undefined ? undefined : await checkedAddress(address);
    const payee = accountId ?? (wallet === undefined ? undefined : this.derived.walletAccountOf(wallet));
    if (payee === undefined)
      throw problem(
        'UNKNOWN_CREDENTIAL',
        'Send the key of an account in X-SVC-KEY, or the address of a wallet',
      );
    const { escrowId, accountId: creator } = await this.byLink(claimToken);
    if (creator === payee)
      throw problem('FORBIDDEN', 'The account made the escrow: send the link to the payee');
    const claimed = await this.store.accept(escrowId, async (escrow, manager) => {
      if (escrow.payeeIs !== 'unclaimed' && escrow.payeeAccountId !== payee)
        throw problem('CONFLICT', 'The escrow was claimed before, by another account');
      requireOpen(escrow);
      return wallet === undefined ? payee : this.derived.ensureWallet(manager, wallet);
    });
    return this.views.of(claimed, payee);
  }

  private async byLink(claimToken: string): Promise<Escrow> {
    const escrow = await this.store.findByLink(claimToken);
    if (escrow) return this.escrows.refreshed(escrow);
    throw problem('NOT_FOUND', 'There is no escrow of this link');
  }
}

/** What was accepted before stays so. */
function requireOpen(escrow: Escrow): void {
  const refusal = escrow.acceptedAt === undefined ? refusalToPayee(escrow, Date.now()) : undefined;
  if (refusal) throw escrowRefusal(refusal);
}

import { Injectable } from '@nestjs/common';
import { prepared } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/** Accounts of the house: what rails brought in, what is held for work that runs, what is given away, what is earned. */
export type HouseAccount =
  | 'lightning-clearing'
  | 'onchain-clearing'
  | 'processor-clearing'
  | 'holds'
  | 'holds:ticket'
  | 'holds:saga'
  | 'promotion:arena'
  | 'treasury';
/** The credit of a customer: `customer:acct_…`. */
export type CustomerAccount = `customer:${string}`;
export type LedgerAccount = HouseAccount | CustomerAccount;

/** An amount that an account gains, or loses where it is negative: whole micro-USD, not zero. */
export interface LedgerLeg {
  readonly account: LedgerAccount;
  readonly amountMicroUsd: number;
}

/** One transaction of the ledger: its legs sum to zero. */
export interface LedgerPosting {
  /** What happened, in a word: `claim`, `deliver`, `release`, `top-up`, … */
  readonly kind: string;
  readonly legs: readonly LedgerLeg[];
  readonly claimId?: string;
  /** What it was for outside: `cs_…`, `pi_…`, a transaction hash. */
  readonly reference?: string;
}

/** A customer has less credit than a leg would take. Nothing was booked; the transaction can go on. */
export class InsufficientCredit extends Error {
  readonly code = 'INSUFFICIENT_CREDIT';
  constructor(
    readonly accountId: string,
    readonly balanceMicroUsd: number,
    readonly amountMicroUsd: number,
  ) {
    super(`account ${accountId} has ${balanceMicroUsd} µUSD, less than ${amountMicroUsd}`);
    this.name = 'InsufficientCredit';
  }
}

/** An account in the ledger's name of it, of a customer. */
export const customer = (accountId: string): CustomerAccount => `customer:${accountId}`;

const POST = prepared(
  `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id, reference, account_seq,
     balance_after)
   SELECT $1, leg.account, leg.amount, $5, $6, $7, leg.seq, leg.balance
     FROM unnest($2::text[], $3::bigint[], $4::bigint[], $8::bigint[]) AS leg (account, amount, seq, balance)`,
);
const LOCK_ACCOUNT = prepared(
  `SELECT balance_micro_usd AS balance, ledger_seq AS seq FROM account WHERE account_id = $1 FOR NO KEY UPDATE`,
);
const MOVE_ACCOUNT = prepared(
  `UPDATE account SET balance_micro_usd = $2, ledger_seq = $3 WHERE account_id = $1`,
);

interface Entry extends LedgerLeg {
  readonly accountSeq: number | null;
  readonly balanceAfter: number | null;
}

/**
 * The one way to book. A customer's entries are numbered without gaps and carry the balance after them; Postgres
 * refuses whatever does not add up, so a fault here fails a transaction and never loses money.
 */
@Injectable()
export class Ledger {
  /** The ledger's name of a customer's account. */
  customer(accountId: string): CustomerAccount {
    return customer(accountId);
  }

  /**
   * Books a transaction within that of the manager, and moves the balances of the customers in it. Their rows stay
   * locked until it ends, always in the order of their ids.
   * @returns the id of the ledger's transaction
   * @throws RangeError for legs that do not sum to zero or are no whole amounts
   * @throws InsufficientCredit when a customer would have less than nothing: nothing of it is booked
   */
  async post(manager: EntityManager, posting: LedgerPosting): Promise<string> {
    assertAddsUp(posting.legs);
    const entries = await this.move(manager, posting.legs);
    const transactionId = randomUUID();
    await manager.query(POST, [
      transactionId,
      entries.map(({ account }) => account),
      entries.map(({ amountMicroUsd }) => amountMicroUsd),
      entries.map(({ accountSeq }) => accountSeq),
      posting.kind,
      posting.claimId ?? null,
      posting.reference ?? null,
      entries.map(({ balanceAfter }) => balanceAfter),
    ]);
    return transactionId;
  }

  private async move(manager: EntityManager, legs: readonly LedgerLeg[]): Promise<Entry[]> {
    const isCustomers = ({ account }: LedgerLeg) => account.startsWith('customer:');
    const house = legs.filter(leg => !isCustomers(leg));
    const entries: Entry[] = house.map(leg => ({ ...leg, accountSeq: null, balanceAfter: null }));
    const ids = [...new Set(legs.filter(isCustomers).map(({ account }) => account))].sort();
    for (const account of ids) {
      const own = legs.filter(leg => leg.account === account);
      entries.push(...(await this.moveCustomer(manager, account.slice('customer:'.length), own)));
    }
    return entries;
  }

  private async moveCustomer(
    manager: EntityManager,
    accountId: string,
    legs: readonly LedgerLeg[],
  ): Promise<Entry[]> {
    const [found]: { balance: string; seq: string }[] = await manager.query(LOCK_ACCOUNT, [accountId]);
    if (!found) throw new RangeError(`there is no account ${accountId}`);
    let balance = Number(found.balance);
    let seq = Number(found.seq);
    const entries = legs.map(leg => {
      if (balance + leg.amountMicroUsd < 0)
        throw new InsufficientCredit(accountId, balance, -leg.amountMicroUsd);
      balance += leg.amountMicroUsd;
      seq++;
      return { ...leg, accountSeq: seq, balanceAfter: balance };
    });
    await manager.query(MOVE_ACCOUNT, [accountId, balance, seq]);
    return entries;
  }
}

function assertAddsUp(legs: readonly LedgerLeg[]): void {
  let total = 0;
  for (const { account, amountMicroUsd } of legs) {
    if (!Number.isSafeInteger(amountMicroUsd) || amountMicroUsd === 0)
      throw new RangeError(`${account}: ${amountMicroUsd} is no whole amount`);
    total += amountMicroUsd;
  }
  if (legs.length < 2 || total !== 0)
    throw new RangeError(`the legs of a posting sum to ${total}, not to zero`);
}

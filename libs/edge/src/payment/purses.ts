import type { KeySpending, Purse } from '@svc/contracts';
import { mayPayFor, type Price, QUOTA_PRICE_MICRO_USD_MAX } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { putLast } from '../rate-limit/known-keys.js';

/** Accounts and keys that are remembered; the one that has not been used for longest goes first. */
const REMEMBERED_MAX = 10_000;
const REMEMBERED_MS = 60_000;
/** Calls of an account that run unsold at one time, whatever it has left: a plan may have no end. */
const RUNS_MAX = 32;
/** How long an account's calls are held first, after work for it was not sold. */
const PAUSE_MS = 60_000;

interface Account {
  purse: Purse;
  untilMs: number;
  pausedUntilMs: number;
  /** Price of what runs and is not sold yet, and by request digest which requests they are. */
  spendingMicroUsd: number;
  readonly running: Set<string>;
}

/** A key that has paid, and what limits it: one that makes others with limits may be spent by those too. */
interface Key {
  readonly accountId: string;
  untilMs: number;
  limits?: KeySpending;
  /** Price of what runs for it and is not sold yet. */
  spendingMicroUsd: number;
}

/** Work that runs before it is paid for. */
export interface UnsoldRun {
  readonly accountId: string;
  /** @param left what the account has after the sale; absent where nothing was sold */
  end(left?: Purse): void;
}

/**
 * What accounts had left when they last paid, in this process: so much work is done for each before it is paid for, and no more. An
 * account for which work was done in vain has its calls held first for a while.
 */
export class Purses {
  private readonly accounts = new Map<string, Account>();
  /** Of keys that paid here, and until when that is said of them. By digest: a key itself is kept nowhere. */
  private readonly keys = new Map<string, Key>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Learns what the account of a key has left. */
  remember(accountKey: string, purse: Purse): void {
    const untilMs = this.recognise(accountKey, purse.accountId);
    const known = this.accounts.get(purse.accountId) ?? {
      ...{ purse, untilMs: 0, pausedUntilMs: 0, spendingMicroUsd: 0 },
      running: new Set<string>(),
    };
    putLast(this.accounts, purse.accountId, known, REMEMBERED_MAX);
    known.purse = purse;
    known.untilMs = untilMs;
    this.keys.get(digestOf(accountKey))!.limits = purse.limits;
  }

  /** Learns whose a key is that has just paid. @returns until when that is remembered */
  recognise(accountKey: string, accountId: string): number {
    const untilMs = this.now() + REMEMBERED_MS;
    const digest = digestOf(accountKey);
    const known = this.keys.get(digest) ?? { accountId, untilMs, spendingMicroUsd: 0 };
    known.untilMs = untilMs;
    putLast(this.keys, digest, known, REMEMBERED_MAX);
    return untilMs;
  }

  /**
   * Whose key this is, where it has paid here within a minute. It admits no call: the next claim finds out whether the key was revoked since.
   */
  accountOf(accountKey: string): string | undefined {
    const known = this.keys.get(digestOf(accountKey));
    return known && this.now() < known.untilMs ? known.accountId : undefined;
  }

  /**
   * Lets work begin, where what is left pays for it beside all that runs.
   * @param requestDigest of the whole request
   * @returns undefined where its payment is to be held first; `running` where the very request runs already
   */
  begin(accountKey: string, price: Price, requestDigest: string): UnsoldRun | 'running' | undefined {
    const key = this.keys.get(digestOf(accountKey));
    const account = this.accounts.get(key?.accountId ?? '');
    if (account?.running.has(requestDigest)) return 'running';
    if (!key || !account || !allows(key, price) || !this.covers(account, price)) return undefined;
    account.running.add(requestDigest);
    account.spendingMicroUsd += price.amountMicroUsd;
    key.spendingMicroUsd += price.amountMicroUsd;
    const end = (left?: Purse) => {
      account.running.delete(requestDigest);
      account.spendingMicroUsd -= price.amountMicroUsd;
      key.spendingMicroUsd -= price.amountMicroUsd;
      if (left) this.remember(accountKey, left);
    };
    return { accountId: account.purse.accountId, end };
  }

  /** Has the calls of a key's account held first for a while: work was done for it that it did not buy. */
  pause(accountKey: string): void {
    const account = this.accountBehind(accountKey);
    if (account) account.pausedUntilMs = this.now() + PAUSE_MS;
  }

  /** Has the calls of one key held first, which is none any more. */
  forget(accountKey: string): void {
    this.keys.delete(digestOf(accountKey));
  }

  private accountBehind(accountKey: string): Account | undefined {
    return this.accounts.get(this.keys.get(digestOf(accountKey))?.accountId ?? '');
  }

  private covers(account: Account, { amountMicroUsd }: Price): boolean {
    const { purse, untilMs, pausedUntilMs, spendingMicroUsd, running } = account;
    const now = this.now();
    if (now >= untilMs || now < pausedUntilMs || running.size >= RUNS_MAX) return false;
    const byQuota = amountMicroUsd <= QUOTA_PRICE_MICRO_USD_MAX && running.size < purse.quotaCalls;
    return byQuota || spendingMicroUsd + amountMicroUsd <= purse.balanceMicroUsd;
  }
}

/** Whether the limits of a key let it pay, beside all that runs for it. */
function allows({ limits, spendingMicroUsd }: Key, { operationId, amountMicroUsd }: Price): boolean {
  if (!mayPayFor(limits?.operations, operationId)) return false;
  const cap = limits?.cap;
  return !cap || cap.spentMicroUsd + spendingMicroUsd + amountMicroUsd <= cap.capMicroUsd;
}

const digestOf = (accountKey: string): string => createHash('sha256').update(accountKey).digest('base64url');

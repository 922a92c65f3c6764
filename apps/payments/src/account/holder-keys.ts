import { Injectable } from '@nestjs/common';
import {
  ACTIVE_KEYS_MAX,
  type CreateKeyRequest,
  type KeyHolder,
  type KeyScope,
  type NewAccountKey,
} from '@svc/contracts';
import { problem } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import { ApiKeys, type ListedKey } from './api-keys.js';
import { KeyLimitStore, shownLimits } from './key-limits.js';

/** Keys that may work at one time, those that were replaced and have time left among them. */
const LIVE_KEYS_MAX = 2 * ACTIVE_KEYS_MAX;

/**
 * What the holder of an account, or an operator for him, does to its keys. Each act locks the account first: of two
 * at once, the second sees what the first has left.
 */
@Injectable()
export class HolderKeys {
  constructor(
    private readonly keys: ApiKeys,
    private readonly limits: KeyLimitStore,
  ) {}

  /**
   * @param by whose account it is, and the limits of the key that asks, which the new one cannot leave
   * @throws ProblemError CONFLICT when the account has {@link ACTIVE_KEYS_MAX} keys; RATE_LIMITED where it has made too many within a
   * day; UNPROCESSABLE for limits that cannot be, FORBIDDEN for wider ones than those of the key that asks; as {@link locked} does
   */
  async create(
    manager: EntityManager,
    by: Pick<KeyHolder, 'accountId' | 'limits'> & { readonly keyId?: string },
    given: CreateKeyRequest & { readonly scopes?: readonly KeyScope[] },
  ): Promise<NewAccountKey> {
    const { accountId } = by;
    const live = await this.locked(manager, by);
    if (live.length >= ACTIVE_KEYS_MAX) {
      const detail = `The account has ${live.length} keys, the most that it may have; revoke one first`;
      throw problem('CONFLICT', detail, { extensions: { max: ACTIVE_KEYS_MAX, got: live.length } });
    }
    await this.keys.requireRoom(manager, accountId);
    const { label, scopes } = given;
    const limitId = await this.limits.create(manager, by, given);
    const endsAt = endOf(given, by.limits && live.find(({ keyId }) => keyId === by.keyId));
    const issued = await this.keys.issue(manager, accountId, { label, scopes, limitId, endsAt });
    const made = (await this.keys.live(manager, accountId)).find(({ keyId }) => keyId === issued.keyId);
    return {
      ...{ ...issued, ...(label === undefined ? {} : { label }) },
      ...(endsAt && { endsAt: endsAt.toISOString() }),
      ...shownLimits(made?.limits),
    };
  }

  /**
   * @throws ProblemError NOT_FOUND for a key of another account, CONFLICT for one that is not active, for ADMIN_KEY, and where
   * {@link LIVE_KEYS_MAX} keys work; RATE_LIMITED where the account has made too many within a day; FORBIDDEN for one with scopes that
   * the asking key has not: the new key has them, and is told to whoever asks; as {@link locked} does
   */
  async rotate(
    manager: EntityManager,
    by: KeyHolder,
    keyId: string,
    graceSeconds: number,
  ): Promise<NewAccountKey> {
    const { accountId } = by;
    const keys = await this.locked(manager, by, keyId);
    refuseStronger(keys, keyId, by);
    if (this.keys.isConfigured(keyId) && keys.some(key => key.keyId === keyId)) {
      const detail =
        'ADMIN_KEY would be good again at the next start: change it where it is configured, and restart';
      throw problem('CONFLICT', detail);
    }
    if (graceSeconds > 0 && keys.length >= LIVE_KEYS_MAX) {
      const detail = `${keys.length} keys of the account work, the most that may; rotate with graceSeconds 0, or revoke one that was replaced`;
      throw problem('CONFLICT', detail, { extensions: { max: LIVE_KEYS_MAX, got: keys.length } });
    }
    await this.keys.requireRoom(manager, accountId);
    const { replacedEndsAt, ...issued } = await this.keys.rotate(manager, accountId, keyId, { graceSeconds });
    return { ...issued, replaces: { keyId, endsAt: replacedEndsAt.toISOString() } };
  }

  /**
   * Ends a key at once; one that has ended stays so.
   * @param options.force the last active key too
   * @param options.by whose key asks, where it is one of the account's own
   * @throws ProblemError NOT_FOUND for a key of another account, CONFLICT for the last active one without `force`,
   * FORBIDDEN for one with scopes that the asking key has not; as {@link locked} does
   */
  async revoke(
    manager: EntityManager,
    accountId: string,
    keyId: string,
    { force, by }: { force: boolean; by?: KeyHolder },
  ): Promise<void> {
    const keys = await this.locked(manager, by ?? { accountId }, keyId);
    if (by) refuseStronger(keys, keyId, by);
    const active = keys.filter(({ state }) => state === 'active');
    const whole = active.filter(({ limits }) => !limits);
    const opening = whole.length > 0 ? whole : active;
    if (!force && opening.length === 1 && opening[0].keyId === keyId) {
      throw problem(
        'CONFLICT',
        'This is the last active key without limits: nothing would open the whole account. Rotate it with ' +
          'graceSeconds 0 for a new one, or revoke it with force=true',
      );
    }
    await this.keys.revoke(manager, accountId, keyId);
  }

  /**
   * The keys of an account that work, once it is locked. The key that asks is looked at again: another act may have ended it while this
   * one waited, and a key that was replaced would outlive its time of grace by what it makes.
   * @param target the key that is to be replaced or ended: one that was replaced may still end itself
   * @throws ProblemError UNKNOWN_CREDENTIAL where the key that asks has ended, FORBIDDEN where it was replaced and acts on another
   */
  private async locked(
    manager: EntityManager,
    { accountId, keyId }: Pick<KeyHolder, 'accountId'> & Partial<Pick<KeyHolder, 'keyId'>>,
    target?: string,
  ): Promise<ListedKey[]> {
    await manager.query(`SELECT 1 FROM account WHERE account_id = $1 FOR UPDATE`, [accountId]);
    const live = await this.keys.live(manager, accountId);
    if (keyId === undefined) return live;
    const asking = live.find(key => key.keyId === keyId);
    if (!asking) throw problem('UNKNOWN_CREDENTIAL', 'The account key was revoked, or has ended');
    if (asking.state === 'active' || target === keyId) return live;
    throw problem('FORBIDDEN', 'Your key was replaced: it pays until its end, and acts on no other key');
  }
}

/** When a key ends: as it was asked for, and with the key that makes it where that has limits and an end. */
function endOf({ expiresAt }: CreateKeyRequest, maker: ListedKey | undefined): Date | undefined {
  if (expiresAt === undefined) return maker?.endsAt;
  const asked = new Date(expiresAt);
  if (!maker?.endsAt || asked <= maker.endsAt) return asked;
  const max = maker.endsAt.toISOString();
  throw problem('FORBIDDEN', `A key makes narrower keys alone: expiresAt is after its own end, ${max}`, {
    extensions: { field: 'expiresAt', max, got: expiresAt },
  });
}

/** A key acts on those that may do no more than itself: no scope that it lacks, and none outside of its own limits. */
function refuseStronger(
  keys: readonly ListedKey[],
  keyId: string,
  { scopes: held, limits: own }: KeyHolder,
): void {
  const key = keys.find(each => each.keyId === keyId);
  if (own && key && !key.limits?.lineage.includes(own.limitId)) {
    throw problem('FORBIDDEN', `Your key has limits, and the key ${keyId} was not made under them`);
  }
  const missing = (key?.scopes ?? []).filter(scope => !held.includes(scope));
  if (missing.length === 0) return;
  throw problem('FORBIDDEN', `The key ${keyId} has the scope ${missing.join(', ')}, and yours has not`);
}

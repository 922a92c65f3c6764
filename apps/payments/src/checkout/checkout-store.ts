import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, newId, problem } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import type { Product } from './products.js';

/** How long an Idempotency-Key names its checkout: as long as the hosted page can be paid. */
export const IDEMPOTENCY_KEPT_HOURS = 24;

/**
 * Checkouts of an address or an account that may wait for their payment at one time, each of the last day: a page that is not
 * paid ends then. Whoever buys again pays one of those, and an office behind one address has room for all.
 */
export const UNPAID_CHECKOUTS_MAX = 20;
/** How long a checkout that was never paid is kept after its page has ended, days. */
const UNPAID_KEPT_DAYS = 7;

/** A checkout as it stands. */
export interface Checkout {
  readonly checkoutId: string;
  readonly kind: Product['kind'];
  readonly productId: string;
  readonly amountMicroUsd: number;
  readonly email?: string;
  /** Whose credit it raises; without, it makes an account. */
  readonly topUpAccountId?: string;
  /** As the row has it, keyed and bound to its id. */
  readonly storedDigest: string;
  readonly sessionId?: string;
  readonly sessionUrl?: string;
  readonly accountId?: string;
  readonly licenceId?: string;
  readonly keyShownAt?: Date;
  readonly fulfilledAt?: Date;
}

/** A checkout that is begun. */
export interface NewCheckout {
  readonly product: Product;
  readonly email?: string;
  readonly topUpAccountId?: string;
  readonly requestDigest: string;
  /** Who opens it, where opening costs nothing: `account:…`, or `address:` and a keyed digest. */
  readonly openedBy?: string;
  /** Within whom the key is unique, and the key; both or neither. */
  readonly idempotency?: { readonly scope: string; readonly key: string };
}

type Row = Record<string, unknown>;

/** The checkouts in Postgres; the row's lock decides who fulfils, and who is shown the key. */
@Injectable()
export class CheckoutStore {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'requests'>,
  ) {}

  /**
   * Begins a checkout; under an Idempotency-Key that was used within a day, the one that it began.
   * @throws ProblemError UNPROCESSABLE when the key came with another request; RATE_LIMITED where too many wait for a payment
   */
  async begin(checkout: NewCheckout): Promise<Checkout> {
    const { product, idempotency } = checkout;
    if (idempotency) {
      await this.dataSource.query(
        `UPDATE checkout_session SET idempotency_scope = NULL, idempotency_key = NULL
          WHERE idempotency_scope = $1 AND idempotency_key = $2 AND created_at < now() - make_interval(hours => $3)`,
        [idempotency.scope, idempotency.key, IDEMPOTENCY_KEPT_HOURS],
      );
    }
    const checkoutId = newId('chk');
    const insert = (manager: EntityManager): Promise<Row[]> =>
      manager.query(
        `INSERT INTO checkout_session (checkout_id, kind, product, amount_micro_usd, email, top_up_account_id,
         request_digest, idempotency_scope, idempotency_key, opened_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (idempotency_scope, idempotency_key) DO NOTHING RETURNING *`,
        [
          checkoutId,
          product.kind,
          product.productId,
          product.amountMicroUsd,
          checkout.email ?? null,
          checkout.topUpAccountId ?? null,
          this.keys.requests.of(checkout.requestDigest, checkoutId).stored,
          idempotency?.scope ?? null,
          idempotency?.key ?? null,
          checkout.openedBy ?? null,
        ],
      );
    const rows = await inTransaction(this.dataSource, async manager => {
      const begun = idempotency && (await this.findByKey(idempotency, manager));
      if (begun) return [];
      if (checkout.openedBy !== undefined) await this.requireRoom(manager, checkout.openedBy);
      return insert(manager);
    });
    return rows[0] ? checkoutOf(rows[0]) : this.begunUnder(idempotency!, checkout.requestDigest);
  }

  /** @throws ProblemError RATE_LIMITED */
  private async requireRoom(manager: EntityManager, openedBy: string): Promise<void> {
    // One at a time of each: many at once would all find room.
    await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`checkout ${openedBy}`]);
    const [{ unpaid, wait }]: { unpaid: number; wait: number }[] = await manager.query(
      `SELECT count(*)::int AS unpaid,
              ceil(extract(epoch FROM min(created_at) + make_interval(hours => $2) - now()))::int AS wait
         FROM checkout_session
        WHERE opened_by = $1 AND fulfilled_at IS NULL AND created_at > now() - make_interval(hours => $2)`,
      [openedBy, IDEMPOTENCY_KEPT_HOURS],
    );
    if (unpaid < UNPAID_CHECKOUTS_MAX) return;
    const whose = openedBy.startsWith('account:') ? 'of this account' : 'from this address';
    const detail = `${unpaid} checkouts ${whose} wait for their payment, and at most ${UNPAID_CHECKOUTS_MAX} may; pay one of them`;
    throw problem('RATE_LIMITED', detail, { retryAfterSeconds: Math.max(1, wait) });
  }

  /**
   * Frees the place of a checkout whose page was not made. One that may be made yet, because its Idempotency-Key is tried again, stays.
   * @param isKept whether that may be
   */
  async abandon(checkoutId: string, isKept: boolean): Promise<void> {
    const what = isKept ? 'UPDATE checkout_session SET opened_by = NULL' : 'DELETE FROM checkout_session';
    await this.dataSource.query(
      `${what} WHERE checkout_id = $1 AND session_id IS NULL AND fulfilled_at IS NULL`,
      [checkoutId],
    );
  }

  /** Drops checkouts that were never paid, a week after their page has ended. Returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM checkout_session
        WHERE fulfilled_at IS NULL AND created_at < now() - make_interval(hours => $1, days => $2)`,
      [IDEMPOTENCY_KEPT_HOURS, UNPAID_KEPT_DAYS],
    );
    return count;
  }

  private async begunUnder(
    { scope, key }: { scope: string; key: string },
    requestDigest: string,
  ): Promise<Checkout> {
    const begun = await this.findByKey({ scope, key });
    // The call that had begun it has made no page, and given it up meanwhile.
    if (!begun)
      throw problem('SERVICE_UNAVAILABLE', 'The checkout was given up meanwhile', { retryAfterSeconds: 1 });
    if (!this.keys.requests.of(requestDigest, begun.checkoutId).matches(begun.storedDigest)) {
      throw problem('UNPROCESSABLE', 'The Idempotency-Key was used for another request', {
        extensions: { state: 'other-request' },
        errors: [{ path: 'Idempotency-Key', message: 'was used for another request' }],
      });
    }
    return begun;
  }

  /** The checkout that an Idempotency-Key began. */
  async findByKey(
    { scope, key }: { scope: string; key: string },
    manager = this.dataSource.manager,
  ): Promise<Checkout | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT * FROM checkout_session WHERE idempotency_scope = $1 AND idempotency_key = $2`,
      [scope, key],
    );
    return rows[0] && checkoutOf(rows[0]);
  }

  /** Records the hosted page of a checkout; false where there is no such checkout any more, and nobody may be sent to the page. */
  async opened(
    manager: EntityManager,
    checkoutId: string,
    page: { sessionId: string; sessionUrl: string; openedBy?: string },
  ): Promise<boolean> {
    const [, count]: [unknown[], number] = await manager.query(
      `UPDATE checkout_session SET session_id = $2, session_url = $3, opened_by = $4 WHERE checkout_id = $1`,
      [checkoutId, page.sessionId, page.sessionUrl, page.openedBy ?? null],
    );
    return count === 1;
  }

  async findBySession(sessionId: string): Promise<Checkout | undefined> {
    const rows: Row[] = await this.dataSource.query(`SELECT * FROM checkout_session WHERE session_id = $1`, [
      sessionId,
    ]);
    return rows[0] && checkoutOf(rows[0]);
  }

  /** The checkout, locked until the transaction ends. */
  async lock(manager: EntityManager, checkoutId: string): Promise<Checkout | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT * FROM checkout_session WHERE checkout_id = $1 FOR UPDATE`,
      [checkoutId],
    );
    return rows[0] && checkoutOf(rows[0]);
  }

  /** Records the fulfilment; a session that was never recorded, since its answer was lost, is adopted with it. */
  async fulfilled(
    manager: EntityManager,
    checkoutId: string,
    done: { sessionId: string; accountId: string; paymentIntentId?: string; licenceId?: string },
  ): Promise<Checkout> {
    const [[row]]: [Row[], number] = await manager.query(
      `UPDATE checkout_session SET fulfilled_at = now(), account_id = $2, payment_intent_id = $3, licence_id = $4,
              session_id = coalesce(session_id, $5)
        WHERE checkout_id = $1 RETURNING *`,
      [checkoutId, done.accountId, done.paymentIntentId ?? null, done.licenceId ?? null, done.sessionId],
    );
    return checkoutOf(row);
  }

  async keyShown(manager: EntityManager, checkoutId: string, keyId: string): Promise<void> {
    await manager.query(
      `UPDATE checkout_session SET key_id = $2, key_shown_at = now() WHERE checkout_id = $1 AND key_id IS NULL`,
      [checkoutId, keyId],
    );
  }
}

function checkoutOf(row: Row): Checkout {
  const text = (name: string) => (row[name] as string | null) ?? undefined;
  const time = (name: string) => (row[name] as Date | null) ?? undefined;
  return {
    checkoutId: row.checkout_id as string,
    kind: row.kind as Checkout['kind'],
    productId: row.product as string,
    amountMicroUsd: Number(row.amount_micro_usd),
    email: text('email'),
    topUpAccountId: text('top_up_account_id'),
    storedDigest: row.request_digest as string,
    sessionId: text('session_id'),
    sessionUrl: text('session_url'),
    accountId: text('account_id'),
    licenceId: text('licence_id'),
    keyShownAt: time('key_shown_at'),
    fulfilledAt: time('fulfilled_at'),
  };
}

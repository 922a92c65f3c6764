import { Inject, Injectable } from '@nestjs/common';
import { type AuditQuery, AuditRecord, type KeyHolder } from '@svc/contracts';
import { inTransaction, type KeyedDigests, ProblemError } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { decodeCursor, encodeCursor } from '../page/page-cursor.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';

/** What an operator asks for. */
export interface AuditedAct {
  readonly by: KeyHolder;
  /** `leads.list`, `key.revoke`. */
  readonly action: string;
  /** Id of what is acted upon. */
  readonly target?: string;
  /** All that was asked: only a keyed digest is kept, since it may hold an address. */
  readonly asked: Readonly<Record<string, unknown>>;
}

type Row = Record<string, unknown>;

/**
 * The record of what operators did: who, what, when, and the digest of what was asked. An act and its record are one
 * transaction, so none is done unrecorded; what is refused is recorded as refused.
 */
@Injectable()
export class AdminAudit {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'requests'>,
  ) {}

  /** Does an act and records it, both or neither. */
  async act<T>(act: AuditedAct, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await inTransaction(this.dataSource, async manager => {
        await this.record(manager, act, 'DONE');
        return work(manager);
      });
    } catch (error) {
      // A refusal stands whether or not it can be recorded: nothing was done.
      if (error instanceof ProblemError && error.status < 500) {
        await this.record(this.dataSource.manager, act, error.code);
      }
      throw error;
    }
  }

  /** The newest records first. */
  async list(manager: EntityManager, { limit, cursor, action }: AuditQuery) {
    const page = { list: 'audit', filters: { action } };
    const before = decodeCursor(page, cursor, /^[1-9][0-9]{0,18}$/);
    const rows: Row[] = await manager.query(
      `SELECT audit_id, at, account_id, key_id, action, target, arguments_digest, outcome FROM admin_audit
        WHERE ($1::bigint IS NULL OR audit_id < $1) AND ($2::text IS NULL OR action = $2)
        ORDER BY audit_id DESC LIMIT $3`,
      [before ?? null, action ?? null, limit + 1],
    );
    const items = rows.slice(0, limit).map(recordOf);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? encodeCursor(page, String(last.auditId)) : null };
  }

  private async record(manager: EntityManager, act: AuditedAct, outcome: string): Promise<void> {
    const { accountId, keyId } = act.by;
    await manager.query(
      `INSERT INTO admin_audit (account_id, key_id, action, target, arguments_digest, outcome)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        ...[accountId, keyId, act.action, act.target ?? null],
        ...[argumentsDigest(this.keys.requests, accountId, act.asked), outcome],
      ],
    );
  }
}

/** What a record has of what was asked: the same for the same operator and arguments, and nothing to try guesses against. */
export function argumentsDigest(
  requests: KeyedDigests,
  accountId: string,
  asked: Readonly<Record<string, unknown>>,
): string {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return requests.of(createHash('sha256').update(canonicalJson(given)).digest(), accountId).stored;
}

const recordOf = (row: Row): AuditRecord =>
  AuditRecord.parse({
    auditId: Number(row.audit_id),
    at: (row.at as Date).toISOString(),
    accountId: row.account_id,
    keyId: row.key_id,
    action: row.action,
    target: row.target ?? undefined,
    argumentsDigest: row.arguments_digest,
    outcome: row.outcome,
  });

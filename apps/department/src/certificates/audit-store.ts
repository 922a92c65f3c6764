import { Inject, Injectable } from '@nestjs/common';
import { companyKey } from '@svc/certificates';
import type { CoiVerifyResult } from '@svc/contracts';
import { problem, SealedJson, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { sealingSecretsOf } from '../speckle/speckle-config.js';

/** An audit on record. */
export interface StoredAudit {
  readonly answer: CoiVerifyResult;
  readonly accountId: string | null;
  readonly createdAt: string;
}

/** One of the newest audits of an account's insureds, by the day on which it ends. */
export interface ExpiringAudit {
  readonly auditSeq: string;
  readonly auditId: string;
  readonly insured: string | null;
  readonly expiresAt: string;
  /** With the overrides. */
  readonly verdict: CoiVerifyResult['compliant'];
}

interface AuditRow {
  /** Sealed, but where an earlier release has written it. */
  readonly answer: unknown;
  readonly account_id: string | null;
  readonly created_at: Date;
}

/**
 * Audits as they were answered, in Postgres. They are added and read, never changed; and sealed, since their evidence has a digest
 * of what was asked that short fields are found from by trying.
 */
@Injectable()
export class AuditStore {
  private readonly answers: SealedJson;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SERVICE_ENVIRONMENT) { secrets, variables = process.env }: ServiceEnvironment,
  ) {
    this.answers = new SealedJson(sealingSecretsOf(secrets, variables), 'svc/coi-audit/v1');
  }

  /** Puts an audit on record, and returns the one that is there under its id: the first. */
  async add(answer: CoiVerifyResult, accountId: string | undefined): Promise<CoiVerifyResult> {
    const { auditId, insured, expiresAt, compliant } = answer;
    const key = insured === null ? '' : companyKey(insured).slice(0, 1_024);
    const added: unknown[] = await this.dataSource.manager.query(
      `INSERT INTO coi_audit (audit_id, account_id, insured_key, insured, expires_at, verdict, answer)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (audit_id) DO NOTHING RETURNING 1`,
      [
        ...[auditId, accountId ?? null, key || auditId, insured, expiresAt, compliant],
        JSON.stringify(this.answers.sealObject(answer, auditId)),
      ],
    );
    return added.length > 0 ? answer : (await this.find(auditId)).answer;
  }

  /** @throws ProblemError NOT_FOUND */
  async find(auditId: string, manager: EntityManager = this.dataSource.manager): Promise<StoredAudit> {
    const [row]: AuditRow[] = await manager.query(
      `SELECT answer, account_id, created_at FROM coi_audit WHERE audit_id = $1`,
      [auditId],
    );
    if (!row) throw problem('NOT_FOUND', `There is no audit ${auditId}`);
    const answer = this.answers.openObject(row.answer, auditId) as CoiVerifyResult;
    return { answer, accountId: row.account_id, createdAt: row.created_at.toISOString() };
  }

  /**
   * The newest audit of each insured of an account, those that end first first. An older certificate of an insured is replaced
   * by the newer one, whatever that one shows.
   * @param until `YYYY-MM-DD`; those that have ended are there too
   * @param after position of the last one before
   */
  async expiring(
    accountId: string,
    until: string,
    after: Pick<ExpiringAudit, 'expiresAt' | 'auditSeq'> | undefined,
    limit: number,
  ): Promise<ExpiringAudit[]> {
    const rows: Record<string, string | null>[] = await this.dataSource.manager.query(
      `SELECT newest.audit_seq::text, audit_id, insured, expires_at::text, coalesce(overridden.verdict, newest.verdict) AS verdict
         FROM (SELECT DISTINCT ON (insured_key) audit_seq, audit_id, insured, expires_at, verdict
                 FROM coi_audit WHERE account_id = $1 ORDER BY insured_key, audit_seq DESC) newest
         LEFT JOIN LATERAL (SELECT verdict FROM coi_override WHERE coi_override.audit_id = newest.audit_id
                             ORDER BY override_seq DESC LIMIT 1) overridden ON true
        WHERE expires_at <= $2::date AND ($3::date IS NULL OR (expires_at, audit_seq) > ($3::date, $4::bigint))
        ORDER BY expires_at, audit_seq LIMIT $5`,
      [accountId, until, after?.expiresAt ?? null, after?.auditSeq ?? null, limit],
    );
    return rows.map(row => ({
      auditSeq: row.audit_seq!,
      auditId: row.audit_id!,
      insured: row.insured,
      expiresAt: row.expires_at!,
      verdict: row.verdict as ExpiringAudit['verdict'],
    }));
  }
}

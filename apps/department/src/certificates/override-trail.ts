import { Injectable } from '@nestjs/common';
import { verdictOf } from '@svc/certificates';
import type { certificatesContract, CoiVerifyResult, Override, ParsedRequestOf } from '@svc/contracts';
import { inTransaction, newId, problem } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditStore } from './audit-store.js';

/** Decisions about one audit: with reasons of any length, the whole trail still fits into one message. */
const OVERRIDES_MAX = 500;

type Rules = CoiVerifyResult['rules'];

interface Row {
  readonly override_id: string;
  readonly rule_id: string;
  readonly from_outcome: Override['from'];
  readonly outcome: Override['outcome'];
  readonly reason: string;
  readonly answered_by: string;
  readonly key_id: string;
  readonly at: Date;
}

/** What people decided about rules of audits: each decision is added, and stays. */
@Injectable()
export class OverrideTrail {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audits: AuditStore,
  ) {}

  /** Of one audit, the oldest first. */
  async of(auditId: string, manager: EntityManager = this.dataSource.manager): Promise<Override[]> {
    const rows: Row[] = await manager.query(
      `SELECT override_id, rule_id, from_outcome, outcome, reason, answered_by, key_id, at FROM coi_override
        WHERE audit_id = $1 ORDER BY override_seq`,
      [auditId],
    );
    return rows.map(overrideOf);
  }

  /**
   * Adds a decision, and what the audit comes to with it.
   * @throws ProblemError NOT_FOUND; FORBIDDEN for an audit of nobody's or another account's; UNPROCESSABLE for a rule that the
   * audit has not, or beyond {@link OVERRIDES_MAX}
   */
  add({ by, auditId, request }: ParsedRequestOf<typeof certificatesContract.override>): Promise<Override> {
    const { ruleId, outcome, reason, by: answeredBy } = request;
    return inTransaction(this.dataSource, async manager => {
      // Two decisions at once are one after the other: each says what the rule was before it.
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('coi override ' || $1, 0))`, [
        auditId,
      ]);
      const { answer, accountId } = await this.audits.find(auditId, manager);
      if (accountId !== by.accountId) {
        const detail = 'An audit is overridden by a key of the account that it belongs to';
        throw problem('FORBIDDEN', accountId === null ? `${detail}, and this one belongs to none` : detail);
      }
      const trail = await this.of(auditId, manager);
      assertRoom(trail.length);
      const before = overridden(answer.rules, trail);
      const rule = before.find(({ id }) => id === ruleId);
      if (!rule) {
        throw problem('UNPROCESSABLE', `The audit has no rule ${ruleId}`, {
          errors: [{ path: 'ruleId', message: 'is no rule of this audit', got: ruleId }],
        });
      }
      const verdict = verdictOf(overridden(before, [{ ruleId, outcome }]));
      const [row]: Row[] = await manager.query(
        `INSERT INTO coi_override (override_id, audit_id, rule_id, from_outcome, outcome, reason, answered_by, key_id, verdict)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         RETURNING override_id, rule_id, from_outcome, outcome, reason, answered_by, key_id, at`,
        [
          ...[newId('ovr'), auditId, ruleId, rule.outcome, outcome],
          ...[reason, answeredBy, by.keyId, verdict],
        ],
      );
      return overrideOf(row);
    });
  }
}

/** Rules with what people decided about them, the last decision of each. */
export function overridden(rules: Rules, overrides: readonly Pick<Override, 'ruleId' | 'outcome'>[]): Rules {
  const decided = new Map(overrides.map(({ ruleId, outcome }) => [ruleId, outcome]));
  return rules.map(rule => ({ ...rule, outcome: decided.get(rule.id) ?? rule.outcome }));
}

function assertRoom(count: number): void {
  if (count < OVERRIDES_MAX) return;
  throw problem('UNPROCESSABLE', `An audit has at most ${OVERRIDES_MAX} overrides`, {
    errors: [
      { path: 'auditId', message: 'has no room for another override', bound: OVERRIDES_MAX, got: count + 1 },
    ],
  });
}

function overrideOf(row: Row): Override {
  return {
    overrideId: row.override_id,
    ruleId: row.rule_id,
    from: row.from_outcome,
    outcome: row.outcome,
    reason: row.reason,
    by: row.answered_by,
    keyId: row.key_id,
    at: row.at.toISOString(),
  };
}

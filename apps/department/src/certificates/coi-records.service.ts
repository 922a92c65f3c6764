import { Injectable } from '@nestjs/common';
import { letterPdf, verdictOf } from '@svc/certificates';
import type { certificatesContract, ParsedRequestOf, ReplyOf } from '@svc/contracts';
import { problem } from '@svc/platform';
import { createHash } from 'node:crypto';
import { AuditStore, type ExpiringAudit } from './audit-store.js';
import { overridden, OverrideTrail } from './override-trail.js';

type Contract = typeof certificatesContract;

const MS_PER_DAY = 86_400_000;
const POSITION = /^(\d{4}-\d{2}-\d{2}) (\d{1,18})$/;
const CHECK_BYTES = 9;

/** Audits on record: with their overrides, as letters, and by the day on which they end. */
@Injectable()
export class CoiRecordsService {
  constructor(
    private readonly audits: AuditStore,
    private readonly trail: OverrideTrail,
  ) {}

  /** @throws ProblemError NOT_FOUND */
  async audit({ auditId }: ParsedRequestOf<Contract['audit']>): Promise<ReplyOf<Contract['audit']>> {
    const { answer, createdAt } = await this.audits.find(auditId);
    const overrides = await this.trail.of(auditId);
    return { audit: answer, overrides, compliant: verdictOf(overridden(answer.rules, overrides)), createdAt };
  }

  /** @throws ProblemError NOT_FOUND where there is no audit, or it found nothing to ask for */
  async letter({ auditId }: ParsedRequestOf<Contract['letter']>): Promise<ReplyOf<Contract['letter']>> {
    const { answer, createdAt } = await this.audits.find(auditId);
    if (answer.deficiencyLetter === null) {
      throw problem('NOT_FOUND', `Audit ${auditId} found nothing to ask for: it has no letter`);
    }
    return { pdf: await letterPdf(answer.deficiencyLetter, new Date(createdAt)) };
  }

  /** A page of those that end soon, or have ended. */
  async expiring(request: ParsedRequestOf<Contract['expiring']>): Promise<ReplyOf<Contract['expiring']>> {
    const { by, withinDays, limit, cursor } = request;
    const today = Date.parse(new Date().toISOString().slice(0, 10));
    const until = new Date(today + withinDays * MS_PER_DAY).toISOString().slice(0, 10);
    const list = `${by.accountId} ${withinDays}`;
    const rows = await this.audits.expiring(by.accountId, until, positionIn(cursor, list), limit + 1);
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return {
      items: items.map(({ auditId, insured, expiresAt, verdict }) => ({
        auditId,
        insured,
        expiresAt,
        daysLeft: (Date.parse(expiresAt) - today) / MS_PER_DAY,
        compliant: verdict,
      })),
      nextCursor: last ? cursorOf(`${last.expiresAt} ${last.auditSeq}`, list) : null,
    };
  }
}

/** A cursor is bound to its list: under another span of days it would leave items out without a word. */
function cursorOf(position: string, list: string): string {
  const check = createHash('sha256').update(`${list} ${position}`).digest().subarray(0, CHECK_BYTES);
  return Buffer.concat([check, Buffer.from(position, 'utf8')]).toString('base64url');
}

/** @throws ProblemError VALIDATION_FAILED for a cursor that is none of this list */
function positionIn(
  cursor: string | undefined,
  list: string,
): Pick<ExpiringAudit, 'expiresAt' | 'auditSeq'> | undefined {
  if (cursor === undefined) return undefined;
  const position = Buffer.from(cursor, 'base64url').subarray(CHECK_BYTES).toString('utf8');
  const [, expiresAt, auditSeq] = POSITION.exec(position) ?? [];
  if (expiresAt !== undefined && cursorOf(position, list) === cursor) return { expiresAt, auditSeq };
  const message = 'is not the nextCursor of a page with these filters';
  throw problem('VALIDATION_FAILED', `cursor: ${message}`, {
    errors: [{ path: 'cursor', message, got: cursor.slice(0, 80) }],
  });
}

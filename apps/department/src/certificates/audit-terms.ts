import { Injectable } from '@nestjs/common';
import type { CoiRequirements, CoiVerifyRequest } from '@svc/contracts';
import { problem } from '@svc/platform';
import { assertKnownForms, RequirementSets } from './requirement-sets.js';

const MS_PER_DAY = 86_400_000;
/** An audit is of a day within these of today: certificates are kept for years, and asked for a year ahead. */
const DAYS_BACK_MAX = 3_653;
const DAYS_AHEAD_MAX = 366;
const PROJECT_DAYS_MAX = 7_305;

/** What a certificate is held against. */
export interface ResolvedTerms {
  readonly requirements: CoiRequirements;
  readonly requirementSetId: string | null;
  /** `YYYY-MM-DD` */
  readonly asOf: string;
  readonly projectEnd?: string;
}

type Asked = Pick<CoiVerifyRequest, 'asOf' | 'projectEnd' | 'requirements' | 'requirementSetId'>;

/** The terms of a request: its own requirements or those of a set, and its days. */
@Injectable()
export class AuditTerms {
  constructor(private readonly sets: RequirementSets) {}

  /** @throws ProblemError UNPROCESSABLE for a set that is not known, forms that are none, days that make no sense */
  async resolve(asked: Asked, accountId: string | undefined): Promise<ResolvedTerms> {
    const { asOf = isoDay(Date.now()), projectEnd } = asked;
    assertDays(asOf, projectEnd);
    const { requirements, requirementSetId } = await this.requirementsOf(asked, accountId);
    return { requirements, requirementSetId, asOf, ...(projectEnd === undefined ? {} : { projectEnd }) };
  }

  private async requirementsOf({ requirements, requirementSetId }: Asked, accountId: string | undefined) {
    if (requirements) {
      assertKnownForms(requirements, 'requirements.endorsements');
      return { requirements, requirementSetId: null };
    }
    const id = requirementSetId ?? '';
    const set = await this.sets.find(accountId, id);
    if (set) return { requirements: set.requirements, requirementSetId: id };
    const whose =
      accountId === undefined ? ', and no account key came along for one of your own' : ' or yours';
    throw problem('UNPROCESSABLE', `requirementSetId: no set ${id} is built in${whose}`, {
      errors: [{ path: 'requirementSetId', message: `no such set is built in${whose}`, got: id }],
    });
  }
}

function assertDays(asOf: string, projectEnd: string | undefined): void {
  const now = Date.now();
  assertDay(
    'asOf',
    asOf,
    isoDay(now - DAYS_BACK_MAX * MS_PER_DAY),
    isoDay(now + DAYS_AHEAD_MAX * MS_PER_DAY),
  );
  if (projectEnd === undefined) return;
  assertDay('projectEnd', projectEnd, asOf, isoDay(Date.parse(asOf) + PROJECT_DAYS_MAX * MS_PER_DAY));
}

function assertDay(path: string, day: string, min: string, max: string): void {
  if (day >= min && day <= max) return;
  throw problem('UNPROCESSABLE', `${path}: must be from ${min} to ${max}`, {
    errors: [{ path, message: `must be from ${min} to ${max}`, bound: day < min ? min : max, got: day }],
  });
}

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

import { Injectable } from '@nestjs/common';
import { BUILT_IN_REQUIREMENTS, requiredForm } from '@svc/certificates';
import { CoiRequirements, type RequirementSet } from '@svc/contracts';
import { inTransaction, problem } from '@svc/platform';
import { DataSource } from 'typeorm';

/** Sets of one account. */
const SETS_MAX = 200;

interface Row {
  readonly requirement_set_id: string;
  readonly requirements: unknown;
  readonly updated_at: Date;
}

/** Requirement sets: those that are built in, and those of each account, which no other sees. */
@Injectable()
export class RequirementSets {
  private readonly builtIn: ReadonlyMap<string, RequirementSet> = new Map(
    Object.entries(BUILT_IN_REQUIREMENTS).map(([requirementSetId, requirements]) => [
      requirementSetId,
      { requirementSetId, builtIn: true, updatedAt: null, requirements: CoiRequirements.parse(requirements) },
    ]),
  );

  constructor(private readonly dataSource: DataSource) {}

  /** Those built in, then the account's own by id; without an account the first alone. */
  async list(accountId?: string): Promise<RequirementSet[]> {
    if (accountId === undefined) return [...this.builtIn.values()];
    const rows: Row[] = await this.dataSource.manager.query(
      `SELECT requirement_set_id, requirements, updated_at FROM coi_requirement_set
        WHERE account_id = $1 ORDER BY requirement_set_id`,
      [accountId],
    );
    return [...this.builtIn.values(), ...rows.map(setOf)];
  }

  /** The set of an id, built in or the account's own; undefined for any other. */
  async find(accountId: string | undefined, requirementSetId: string): Promise<RequirementSet | undefined> {
    const builtIn = this.builtIn.get(requirementSetId);
    if (builtIn || accountId === undefined) return builtIn;
    const [row]: Row[] = await this.dataSource.manager.query(
      `SELECT requirement_set_id, requirements, updated_at FROM coi_requirement_set
        WHERE account_id = $1 AND requirement_set_id = $2`,
      [accountId, requirementSetId],
    );
    return row && setOf(row);
  }

  /**
   * Stores a set of an account's own, in the place of one that has the id.
   * @throws ProblemError CONFLICT for the id of a set that is built in; UNPROCESSABLE for forms that are none, or one set too many
   */
  put(accountId: string, requirementSetId: string, requirements: CoiRequirements): Promise<RequirementSet> {
    if (this.builtIn.has(requirementSetId)) {
      throw problem('CONFLICT', `The set ${requirementSetId} is built in: store yours under another id`);
    }
    assertKnownForms(requirements, 'endorsements');
    return inTransaction(this.dataSource, async manager => {
      // One at a time for an account, so that the bound holds.
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('coi sets ' || $1, 0))`, [
        accountId,
      ]);
      const [{ others }]: { others: number }[] = await manager.query(
        `SELECT count(*)::int AS others FROM coi_requirement_set WHERE account_id = $1 AND requirement_set_id <> $2`,
        [accountId, requirementSetId],
      );
      if (others >= SETS_MAX) {
        throw problem('UNPROCESSABLE', `An account has at most ${SETS_MAX} requirement sets of its own`, {
          errors: [
            { path: 'requirementSetId', message: 'is one set too many', bound: SETS_MAX, got: others + 1 },
          ],
        });
      }
      const [row]: Row[] = await manager.query(
        `INSERT INTO coi_requirement_set (account_id, requirement_set_id, requirements) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, requirement_set_id) DO UPDATE SET requirements = excluded.requirements, updated_at = now()
         RETURNING requirement_set_id, requirements, updated_at`,
        [accountId, requirementSetId, JSON.stringify(requirements)],
      );
      return setOf(row);
    });
  }
}

/** @throws ProblemError UNPROCESSABLE for endorsements that name no form, with the path of each */
export function assertKnownForms({ endorsements }: CoiRequirements, path: string): void {
  const errors = endorsements.flatMap((text, index) => {
    try {
      requiredForm(text);
      return [];
    } catch (error) {
      return [{ path: `${path}[${index}]`, message: (error as RangeError).message, got: text }];
    }
  });
  if (errors.length > 0)
    throw problem('UNPROCESSABLE', `${errors[0].path}: ${errors[0].message}`, { errors });
}

function setOf({ requirement_set_id, requirements, updated_at }: Row): RequirementSet {
  return {
    requirementSetId: requirement_set_id,
    builtIn: false,
    updatedAt: updated_at.toISOString(),
    requirements: CoiRequirements.parse(requirements),
  };
}

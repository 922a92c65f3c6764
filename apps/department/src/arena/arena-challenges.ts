import { newId } from '@svc/platform';
import { Injectable } from '@nestjs/common';
import { drawChallenge, type DrawnChallenge, type Family, limitMsOf, SEED_BYTES } from '@svc/arena';
import type { ArenaAward, ArenaGrading } from '@svc/contracts';
import { randomBytes } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

type Row = Record<string, unknown>;

/** A challenge that was set. */
export interface IssuedChallenge {
  readonly challengeId: string;
  /** Whose key paid for it: nobody else's may answer it. */
  readonly accountId?: string;
  readonly drawn: DrawnChallenge;
  readonly seed: Uint8Array;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** How it was graded, once it was. */
  readonly graded?: GradedChallenge;
}

export interface GradedChallenge {
  /** Key of the call that had it graded. */
  readonly by: string;
  readonly accountId?: string;
  readonly grading: ArenaGrading;
  readonly award: ArenaAward;
}

/** How long challenges are kept that nobody answered, after they have expired, days. */
const UNANSWERED_DAYS = 1;

/** The challenges in Postgres: each is set once and graded once, under the key of a call. */
@Injectable()
export class ArenaChallenges {
  constructor(private readonly dataSource: DataSource) {}

  /** Sets a fresh challenge, or gives the one that was set under the key before. */
  async issue(
    manager: EntityManager,
    asked: { idemKey: string; accountId?: string; family: Family; level: number },
  ): Promise<IssuedChallenge> {
    const { idemKey, accountId, family, level } = asked;
    const earlier = await this.find(manager, `issued_by = decode($1, 'hex')`, idemKey);
    if (earlier) return earlier;
    const seed = randomBytes(SEED_BYTES);
    const { problem, optimum } = drawChallenge(family, level, new Uint8Array(seed));
    const rows: Row[] = await manager.query(
      `INSERT INTO arena_challenge (challenge_id, issued_by, account_id, family, level, seed, problem, optimum,
         issued_at, expires_at)
       VALUES ($1, decode($2, 'hex'), $3, $4, $5, $6, $7, $8, clock_timestamp(),
               clock_timestamp() + make_interval(secs => $9)) RETURNING *`,
      [
        ...[newId('arena'), idemKey, accountId ?? null, family, level],
        ...[seed, JSON.stringify(problem), optimum, limitMsOf(level) / 1_000],
      ],
    );
    return challengeOf(rows[0]);
  }

  get(challengeId: string): Promise<IssuedChallenge | undefined> {
    return this.find(this.dataSource.manager, 'challenge_id = $1', challengeId);
  }

  /** The challenge that a call had graded. */
  gradedBy(idemKey: string): Promise<IssuedChallenge | undefined> {
    return this.find(this.dataSource.manager, `graded_by = decode($1, 'hex')`, idemKey);
  }

  /** The challenge that a call had set. */
  issuedBy(idemKey: string): Promise<IssuedChallenge | undefined> {
    return this.find(this.dataSource.manager, `issued_by = decode($1, 'hex')`, idemKey);
  }

  /**
   * Grades a challenge: exactly one of several callers does.
   * @returns whether it was graded by this call, now or before
   */
  async grade(manager: EntityManager, challengeId: string, graded: GradedChallenge): Promise<boolean> {
    const { by, accountId, grading, award } = graded;
    const rows: Row[] = await manager.query(
      `WITH mine AS (
         UPDATE arena_challenge
            SET graded_by = decode($2, 'hex'), graded_at = $3, graded_account_id = $4, agent_id = $5, score = $6,
                correctness = $7, grading = $8, earned_sats = $9, award_sats = $10, award_reason = $11
          WHERE challenge_id = $1 AND graded_by IS NULL RETURNING 1)
       SELECT 1 FROM mine
       UNION ALL SELECT 1 FROM arena_challenge WHERE challenge_id = $1 AND graded_by = decode($2, 'hex')`,
      [
        ...[challengeId, by, grading.gradedAt, accountId ?? null, grading.agentId ?? null],
        ...[grading.cognitiveScore, grading.correctness, JSON.stringify(grading)],
        ...[award.earnedSats, award.sats, award.reason],
      ],
    );
    return rows.length > 0;
  }

  /** Writes down what was awarded; one that is written down stays. */
  async awarded(challengeId: string, { sats, reason }: Pick<ArenaAward, 'sats' | 'reason'>): Promise<void> {
    await this.dataSource.query(
      `UPDATE arena_challenge SET award_sats = $2, award_reason = $3
        WHERE challenge_id = $1 AND award_reason = 'PENDING'`,
      [challengeId, sats, reason],
    );
  }

  /** Gradings whose award payments have not been asked for with success, older than the given time. */
  async pendingAwards(olderThanMs: number, limit: number): Promise<IssuedChallenge[]> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT * FROM arena_challenge
        WHERE award_reason = 'PENDING' AND graded_at < now() - make_interval(secs => $1)
        ORDER BY graded_at LIMIT $2`,
      [olderThanMs / 1_000, limit],
    );
    return rows.map(challengeOf);
  }

  /** Takes back what was done under a key: a challenge is as if it was never set, or not answered yet. */
  async undo(manager: EntityManager, idemKey: string): Promise<void> {
    await manager.query(
      `UPDATE arena_challenge SET graded_by = NULL, graded_at = NULL, graded_account_id = NULL, agent_id = NULL,
              score = NULL, correctness = NULL, grading = NULL, earned_sats = NULL, award_sats = NULL,
              award_reason = NULL
        WHERE graded_by = decode($1, 'hex')`,
      [idemKey],
    );
    await manager.query(
      `DELETE FROM arena_challenge WHERE issued_by = decode($1, 'hex') AND graded_by IS NULL`,
      [idemKey],
    );
  }

  /** Deletes what expired unanswered; returns how many. What was graded stays, for the board. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM arena_challenge WHERE graded_by IS NULL AND expires_at < now() - make_interval(days => $1)`,
      [UNANSWERED_DAYS],
    );
    return count;
  }

  private async find(
    manager: EntityManager,
    condition: string,
    value: string,
  ): Promise<IssuedChallenge | undefined> {
    const rows: Row[] = await manager.query(`SELECT * FROM arena_challenge WHERE ${condition}`, [value]);
    return rows.map(challengeOf).at(0);
  }
}

function challengeOf(row: Row): IssuedChallenge {
  const { family, level, problem, optimum } = row;
  return {
    challengeId: row.challenge_id as string,
    accountId: (row.account_id as string | null) ?? undefined,
    drawn: { family, level, problem, optimum } as DrawnChallenge,
    seed: new Uint8Array(row.seed as Buffer),
    issuedAt: row.issued_at as Date,
    expiresAt: row.expires_at as Date,
    ...(row.graded_by === null ? {} : { graded: gradedOf(row) }),
  };
}

const gradedOf = (row: Row): GradedChallenge => ({
  by: (row.graded_by as Buffer).toString('hex'),
  accountId: (row.graded_account_id as string | null) ?? undefined,
  grading: row.grading as ArenaGrading,
  award: {
    sats: row.award_sats as number,
    earnedSats: row.earned_sats as number,
    reason: row.award_reason as ArenaAward['reason'],
  },
});

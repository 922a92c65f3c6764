import { Injectable } from '@nestjs/common';
import { FAMILIES, type Family, LEVEL_MAX } from '@svc/arena';
import type { ArenaLeaders, ArenaLeadersQuery } from '@svc/contracts';
import { problem } from '@svc/platform';
import { createHash, randomInt } from 'node:crypto';
import { DataSource } from 'typeorm';

type Row = Record<string, unknown>;

/** A score from which the next level is set. */
const PASSED_SCORE = 50;
/** Hexadecimal digits by which an account is named on the board. */
const ACCOUNT_DIGEST_CHARS = 12;
/** How far down the board can be read. */
const OFFSET_MAX = 10_000;

/** What accounts have done in the arena. */
@Injectable()
export class ArenaRecord {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * What a challenge is to be that its asker left open: of a family, the level above the highest that the account has
   * passed; of all families, one that it has tried least. Without an account, level 1.
   */
  async next(
    accountId: string | undefined,
    asked: { family?: Family; level?: number },
  ): Promise<{ family: Family; level: number }> {
    const { family: wanted, level: wantedLevel } = asked;
    if (wanted !== undefined && wantedLevel !== undefined) return { family: wanted, level: wantedLevel };
    const done = accountId === undefined ? new Map<Family, Done>() : await this.doneBy(accountId);
    const tries = (family: Family) => done.get(family)?.tries ?? 0;
    const fewest = Math.min(...FAMILIES.map(tries));
    const open = FAMILIES.filter(family => tries(family) === fewest);
    const family = wanted ?? open[randomInt(open.length)];
    const level = wantedLevel ?? Math.min(LEVEL_MAX, (done.get(family)?.passed ?? 0) + 1);
    return { family, level };
  }

  /** A page of the board. @throws ProblemError VALIDATION_FAILED for a cursor that is not of this query */
  async leaders({ window, family, limit, cursor }: ArenaLeadersQuery): Promise<ArenaLeaders> {
    const board = `${window} ${family ?? '*'}`;
    const offset = cursor === undefined ? 0 : offsetOf(board, cursor);
    const rows: Row[] = await this.dataSource.query(
      `SELECT *, rank() OVER (ORDER BY points DESC)::int AS rank FROM (
         SELECT graded_account_id, agent_id, sum(level * best)::int AS points, sum(solved)::int AS solved,
                sum(gradings)::int AS gradings, max(last_at) AS last_at
           FROM (SELECT graded_account_id, agent_id, family, level, max(score) AS best, max(correctness) AS solved,
                        count(*) AS gradings, max(graded_at) AS last_at
                   FROM arena_challenge
                  WHERE graded_by IS NOT NULL AND graded_account_id IS NOT NULL
                    AND ($1 = 'all' OR graded_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')
                    AND ($2::text IS NULL OR family = $2)
                  GROUP BY graded_account_id, agent_id, family, level) best
          GROUP BY graded_account_id, agent_id) board
        ORDER BY points DESC, last_at, graded_account_id, agent_id NULLS FIRST LIMIT $3 OFFSET $4`,
      [window, family ?? null, limit + 1, offset],
    );
    const next = offset + limit;
    return {
      window,
      family: family ?? null,
      items: rows.slice(0, limit).map(leaderOf),
      nextCursor: rows.length > limit && next <= OFFSET_MAX ? cursorOf(board, next) : null,
    };
  }

  private async doneBy(accountId: string): Promise<Map<Family, Done>> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT family, count(*)::int AS tries, max(level) FILTER (WHERE score >= $2) AS passed
         FROM arena_challenge WHERE graded_by IS NOT NULL AND graded_account_id = $1 GROUP BY family`,
      [accountId, PASSED_SCORE],
    );
    return new Map(
      rows.map(row => [
        row.family as Family,
        { tries: row.tries as number, passed: (row.passed as number | null) ?? 0 },
      ]),
    );
  }
}

interface Done {
  readonly tries: number;
  /** The highest level that was passed. */
  readonly passed: number;
}

const leaderOf = (row: Row): ArenaLeaders['items'][number] => ({
  rank: row.rank as number,
  agentId: row.agent_id as string | null,
  account: accountDigest(row.graded_account_id as string),
  points: row.points as number,
  solved: row.solved as number,
  gradings: row.gradings as number,
  lastGradedAt: (row.last_at as Date).toISOString(),
});

/** Ids of accounts are random: their digest tells agents of one account, and no id. */
export const accountDigest = (accountId: string): string =>
  createHash('sha256')
    .update(`svc.arena/v1/account ${accountId}`)
    .digest('hex')
    .slice(0, ACCOUNT_DIGEST_CHARS);

const cursorOf = (board: string, offset: number) => Buffer.from(`${board} ${offset}`).toString('base64url');

function offsetOf(board: string, cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const offset = text.startsWith(`${board} `) ? Number(text.slice(board.length + 1)) : NaN;
  if (Number.isInteger(offset) && offset >= 0 && offset <= OFFSET_MAX) return offset;
  throw problem('VALIDATION_FAILED', 'cursor: is not one of this board', {
    errors: [{ path: 'cursor', message: 'is not one of this board', got: cursor }],
  });
}

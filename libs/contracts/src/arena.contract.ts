import { z } from 'zod';
import { AccountId } from './account.contract.js';
import { AuditProof } from './audit-proof.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { CallerName, PageCursor, unguessableId } from './wire-format.js';

export const ARENA_FAMILIES = ['shortest-path', 'max-cut', 'sat', 'modular-algebra'] as const;
const ArenaFamily = z.enum(ARENA_FAMILIES);
const ArenaLevel = z.int().min(1).max(10);
export const ArenaChallengeId = unguessableId('arena');
const HashHex = z.string().regex(/^0x[0-9a-f]{64}$/);

/** One side for each vertex, one value for each variable. */
const Bits = z
  .string()
  .max(512)
  .regex(/^[01]*$/, { error: 'characters 0 and 1' });
const Decimal = z
  .string()
  .max(400)
  .regex(/^(0|[1-9][0-9]*)$/, { error: 'a whole number as decimal text' });

/** An answer in the form of its family. */
export const ArenaAnswer = z.union([
  z.strictObject({ path: z.array(z.int().min(0).max(9_999)).max(4_096) }),
  z.strictObject({ side: Bits }),
  z.strictObject({ assignment: Bits }),
  z.strictObject({ x: z.union([Decimal, z.array(Decimal).max(64)]) }),
]);
export type ArenaAnswer = z.output<typeof ArenaAnswer>;

/** What `challengePayload` of the tool `arena_challenge` says, as JSON: an answer, or which challenge is wanted. */
export const ArenaPayload = z.union([
  z.strictObject({ challengeId: ArenaChallengeId, answer: ArenaAnswer }),
  z.strictObject({ family: ArenaFamily.optional(), level: ArenaLevel.optional() }),
]);
export type ArenaPayload = z.output<typeof ArenaPayload>;

/** A problem that waits for its answer. */
export const ArenaChallenge = z
  .object({
    challengeId: ArenaChallengeId,
    family: ArenaFamily,
    level: ArenaLevel,
    instruction: z.string().meta({ description: 'What is asked, and the form of the answer' }),
    problem: z.record(z.string(), z.unknown()).meta({ description: 'All that is needed to answer' }),
    seedCommitment: HashHex.meta({
      description:
        'SHA-256("svc.arena/v1/commitment" ‖ seed ‖ "family/level"): the grading shows the seed that made the problem',
    }),
    issuedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    limitMs: z.int().meta({ description: 'Time for the answer, milliseconds from issuedAt' }),
  })
  .meta({ id: 'ArenaChallenge' });
export type ArenaChallenge = z.infer<typeof ArenaChallenge>;

const Share = z.number().min(0).max(1);

/** How an answer was graded. Its auditProof is of everything else in it. */
export const ArenaGrading = z
  .object({
    challengeId: ArenaChallengeId,
    agentId: CallerName.optional(),
    family: ArenaFamily,
    level: ArenaLevel,
    cognitiveScore: z.int().min(0).max(100),
    valid: z.boolean().meta({ description: 'Whether it was an answer to the problem at all' }),
    reason: z.string(),
    achieved: z
      .number()
      .nullable()
      .meta({ description: 'What the answer attains; null where it is not valid' }),
    optimum: z.number().meta({ description: 'What the best answer attains, exactly' }),
    correctness: z.int().min(0).max(1).meta({ description: '1 where the optimum was attained' }),
    optimality: Share.meta({ description: 'How far the answer comes from one by chance to the optimum' }),
    time: Share.meta({ description: 'How much of the time was left; 0 where the answer is not correct' }),
    formula: z.string(),
    elapsedMs: z.int().meta({ description: 'From the issue to the arrival of the answer, by our clock' }),
    limitMs: z.int(),
    answerDigest: HashHex.meta({ description: 'SHA-256 of the canonical JSON of the answer' }),
    problemDigest: HashHex.meta({ description: 'SHA-256 of the canonical JSON of the problem' }),
    seed: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/)
      .meta({ description: 'What the problem was made of' }),
    seedCommitment: HashHex,
    rulesetId: z.string(),
    gradedAt: z.iso.datetime(),
    auditProof: AuditProof,
  })
  .meta({ id: 'ArenaGrading' });
export type ArenaGrading = z.infer<typeof ArenaGrading>;

/** Why an award is what it is. */
export const ARENA_AWARD_REASONS = [
  'AWARDED',
  /** The score earns nothing. */
  'SCORE',
  /** No account paid, or one that has bought no credit. */
  'NO_PAID_ACCOUNT',
  /** The account has had as much as it has spent. */
  'SPENT_TOO_LITTLE',
  /** Nothing is left of the day's budget, or there is none. */
  'BUDGET',
  /** The payments service is away: it is awarded later, and then in the ledger of the account. */
  'PENDING',
] as const;

/** Credit for a grading. */
export const ArenaAward = z
  .object({
    sats: z.int().min(0),
    earnedSats: z
      .int()
      .min(0)
      .meta({ description: 'What the score is worth: level × score ÷ 100, from 50 points on' }),
    reason: z.enum(ARENA_AWARD_REASONS),
  })
  .meta({ id: 'ArenaAward' });
export type ArenaAward = z.infer<typeof ArenaAward>;

export const ARENA_WINDOWS = ['day', 'all'] as const;
const LEADERS_MAX = 100;

const LeadersQuery = z.object({
  window: z.enum(ARENA_WINDOWS).default('all').meta({ description: 'day: the current one, UTC' }),
  family: ArenaFamily.optional(),
  limit: z.coerce.number().int().min(1).max(LEADERS_MAX).default(20),
  cursor: PageCursor.optional(),
});
export type ArenaLeadersQuery = z.output<typeof LeadersQuery>;

/** A place on the board. */
const ArenaLeader = z
  .object({
    rank: z.int().min(1).meta({ description: 'Who has as many points shares a rank' }),
    agentId: CallerName.nullable().meta({
      description: 'A name that the agent gave itself: nobody has checked it',
    }),
    account: z
      .string()
      .regex(/^[0-9a-f]{12}$/)
      .meta({ description: 'Digest of the account that paid: agents with the same one are of one account' }),
    points: z
      .int()
      .meta({ description: 'Sum of level × score over the best answer of each family and level' }),
    solved: z.int().meta({ description: 'Families and levels whose optimum was attained, of 40' }),
    gradings: z.int(),
    lastGradedAt: z.iso.datetime(),
  })
  .meta({ id: 'ArenaLeader' });

/** Response of `GET /arena/leaders`. */
export const ArenaLeaders = z
  .object({
    window: z.enum(ARENA_WINDOWS),
    family: ArenaFamily.nullable(),
    items: z.array(ArenaLeader),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'ArenaLeaders' });
export type ArenaLeaders = z.infer<typeof ArenaLeaders>;

export const arenaRoutes = defineRoutes({
  leaders: {
    operationId: 'arena.leaders',
    method: 'GET',
    path: '/arena/leaders',
    summary: 'The board of the arena',
    description:
      'Agents that paid with an account key, by points: level × score of the best answer of each family and level.',
    tag: 'Tools',
    access: 'free',
    query: LeadersQuery,
    replies: { 200: { description: 'A page, most points first', schema: ArenaLeaders } },
  },
});

export const arenaContract = {
  /** A page of the board. VALIDATION_FAILED for a cursor that is none, or of another query. */
  leaders: procedure('department', 'arena-leaders', {
    request: LeadersQuery,
    reply: ArenaLeaders,
    timeoutMs: 5_000,
  }),
  /**
   * Credit for a grading, from the budget of the day, once for each challenge: asked again, it says what was awarded then,
   * also where that was nothing.
   */
  awardCredit: procedure('payments', 'award-credit', {
    request: z.object({
      challengeId: ArenaChallengeId,
      accountId: AccountId,
      amountSats: z.int().min(1).max(1_000),
    }),
    reply: z.object({ sats: z.int().min(0), reason: z.enum(ARENA_AWARD_REASONS) }),
    timeoutMs: 5_000,
  }),
} as const;

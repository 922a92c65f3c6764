import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { drawChallenge, FAMILIES, type Family, seedCommitment } from '@svc/arena';
import { ArenaAgent } from '@svc/arena/testing';
import { canonicalDigest, toHex } from '@svc/audit-proof';
import {
  type ArenaAward,
  type ArenaChallenge,
  arenaContract,
  type ArenaGrading,
  toolCallContract,
  TOOLS,
} from '@svc/contracts';
import { problem, problemOf } from '@svc/platform';
import { createHash, randomBytes } from 'node:crypto';
import { ArenaAwards } from '../src/arena/arena-awards.js';
import { ArenaChallenges } from '../src/arena/arena-challenges.js';
import { accountDigest } from '../src/arena/arena-record.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.department;
const tool = 'arena_challenge' as const;

interface Output {
  readonly cognitiveScore: number;
  readonly starkProofHash: string;
  readonly satsAwarded: number;
  readonly challenge?: ArenaChallenge;
  readonly grading?: ArenaGrading;
  readonly award?: ArenaAward;
}

let department: DepartmentFixture;

beforeAll(async () => {
  department = await startDepartment();
  await department.replica();
});
afterEach(() => {
  Object.assign(department.award, { before: async () => undefined, after: async () => undefined });
  department.attest.before = async () => undefined;
});
afterAll(() => department?.close());

const key = () => randomBytes(32).toString('hex');
const account = () => `acct_${createHash('sha256').update(randomBytes(8)).digest('hex').slice(0, 20)}`;
const payload = (value: unknown) => ({ challengePayload: JSON.stringify(value) });
async function call(
  input: Record<string, unknown>,
  { accountId, idemKey = key() }: { accountId?: string; idemKey?: string } = {},
): Promise<Output> {
  const asked = { tool, input, idemKey, receipt: 'receipt', accountId };
  const { output } = await department.bus.call(callTool, asked);
  return TOOLS.arena_challenge.output.parse(output) as Output;
}
const issue = async (asked: { family?: Family; level?: number } = {}, by: { accountId?: string } = {}) =>
  (await call(payload(asked), by)).challenge!;
const solve = ({ challengeId, family, problem: asked }: ArenaChallenge) => ({
  challengeId,
  answer: new ArenaAgent().answer(family, asked),
});
/** As if it had been set so much earlier. */
const age = (challengeId: string, ms: number) =>
  department.database.query(
    `UPDATE arena_challenge SET issued_at = issued_at - make_interval(secs => $2),
            expires_at = expires_at - make_interval(secs => $2) WHERE challenge_id = $1`,
    [challengeId, ms / 1_000],
  );

describe('a challenge', () => {
  it('tells all that is needed to answer it, and binds itself to a seed that the grading shows', async () => {
    const output = await call({});
    expect(output).toMatchObject({ cognitiveScore: 0, starkProofHash: '', satsAwarded: 0 });
    const challenge = output.challenge!;
    expect(challenge.instruction).toContain('Answer {');
    expect(Date.parse(challenge.expiresAt) - Date.parse(challenge.issuedAt)).toBe(challenge.limitMs);
    expect(JSON.stringify(challenge)).not.toContain('optimum":');
    const { grading } = await call(payload(solve(challenge)));
    const seed = new Uint8Array(Buffer.from(grading!.seed.slice(2), 'hex'));
    expect(toHex(seedCommitment(challenge.family, challenge.level, seed))).toBe(challenge.seedCommitment);
    expect(drawChallenge(challenge.family, challenge.level, seed).problem).toEqual(challenge.problem);
    expect(grading!.problemDigest).toBe(toHex(canonicalDigest(challenge.problem)));
  });

  it.each(FAMILIES)('of every level is answered by an agent that solves it, and scored: %s', async family => {
    const accountId = account();
    for (let level = 1; level <= 10; level++) {
      const challenge = await issue({ family, level }, { accountId });
      expect(challenge).toMatchObject({ family, level });
      const output = await call({ agentId: 'solver', ...payload(solve(challenge)) }, { accountId });
      expect([level, output.grading!.reason]).toEqual([level, 'attains the optimum']);
      // A loaded machine may take longer than the par of five seconds, never a tenth of the limit.
      expect(output.cognitiveScore).toBeGreaterThanOrEqual(97);
      expect(output.satsAwarded).toBe(Math.floor((level * output.cognitiveScore) / 100));
    }
    const board = await department.bus.call(arenaContract.leaders, { family });
    const [mine] = board.items.filter(item => item.account === accountDigest(accountId));
    expect(mine).toMatchObject({ agentId: 'solver', solved: 10, gradings: 10 });
    expect(mine.points).toBeGreaterThanOrEqual(97 * 55);
  });

  it('rises with what the account has passed, and with nothing else', async () => {
    const accountId = account();
    const first = await issue({ family: 'sat' }, { accountId });
    expect(first.level).toBe(1);
    expect((await issue({ family: 'sat' }, { accountId })).level).toBe(1);
    await call(payload(solve(first)), { accountId });
    expect((await issue({ family: 'sat' }, { accountId })).level).toBe(2);
    const wrong = await issue({ family: 'sat', level: 7 }, { accountId });
    await call(payload({ challengeId: wrong.challengeId, answer: { assignment: '0' } }), { accountId });
    expect((await issue({ family: 'sat' }, { accountId })).level).toBe(2);
    expect((await issue({ family: 'sat' }, { accountId: account() })).level).toBe(1);
    expect((await issue({}, { accountId })).family).not.toBe('sat');
  });

  it('is the same one however often it is asked for under one key', async () => {
    const idemKey = key();
    const all = await Promise.all(
      Array.from({ length: 6 }, () => call({ agentId: 'a' }, { idemKey }).catch((e: unknown) => e)),
    );
    const again = await call({ agentId: 'a' }, { idemKey });
    for (const each of all) expect(each instanceof Error || (each as Output).challenge).toBeTruthy();
    expect(await call({ agentId: 'a' }, { idemKey })).toEqual(again);
    const rows: unknown[] = await department.database.query(
      `SELECT 1 FROM arena_challenge WHERE issued_by = decode($1, 'hex')`,
      [idemKey],
    );
    expect(rows).toHaveLength(1);
    expect((await problemOf(call({ agentId: 'b' }, { idemKey }))).code).toBe('UNPROCESSABLE');
  });
});

describe('a grading', () => {
  it('has evidence whose digests are of the question and of everything it says', async () => {
    const challenge = await issue({ family: 'max-cut', level: 2 });
    const asked = solve(challenge);
    const { grading, starkProofHash, cognitiveScore } = await call(payload(asked));
    const { auditProof, ...facts } = grading!;
    expect(starkProofHash).toBe(toHex(canonicalDigest(auditProof)));
    expect(auditProof).toMatchObject({ proves: 'rules', rulesetId: 'arena-score/v1' });
    expect(auditProof.resultDigest).toBe(toHex(canonicalDigest(facts)));
    expect(auditProof.requestDigest).toBe(toHex(canonicalDigest(asked)));
    expect(auditProof.rules.every(({ holds }) => holds)).toBe(true);
    expect(auditProof.rules.find(({ id }) => id === 'arena.score-at-most')?.threshold).toBe(
      String(cognitiveScore),
    );
    expect(facts.answerDigest).toBe(toHex(canonicalDigest(asked.answer)));
  });

  it('of a wrong answer says what is wrong with it, and earns nothing', async () => {
    const accountId = account();
    const challenge = await issue({ family: 'shortest-path', level: 3 }, { accountId });
    const { source, target } = challenge.problem as { source: number; target: number };
    const before = department.award.asked.length;
    const output = await call(
      payload({ challengeId: challenge.challengeId, answer: { path: [source, source, target] } }),
      { accountId },
    );
    expect(output).toMatchObject({ cognitiveScore: 0, satsAwarded: 0 });
    expect(output.grading).toMatchObject({
      valid: false,
      achieved: null,
      correctness: 0,
      optimality: 0,
      time: 0,
    });
    expect(output.grading!.reason).toContain('no edge');
    expect(output.award).toEqual({ sats: 0, earnedSats: 0, reason: 'SCORE' });
    expect(department.award.asked).toHaveLength(before);
    expect(output.grading!.auditProof.rules.find(({ id }) => id === 'arena.valid')?.holds).toBe(false);
  });

  it('loses points for time, by our clock', async () => {
    const challenge = await issue({ family: 'sat', level: 1 });
    await age(challenge.challengeId, challenge.limitMs / 2);
    const { grading } = await call(payload(solve(challenge)));
    expect(grading!.time).toBeLessThan(0.52);
    expect(grading!.time).toBeGreaterThan(0.4);
    expect(grading!.cognitiveScore).toBeLessThanOrEqual(90);
  });

  it('is made of one answer: others, late ones and those of other accounts are refused', async () => {
    const accountId = account();
    const challenge = await issue({ family: 'sat', level: 2 }, { accountId });
    const asked = payload(solve(challenge));
    expect((await problemOf(call(asked, { accountId: account() }))).code).toBe('FORBIDDEN');
    expect((await problemOf(call(asked))).code).toBe('FORBIDDEN');
    await call(asked, { accountId });
    const second = await problemOf(call(asked, { accountId }));
    expect(second.payload).toMatchObject({ code: 'CONFLICT', extensions: { state: 'answered' } });
    expect((await problemOf(department.bus.call(admitTool, { tool, input: asked }))).code).toBe('CONFLICT');
    const late = await issue();
    await age(late.challengeId, late.limitMs + 1);
    const tooLate = payload(solve(late));
    expect((await problemOf(call(tooLate))).code).toBe('EXPIRED');
    expect((await problemOf(department.bus.call(admitTool, { tool, input: tooLate }))).code).toBe('EXPIRED');
    const unknown = payload({ challengeId: `arena_${'x'.repeat(22)}`, answer: { side: '0' } });
    expect((await problemOf(call(unknown))).code).toBe('NOT_FOUND');
  });

  it('is given to exactly one of many answers that come at once, to both replicas', async () => {
    const accountId = account();
    const challenge = await issue({ family: 'max-cut', level: 1 }, { accountId });
    const sides = Array.from({ length: 12 }, (_, i) => i.toString(2).padStart(4, '0'));
    const answers = await Promise.allSettled(
      sides.map(side =>
        call(payload({ challengeId: challenge.challengeId, answer: { side } }), { accountId }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = answers.flatMap(answer =>
      answer.status === 'rejected' ? [(answer.reason as { code: string }).code] : [],
    );
    expect(new Set(codes)).toEqual(new Set(['CONFLICT']));
  });

  it('is the same one, to its bytes, however often the same call is made', async () => {
    const accountId = account();
    const challenge = await issue({ family: 'sat', level: 3 }, { accountId });
    const idemKey = key();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => call(payload(solve(challenge)), { accountId, idemKey })),
    );
    expect(new Set(all.map(each => JSON.stringify(each.grading))).size).toBe(1);
    const { state, reply } = await department.bus.call(toolOutcome, { idemKey });
    expect(state).toBe('done');
    expect(reply!.output.grading).toEqual(all[0].grading);
    expect(await department.bus.call(toolProgress, { idemKey })).toEqual({
      seq: 2,
      progress: 1,
      ended: true,
    });
  });

  it('is not made where its evidence is not, and the challenge stays to be answered', async () => {
    const challenge = await issue({ family: 'sat', level: 1 });
    department.attest.before = async () => {
      throw problem('OVERLOADED', 'no room');
    };
    const idemKey = key();
    expect((await problemOf(call(payload(solve(challenge)), { idemKey }))).code).toBe('OVERLOADED');
    expect(await department.bus.call(toolOutcome, { idemKey })).toEqual({ state: 'unknown' });
    department.attest.before = async () => undefined;
    expect((await call(payload(solve(challenge)))).cognitiveScore).toBeGreaterThan(80);
  });
});

describe('a call that is revoked', () => {
  it('comes to nothing when it comes later', async () => {
    const idemKey = key();
    expect(await department.bus.call(revokeTool, { idemKey })).toEqual({ was: 'unknown' });
    expect((await problemOf(call({}, { idemKey }))).payload.extensions).toEqual({ state: 'revoked' });
    expect(await department.bus.call(revokeTool, { idemKey })).toEqual({ was: 'revoked' });
  });

  it('leaves the challenge to be answered anew, and no trace on the board', async () => {
    const accountId = account();
    const challenge = await issue({ family: 'sat', level: 4 }, { accountId });
    const idemKey = key();
    const first = await call(payload(solve(challenge)), { accountId, idemKey });
    expect(first.satsAwarded).toBeGreaterThan(0);
    expect(await department.bus.call(revokeTool, { idemKey })).toEqual({ was: 'done' });
    const onBoard = async () =>
      (await department.bus.call(arenaContract.leaders, { limit: 100 })).items.filter(
        item => item.account === accountDigest(accountId),
      );
    expect(await onBoard()).toEqual([]);
    const second = await call(payload(solve(challenge)), { accountId });
    // Awarded once for the challenge, whatever became of the first answer.
    expect(second.satsAwarded).toBe(department.award.awards.get(challenge.challengeId)!.sats);
    expect(await onBoard()).toHaveLength(1);
  });

  it('while it runs, is not completed', async () => {
    const challenge = await issue({ family: 'sat', level: 1 });
    const idemKey = key();
    department.attest.before = async () => {
      department.attest.before = async () => undefined;
      await department.bus.call(revokeTool, { idemKey });
    };
    const revoked = await problemOf(call(payload(solve(challenge)), { idemKey }));
    expect(revoked.payload.extensions).toEqual({ state: 'revoked' });
    expect((await call(payload(solve(challenge)))).cognitiveScore).toBeGreaterThan(80);
  });
});

describe('an award', () => {
  const sweeper = () =>
    new ArenaAwards(department.bus, new ArenaChallenges(department.database), department.environment);

  it('that payments could not be asked for is made later, once', async () => {
    const accountId = account();
    const challenge = await issue({ family: 'sat', level: 9 }, { accountId });
    department.award.before = async () => {
      throw problem('SERVICE_UNAVAILABLE', 'payments is away');
    };
    const idemKey = key();
    const pending = await call(payload(solve(challenge)), { accountId, idemKey });
    expect(pending).toMatchObject({ satsAwarded: 0, award: { reason: 'PENDING' } });
    expect(pending.cognitiveScore).toBeGreaterThan(80);
    department.award.before = async () => undefined;
    expect(await sweeper().sweep(0)).toBeGreaterThanOrEqual(1);
    expect(await sweeper().sweep(0)).toBe(0);
    const made = await call(payload(solve(challenge)), { accountId, idemKey });
    expect(made).toMatchObject({ satsAwarded: pending.award!.earnedSats, award: { reason: 'AWARDED' } });
    expect(made.grading).toEqual(pending.grading);
  });

  it('that was made but not heard of is not made again', async () => {
    const accountId = account();
    const challenge = await issue({ family: 'sat', level: 9 }, { accountId });
    department.award.after = async () => {
      throw problem('TIMEOUT', 'the answer was lost');
    };
    expect((await call(payload(solve(challenge)), { accountId })).award!.reason).toBe('PENDING');
    const first = department.award.awards.get(challenge.challengeId);
    Object.assign(department.award, {
      after: async () => undefined,
      decide: () => ({ sats: 1, reason: 'AWARDED' as const }),
    });
    await sweeper().sweep(0);
    const [row]: { award_sats: number }[] = await department.database.query(
      `SELECT award_sats FROM arena_challenge WHERE challenge_id = $1`,
      [challenge.challengeId],
    );
    expect(row.award_sats).toBe(first!.sats);
  });

  it('is asked for none who paid without an account', async () => {
    const before = department.award.asked.length;
    const { award } = await call(payload(solve(await issue({ family: 'sat', level: 5 }))));
    expect(award).toMatchObject({ sats: 0, reason: 'NO_PAID_ACCOUNT' });
    expect(department.award.asked).toHaveLength(before);
  });
});

describe('what is no payload', () => {
  const deep = '['.repeat(30_000) + ']'.repeat(30_000);
  it.each([
    ['no JSON', '{', 'challengePayload'],
    ['nothing but nesting', deep, 'challengePayload'],
    ['nesting within', `{"family":${deep}}`, 'challengePayload'],
    ['a member named twice', '{"level":1,"\\u006cevel":2}', 'challengePayload'],
    ['a number that no double holds', '{"level":1e999}', 'challengePayload.level'],
    ['another family', '{"family":"chess"}', 'challengePayload.family'],
    ['a level too high', '{"level":11}', 'challengePayload.level'],
    ['an unknown member', '{"family":"sat","seed":1}', 'challengePayload.seed'],
    [
      'an answer of no form',
      `{"challengeId":"arena_${'x'.repeat(22)}","answer":{"guess":1}}`,
      'challengePayload.answer',
    ],
    [
      'a path of fractions',
      `{"challengeId":"arena_${'x'.repeat(22)}","answer":{"path":[0.5]}}`,
      'challengePayload.answer',
    ],
    [
      'a number in exponent form',
      `{"challengeId":"arena_${'x'.repeat(22)}","answer":{"x":"1e9"}}`,
      'challengePayload.answer',
    ],
  ])('%s is refused with its path, before any payment', async (_name, challengePayload, path) => {
    const refused = await problemOf(department.bus.call(admitTool, { tool, input: { challengePayload } }));
    expect(refused.code).toBe('VALIDATION_FAILED');
    expect(refused.payload.errors![0].path).toContain(path);
  });

  it('a payload over its length is refused too, and another tool', async () => {
    const long = { challengePayload: ' '.repeat(65_537) };
    expect((await problemOf(department.bus.call(admitTool, { tool, input: long }))).code).toBe(
      'VALIDATION_FAILED',
    );
    const other = department.bus.call(admitTool, { tool: 'zk_prove_spatial', input: {} });
    expect((await problemOf(other)).code).toBe('NOT_YET_AVAILABLE');
  });
});

describe('the board', () => {
  it('counts the best answer of each family and level, by account and agent, page by page', async () => {
    const [one, two] = [account(), account()];
    await department.database.query(`DELETE FROM arena_challenge`);
    const play = async (accountId: string, agentId: string | undefined, level: number, isRight = true) => {
      const challenge = await issue({ family: 'sat', level }, { accountId });
      const right = solve(challenge);
      const { variables } = challenge.problem as { variables: number };
      const answer = isRight ? right.answer : { assignment: '0'.repeat(variables + 1) };
      await call({ ...(agentId && { agentId }), ...payload({ ...right, answer }) }, { accountId });
    };
    await play(one, 'a', 2);
    await play(one, 'a', 2, false);
    await play(one, 'a', 2);
    await play(one, 'b', 1);
    await play(two, undefined, 3);
    await call(payload(solve(await issue({ family: 'sat', level: 10 }))));
    const all = await department.bus.call(arenaContract.leaders, {});
    expect(
      all.items.map(item => [item.rank, item.account, item.agentId, item.solved, item.gradings]),
    ).toEqual([
      [1, accountDigest(two), null, 1, 1],
      [2, accountDigest(one), 'a', 1, 3],
      [3, accountDigest(one), 'b', 1, 1],
    ]);
    expect(all.items.map(item => Math.ceil(item.points / 100))).toEqual([3, 2, 1]);
    expect(all.nextCursor).toBeNull();
    const first = await department.bus.call(arenaContract.leaders, { limit: 2 });
    const rest = await department.bus.call(arenaContract.leaders, { limit: 2, cursor: first.nextCursor! });
    expect([...first.items, ...rest.items]).toEqual(all.items);
    const foreign = { family: 'max-cut' as const, cursor: first.nextCursor! };
    expect((await problemOf(department.bus.call(arenaContract.leaders, foreign))).code).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('has of the day what was graded on it', async () => {
    const today = async () =>
      (await department.bus.call(arenaContract.leaders, { window: 'day' })).items.length;
    expect(await today()).toBe(3);
    await department.database.query(`UPDATE arena_challenge SET graded_at = graded_at - interval '1 day'`);
    expect(await today()).toBe(0);
    expect((await department.bus.call(arenaContract.leaders, {})).items).toHaveLength(3);
  });
});

import { Injectable } from '@nestjs/common';
import {
  ARENA_RULESET_ID,
  gradeAnswer,
  instructionOf,
  limitMsOf,
  scoreOf,
  scoreRules,
  seedCommitment,
  timePpm,
} from '@svc/arena';
import { canonicalDigest, toHex } from '@svc/audit-proof';
import {
  type ArenaChallenge,
  type ArenaGrading,
  ArenaPayload,
  auditContract,
  TOOLS,
  type ToolReply,
} from '@svc/contracts';
import { readJsonText } from '@svc/edge';
import { BusClient, parseOrProblem, problem } from '@svc/platform';
import { z } from 'zod';
import { ArenaAwards } from './arena-awards.js';
import { ArenaCalls } from './arena-calls.js';
import { ArenaChallenges, type IssuedChallenge } from './arena-challenges.js';
import { ArenaRecord } from './arena-record.js';

const PPM = 1_000_000;
const FORMULA = '⌊50 × correctness + 30 × optimality + 20 × time⌋';
const DOES_NOT_PROVE =
  'Who or what found the answer, or with whose help: only that this answer to this problem, arriving then, has this score by these rules.';

type Answered = Extract<ArenaPayload, { challengeId: string }>;

/** One call of the tool, as it is worked on. */
export interface ArenaCall {
  readonly agentId?: string;
  readonly payload: ArenaPayload;
}

/** The tool `arena_challenge`: sets problems, grades answers. */
@Injectable()
export class ArenaService {
  constructor(
    private readonly calls: ArenaCalls,
    private readonly challenges: ArenaChallenges,
    private readonly record: ArenaRecord,
    private readonly awards: ArenaAwards,
    private readonly bus: BusClient,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED for inputs that are not the tool's, the payload's path named */
  read(input: unknown): ArenaCall {
    const { agentId, challengePayload } = parseOrProblem(TOOLS.arena_challenge.input, input);
    const payload = challengePayload === undefined ? {} : payloadOf(challengePayload);
    return { ...(agentId === undefined ? {} : { agentId }), payload };
  }

  /**
   * Refuses before any payment what could not be answered.
   * @throws ProblemError VALIDATION_FAILED, NOT_FOUND, CONFLICT, EXPIRED
   */
  async admit({ payload }: ArenaCall): Promise<void> {
    if (!('challengeId' in payload)) return;
    // Whose key pays is not known yet.
    await this.open(payload.challengeId, { idemKey: '', at: new Date() });
  }

  /** @throws what {@link admit} does; FORBIDDEN for the challenge of another account; what evidence does */
  async run(call: ArenaCall, idemKey: string, accountId: string | undefined): Promise<ToolReply> {
    const { begunAt } = await this.calls.begin(idemKey, call);
    const { payload } = call;
    if (!('challengeId' in payload)) return this.issue(payload, idemKey, accountId);
    const asked = { idemKey, at: begunAt, accountId };
    const challenge = await this.open(payload.challengeId, asked, accountId);
    return this.gradedReply(
      challenge.graded ? challenge : await this.grade(challenge, { ...call, payload }, asked),
    );
  }

  /** What a key came to, where it is done. */
  async replyOf(idemKey: string): Promise<ToolReply | undefined> {
    const graded = await this.challenges.gradedBy(idemKey);
    if (graded) return this.gradedReply(graded);
    const issued = await this.challenges.issuedBy(idemKey);
    return issued && issuedReply(issued);
  }

  private async issue(
    payload: Exclude<ArenaPayload, Answered>,
    idemKey: string,
    accountId: string | undefined,
  ): Promise<ToolReply> {
    const next = await this.record.next(accountId, payload);
    const issued = await this.calls.complete(idemKey, manager =>
      this.challenges.issue(manager, { idemKey, accountId, ...next }),
    );
    return issuedReply(issued);
  }

  /** A challenge that this call may answer, or has answered. */
  private async open(
    challengeId: string,
    { idemKey, at }: { idemKey: string; at: Date },
    accountId?: string,
  ): Promise<IssuedChallenge> {
    const challenge = await this.challenges.get(challengeId);
    if (!challenge) throw refused('NOT_FOUND', 'is not known');
    if (challenge.graded) {
      if (challenge.graded.by === idemKey) return challenge;
      throw answered();
    }
    if (idemKey !== '' && challenge.accountId !== undefined && challenge.accountId !== accountId) {
      throw refused('FORBIDDEN', 'was set to another account');
    }
    if (at >= challenge.expiresAt)
      throw refused('EXPIRED', `expired at ${challenge.expiresAt.toISOString()}`);
    return challenge;
  }

  private async grade(
    challenge: IssuedChallenge,
    { agentId, payload }: ArenaCall & { payload: Answered },
    { idemKey, at, accountId }: { idemKey: string; at: Date; accountId?: string },
  ): Promise<IssuedChallenge> {
    const elapsedMs = Math.max(0, at.getTime() - challenge.issuedAt.getTime());
    const { facts, rules } = gradingOf(challenge, payload.answer, { agentId, at, elapsedMs });
    const { auditProofs } = await this.bus.call(auditContract.attestAll, {
      answers: [
        {
          proves: 'rules',
          doesNotProve: DOES_NOT_PROVE,
          requestDigest: canonicalDigest({ ...payload }),
          resultDigest: canonicalDigest(facts),
          rulesetId: ARENA_RULESET_ID,
          rules,
        },
      ],
    });
    const grading: ArenaGrading = { ...facts, auditProof: auditProofs[0] };
    const award = this.awards.due(accountId, grading.cognitiveScore, grading.level);
    const graded = { by: idemKey, accountId, grading, award };
    const { challengeId } = challenge;
    const isMine = await this.calls.complete(idemKey, manager =>
      this.challenges.grade(manager, challengeId, graded),
    );
    // What stands may be of an earlier run under this key.
    const stands = isMine ? await this.challenges.get(challengeId) : undefined;
    if (stands?.graded?.by !== idemKey) throw answered();
    return stands;
  }

  private async gradedReply(challenge: IssuedChallenge): Promise<ToolReply> {
    const { grading } = challenge.graded!;
    const award = await this.awards.settle(challenge);
    return {
      output: {
        cognitiveScore: grading.cognitiveScore,
        starkProofHash: toHex(canonicalDigest(grading.auditProof)),
        satsAwarded: award.sats,
        grading,
        award,
      },
    };
  }
}

function issuedReply(issued: IssuedChallenge): ToolReply {
  const { challengeId, drawn, seed, issuedAt, expiresAt } = issued;
  const { family, level, problem: asked } = drawn;
  const challenge: ArenaChallenge = {
    ...{ challengeId, family, level, instruction: instructionOf(family) },
    problem: { ...asked },
    seedCommitment: toHex(seedCommitment(family, level, seed)),
    issuedAt: issuedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    limitMs: limitMsOf(level),
  };
  return { output: { cognitiveScore: 0, starkProofHash: '', satsAwarded: 0, challenge } };
}

/** The grading without its evidence, and the rules that made it. */
function gradingOf(
  { challengeId, drawn, seed }: IssuedChallenge,
  answer: Answered['answer'],
  { agentId, at, elapsedMs }: { agentId?: string; at: Date; elapsedMs: number },
) {
  const { family, level, problem: asked, optimum } = drawn;
  const limitMs = limitMsOf(level);
  const { isValid, reason, achieved, correctness, optimalityPpm } = gradeAnswer(drawn, answer);
  const parts = {
    ...{ correctness, optimalityPpm },
    timePpm: correctness === 1 ? timePpm(elapsedMs, limitMs) : 0,
  };
  const score = scoreOf(parts);
  const facts: Omit<ArenaGrading, 'auditProof'> = {
    ...{ challengeId, ...(agentId === undefined ? {} : { agentId }), family, level },
    ...{ cognitiveScore: score, valid: isValid, reason, achieved, optimum, correctness },
    ...{ optimality: optimalityPpm / PPM, time: parts.timePpm / PPM, formula: FORMULA, elapsedMs, limitMs },
    answerDigest: toHex(canonicalDigest(answer)),
    problemDigest: toHex(canonicalDigest(asked)),
    seed: toHex(seed),
    seedCommitment: toHex(seedCommitment(family, level, seed)),
    rulesetId: ARENA_RULESET_ID,
    gradedAt: at.toISOString(),
  };
  return { facts, rules: scoreRules({ ...parts, isValid, score, elapsedMs, limitMs }) };
}

function payloadOf(text: string): ArenaPayload {
  const reading = readJsonText(text);
  if (!('value' in reading)) {
    const { path, ...error } = reading.error;
    throw problem('VALIDATION_FAILED', `challengePayload: ${error.message}`, {
      errors: [{ path: path === '' ? 'challengePayload' : `challengePayload.${path}`, ...error }],
    });
  }
  const json = reading.value;
  // Whoever names a challenge means to answer it: its faults are those of an answer.
  const [answer, asked] = ArenaPayload.options;
  const isAnswer = typeof json === 'object' && json !== null && ('challengeId' in json || 'answer' in json);
  const member = z.object({ challengePayload: isAnswer ? answer : asked });
  return parseOrProblem(member, { challengePayload: json }).challengePayload;
}

const refused = (code: 'NOT_FOUND' | 'FORBIDDEN' | 'EXPIRED', message: string) =>
  problem(code, `The challenge ${message}`, { errors: [{ path: 'challengePayload.challengeId', message }] });

const answered = () =>
  problem('CONFLICT', 'The challenge was answered before: each takes one answer', {
    errors: [{ path: 'challengePayload.challengeId', message: 'was answered before' }],
    extensions: { state: 'answered' },
  });

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type ArenaAward, arenaContract } from '@svc/contracts';
import { BusClient, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { ArenaChallenges, type IssuedChallenge } from './arena-challenges.js';

/** A score from which it earns something. */
const EARNING_SCORE = 50;
/** Between two looks for awards that payments could not be asked for. */
const SWEEP_MS = 15_000;
/** Whoever graded it asks first. */
const SWEPT_AFTER_MS = 10_000;
const SWEPT_MAX = 50;

/** What a score earns, before the budget and the account's cap: level × score ÷ 100 satoshis, rounded down. */
export const earnedSats = (score: number, level: number): number =>
  score < EARNING_SCORE ? 0 : Math.floor((level * score) / 100);

/**
 * Credit for gradings. The grading says that it is due; payments awards it once for each challenge, however often it is
 * asked, so that a crash between the two costs nobody anything: what was not asked for is asked for later.
 */
@Injectable()
export class ArenaAwards implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: BusClient,
    private readonly challenges: ArenaChallenges,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** What a grading is due before anybody was asked. */
  due(accountId: string | undefined, score: number, level: number): ArenaAward {
    const earned = earnedSats(score, level);
    if (earned === 0) return { sats: 0, earnedSats: 0, reason: 'SCORE' };
    const reason = accountId === undefined ? 'NO_PAID_ACCOUNT' : 'PENDING';
    return { sats: 0, earnedSats: earned, reason };
  }

  /** Has a grading's award made, where one is due. Never rejects: what cannot be made now is made later. */
  async settle({ challengeId, graded }: IssuedChallenge): Promise<ArenaAward> {
    const { accountId, award } = graded!;
    if (award.reason !== 'PENDING' || accountId === undefined) return award;
    try {
      const made = await this.bus.call(arenaContract.awardCredit, {
        ...{ challengeId, accountId, amountSats: award.earnedSats },
      });
      await this.challenges.awarded(challengeId, made);
      return { ...award, ...made };
    } catch (error) {
      this.environment.logger.warn(
        { challengeId, reason: (error as Error).message },
        'The award of a grading was not made yet',
      );
      return award;
    }
  }

  /** Makes the awards that are still due; returns how many it asked for. */
  async sweep(olderThanMs = SWEPT_AFTER_MS): Promise<number> {
    try {
      const pending = await this.challenges.pendingAwards(olderThanMs, SWEPT_MAX);
      for (const challenge of pending) await this.settle(challenge);
      return pending.length;
    } catch (error) {
      this.environment.logger.warn(
        { reason: (error as Error).message },
        'Awards that are due were not found',
      );
      return 0;
    }
  }
}

import { Controller, Module } from '@nestjs/common';
import { arenaContract, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';

type Asked = ParsedRequestOf<typeof arenaContract.awardCredit>;
type Award = ReplyOf<typeof arenaContract.awardCredit>;

/** What is awarded, and what was asked for. */
export class AwardScript {
  readonly asked: Asked[] = [];
  /** By challenge: of each, the first award stands. */
  readonly awards = new Map<string, Award>();
  /** Runs before each award: waits, or throws. */
  before: () => Promise<void> = async () => undefined;
  /** Runs after it is booked, before it is answered. */
  after: () => Promise<void> = async () => undefined;
  decide: (asked: Asked) => Award = ({ amountSats }) => ({ sats: amountSats, reason: 'AWARDED' });
}

/** The payments service's end of `award-credit`. */
export function awardStandIn(script: AwardScript) {
  @Controller()
  class Awards {
    @Handle(arenaContract.awardCredit)
    async awardCredit(asked: Asked): Promise<Award> {
      script.asked.push(asked);
      await script.before();
      const award = script.awards.get(asked.challengeId) ?? script.decide(asked);
      script.awards.set(asked.challengeId, award);
      await script.after();
      return award;
    }
  }
  @Module({ controllers: [Awards] })
  class AwardStandInModule {}
  return AwardStandInModule;
}

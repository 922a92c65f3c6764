import { Controller } from '@nestjs/common';
import {
  acousticContract,
  type AcousticChallengeReply,
  type PairingReply,
  type ParsedRequestOf,
  type ReplyOf,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ChallengeService } from './challenge.service.js';
import { PairingKeys } from './pairing-keys.js';
import { PairingService } from './pairing.service.js';

const { admitChallenge, challenge, admitPairing, verifyPairing, pairingKeys } = acousticContract;

@Controller()
export class PairingNatsController {
  constructor(
    private readonly challenges: ChallengeService,
    private readonly pairings: PairingService,
    private readonly keys: PairingKeys,
  ) {}

  @Handle(admitChallenge)
  async admitChallenge(request: ParsedRequestOf<typeof admitChallenge>): Promise<Record<string, never>> {
    await this.challenges.admit(request);
    return {};
  }

  @Handle(challenge)
  challenge(request: ParsedRequestOf<typeof challenge>): Promise<AcousticChallengeReply> {
    return this.challenges.issue(request);
  }

  @Handle(admitPairing)
  async admitPairing(call: ParsedRequestOf<typeof admitPairing>): Promise<Record<string, never>> {
    await this.pairings.admit(call);
    return {};
  }

  @Handle(verifyPairing)
  verifyPairing(call: ParsedRequestOf<typeof verifyPairing>): Promise<PairingReply> {
    return this.pairings.verify(call);
  }

  @Handle(pairingKeys)
  pairingKeys(): ReplyOf<typeof pairingKeys> {
    return { keys: this.keys.published() };
  }
}

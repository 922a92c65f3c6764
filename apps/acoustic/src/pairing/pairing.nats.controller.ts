import { Controller } from '@nestjs/common';
import {
  acousticContract,
  type AcousticChallengeReply,
  type AdmittedWork,
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
  admitChallenge(request: ParsedRequestOf<typeof admitChallenge>): Promise<AdmittedWork> {
    return this.challenges.admit(request);
  }

  @Handle(challenge)
  challenge(request: ParsedRequestOf<typeof challenge>): Promise<AcousticChallengeReply> {
    return this.challenges.issue(request);
  }

  @Handle(admitPairing)
  admitPairing(call: ParsedRequestOf<typeof admitPairing>): Promise<AdmittedWork> {
    return this.pairings.admit(call);
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

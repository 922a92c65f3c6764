import { Controller, Inject } from '@nestjs/common';
import {
  type ChallengeReply,
  type ClaimReply,
  type ParsedRequestOf,
  paymentsContract,
  type ReplyOf,
  type SaleReply,
  type StoredResponse,
} from '@svc/contracts';
import { DatabasePulse, Handle, problem } from '@svc/platform';
import { ChallengeService } from './challenge/challenge.service.js';
import type { Released } from './claim/claim-releases.js';
import { ClaimService } from './claim/claim.service.js';
import { LIGHTNING_BACKEND, type LightningBackend } from './lightning/lightning-backend.js';
import { SandboxLightning } from './lightning/sandbox-lightning.js';
import { type Rail, RAILS } from './rail/rail.js';

@Controller()
export class PaymentsNatsController {
  constructor(
    private readonly challenges: ChallengeService,
    private readonly claims: ClaimService,
    @Inject(RAILS) private readonly everyRail: readonly Rail[],
    @Inject(LIGHTNING_BACKEND) private readonly lightning: LightningBackend,
    private readonly database: DatabasePulse,
  ) {}

  @Handle(paymentsContract.challenge)
  challenge(request: ParsedRequestOf<typeof paymentsContract.challenge>): Promise<ChallengeReply> {
    return this.challenges.challenge(request);
  }

  @Handle(paymentsContract.claim)
  claim(request: ParsedRequestOf<typeof paymentsContract.claim>): Promise<ClaimReply> {
    return this.claims.claim(request);
  }

  @Handle(paymentsContract.sell)
  sell(request: ParsedRequestOf<typeof paymentsContract.sell>): Promise<SaleReply> {
    return this.claims.sell(request);
  }

  @Handle(paymentsContract.boughtAnswer)
  boughtAnswer(request: ParsedRequestOf<typeof paymentsContract.boughtAnswer>): Promise<StoredResponse> {
    return this.claims.boughtAnswer(request);
  }

  @Handle(paymentsContract.deliver)
  deliver(
    request: ParsedRequestOf<typeof paymentsContract.deliver>,
  ): Promise<ReplyOf<typeof paymentsContract.deliver>> {
    return this.claims.deliver(request);
  }

  @Handle(paymentsContract.delivery)
  delivery(
    claim: ParsedRequestOf<typeof paymentsContract.delivery>,
  ): Promise<ReplyOf<typeof paymentsContract.delivery>> {
    return this.claims.delivery(claim);
  }

  @Handle(paymentsContract.release)
  release(request: ParsedRequestOf<typeof paymentsContract.release>): Promise<Released> {
    return this.claims.release(request);
  }

  @Handle(paymentsContract.renew)
  renew(request: ParsedRequestOf<typeof paymentsContract.renew>): Promise<{ renewed: boolean }> {
    return this.claims.renew(request);
  }

  @Handle(paymentsContract.heartbeat)
  heartbeat(request: ParsedRequestOf<typeof paymentsContract.heartbeat>): Promise<{ held: string[] }> {
    return this.claims.heartbeat(request);
  }

  @Handle(paymentsContract.rails)
  async rails(): Promise<{ rails: string[]; sandbox: boolean }> {
    const ready = this.database.state === 'ok' ? this.everyRail.filter(rail => rail.isReady()) : [];
    return {
      rails: ready.flatMap(({ names }) => names),
      sandbox: this.everyRail.some(({ sandbox }) => sandbox),
    };
  }

  @Handle(paymentsContract.sandboxPay)
  sandboxPay({ invoice }: ParsedRequestOf<typeof paymentsContract.sandboxPay>) {
    if (this.lightning instanceof SandboxLightning) return this.lightning.pay(invoice);
    throw problem('FORBIDDEN', 'This deployment has a real Lightning node; pay the invoice with a wallet');
  }
}

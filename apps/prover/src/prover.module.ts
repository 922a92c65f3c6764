import { Module } from '@nestjs/common';
import { engineProviders } from './engine.js';
import { ProofRetention } from './proofs/proof-retention.js';
import { ProofStore } from './proofs/proof-store.js';
import { ProofsNatsController } from './proofs/proofs.nats.controller.js';
import { ProveNatsController } from './prove/prove.nats.controller.js';
import { ProveService } from './prove/prove.service.js';
import { SelfCheck } from './self-check.js';
import { VerifyNatsController } from './verify/verify.nats.controller.js';
import { VerifyService } from './verify/verify.service.js';

@Module({
  controllers: [ProveNatsController, VerifyNatsController, ProofsNatsController],
  providers: [...engineProviders, ProveService, VerifyService, ProofStore, ProofRetention, SelfCheck],
})
export class ProverModule {}

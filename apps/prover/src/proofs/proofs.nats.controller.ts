import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, proverContract, type ReplyOf, type StoredProof } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ProofStore } from './proof-store.js';

@Controller()
export class ProofsNatsController {
  constructor(private readonly store: ProofStore) {}

  @Handle(proverContract.fetchProof)
  fetchProof({ proofId }: ParsedRequestOf<typeof proverContract.fetchProof>): Promise<StoredProof> {
    return this.store.fetch(proofId);
  }

  @Handle(proverContract.proofDigest)
  proofDigest({
    proofId,
  }: ParsedRequestOf<typeof proverContract.proofDigest>): Promise<
    ReplyOf<typeof proverContract.proofDigest>
  > {
    return this.store.digest(proofId);
  }
}

import { Controller, Module } from '@nestjs/common';
import { type ParsedRequestOf, paymentsContract, type ProofJobClaim, type ReplyOf } from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { randomUUID } from 'node:crypto';

type Deliver = ParsedRequestOf<typeof paymentsContract.deliver>;
type Release = ParsedRequestOf<typeof paymentsContract.release>;

/** A claim as the payments service books it: what is delivered is never released, and the other way round. */
export interface BookedClaim {
  state: 'held' | 'delivered' | 'released';
  /** Times that the payment moved: one at the most, whatever is asked. */
  moves: number;
  renewals: number;
  answer?: Record<string, unknown>;
  givenUp?: boolean;
}

/** The payments that jobs hold. */
export class PaymentsOfJobs {
  readonly claims = new Map<string, BookedClaim>();

  claim(): ProofJobClaim {
    const claimId = randomUUID();
    this.claims.set(claimId, { state: 'held', moves: 0, renewals: 0 });
    return { claimId, attempt: 1, receipt: 'receipt-of-the-tests', canBeGivenUp: true };
  }

  of({ claimId }: Pick<ProofJobClaim, 'claimId'>): BookedClaim {
    return this.claims.get(claimId)!;
  }
}

/** The payments service's end of what jobs ask of it. */
export function paymentsServiceOf(payments: PaymentsOfJobs) {
  @Controller()
  class Settlements {
    @Handle(paymentsContract.deliver)
    deliver({ claimId, response }: Deliver): ReplyOf<typeof paymentsContract.deliver> {
      const claim = payments.of({ claimId });
      if (claim.state === 'released') throw problem('CONFLICT', 'The payment was given back');
      if (claim.state === 'held') {
        const answer = JSON.parse(Buffer.from(response.body).toString()) as Record<string, unknown>;
        Object.assign(claim, { state: 'delivered', answer, moves: claim.moves + 1 });
      }
      return { deliveredAt: new Date().toISOString() };
    }

    @Handle(paymentsContract.release)
    release({ claimId, givenUp }: Release): ReplyOf<typeof paymentsContract.release> {
      const claim = payments.of({ claimId });
      if (claim.state === 'held')
        Object.assign(claim, { state: 'released', givenUp, moves: claim.moves + 1 });
      return { released: claim.state === 'released' };
    }

    @Handle(paymentsContract.renew)
    renew({ claimId }: ParsedRequestOf<typeof paymentsContract.renew>) {
      const claim = payments.of({ claimId });
      if (claim.state === 'held') claim.renewals++;
      return { renewed: claim.state === 'held' };
    }
  }

  @Module({ controllers: [Settlements] })
  class PaymentsOfJobsModule {}
  return PaymentsOfJobsModule;
}

import { Inject, Injectable } from '@nestjs/common';
import { ProofOrder } from '@svc/contracts';
import { KeyedDigests, SealedJson, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { z } from 'zod';
import { signingSecretsOf } from '../audit/signing-keys.js';
import { JobStore } from './job-store.js';

const PURPOSE = 'svc/proof-job-order/v1';
const CALLER_PURPOSE = 'svc/proof-job-caller/v1';

const KeptOrder = z.object({
  order: ProofOrder,
  opening: z.record(z.string(), z.string()).optional(),
});

/** What a job was asked to prove, and what will open the commitment of its answer. */
export type KeptOrder = z.output<typeof KeptOrder>;

/** What jobs were asked rests sealed in their rows, since it may be private; each opens in its own row alone. */
@Injectable()
export class JobOrders {
  private readonly seals: SealedJson;
  private readonly callers: KeyedDigests;

  constructor(
    private readonly store: JobStore,
    @Inject(SERVICE_ENVIRONMENT) { secrets }: Pick<ServiceEnvironment, 'secrets'>,
  ) {
    const live = signingSecretsOf({ secrets });
    this.seals = new SealedJson(live, PURPOSE);
    this.callers = new KeyedDigests({ live }, CALLER_PURPOSE);
  }

  /** Whose job it is, as its row names the caller. */
  callerOf(subject: string): string {
    return this.callers.callerOf(subject);
  }

  seal(jobId: string, kept: KeptOrder): Buffer {
    return this.seals.seal(kept, jobId);
  }

  /**
   * What a job was asked, as long as its payment is not settled; undefined afterwards.
   * @throws SealError where its secret has been taken out of the configuration
   */
  async of(jobId: string): Promise<KeptOrder | undefined> {
    const sealed = await this.store.sealedOrderOf(jobId);
    return sealed && KeptOrder.parse(this.seals.open(sealed, jobId));
  }
}

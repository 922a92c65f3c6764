import { Injectable } from '@nestjs/common';
import { proverContract } from '@svc/contracts';
import { BusClient, newId, ProblemError } from '@svc/platform';
import { z } from 'zod';
import type { Engine } from './capability.js';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

type ProofEngine = Extract<Engine, { kind: 'proof' }>;

/** What all proofs answer; the contract of each has the rest. */
const Reply = z.looseObject({
  proof: z.instanceof(Uint8Array),
  opening: z.record(z.string(), z.string()).optional(),
});

/** Has proofs made as their own routes do. */
@Injectable()
export class ProofDesk {
  constructor(private readonly bus: BusClient) {}

  async admit({ admit }: ProofEngine, input: Record<string, unknown>): Promise<void> {
    await this.bus.call(admit, input);
  }

  async run({ prove }: ProofEngine, call: CapabilityCall): Promise<CapabilityAnswer> {
    const { input: request, receipt, signal } = call;
    const callId = newId('pcl');
    try {
      const reply = await this.bus.call(prove, { request, callId, receipt }, { signal });
      const { proof, opening, ...result } = Reply.parse(reply);
      const answer = { ...result, proof: Buffer.from(proof).toString('base64') };
      return { result: answer, charged: true, ...(opening && { opening }) };
    } catch (error) {
      // Nobody would get it: a proof that cannot be cancelled now is made for nobody.
      const isTimeout = error instanceof ProblemError && error.code === 'TIMEOUT';
      if (signal.aborted || isTimeout)
        void this.bus.call(proverContract.cancelProof, { callId }).catch(() => undefined);
      throw error;
    }
  }
}

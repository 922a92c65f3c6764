import { Injectable } from '@nestjs/common';
import { SNN_DOES_NOT_PROVE, snnContract, type SnnRequest } from '@svc/contracts';
import { type AnswerStatement, attested, PackedBody } from '@svc/edge';
import { BusClient, problem, ProblemError } from '@svc/platform';
import { createHash } from 'node:crypto';
import { followProgress } from './call-progress.js';
import type { Computation } from './capability.js';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

type Input = Record<string, unknown>;

/** A run that was lost so often is not asked for again: it may be what kills its process. */
const LOSSES_MAX = 3;

/** A graph or a model as the service takes it: its text, deflated. */
export const packedOf = async (input: Input): Promise<Uint8Array> =>
  (await PackedBody.of(Buffer.from(JSON.stringify(input), 'utf8'))).deflated;

/** Has networks simulated, graphs solved and states inferred, as their own routes do. */
@Injectable()
export class ComputeDesk {
  constructor(private readonly bus: BusClient) {}

  async admit(work: Computation, input: Input): Promise<void> {
    const mode = 'task';
    switch (work) {
      case 'simulation':
        refuseDryRun(input);
        return void (await this.bus.call(snnContract.admitSolve, { request: input as SnnRequest, mode }));
      case 'graph':
        return void (await this.bus.call(snnContract.admitGraph, { graph: await packedOf(input), mode }));
      case 'inference':
        return void (await this.bus.call(snnContract.admitInference, {
          model: await packedOf(input),
        }));
    }
  }

  async run(work: Computation, call: CapabilityCall): Promise<CapabilityAnswer> {
    const { taskId, fence, isFree, signal, onStage } = call;
    // A worker that died may have left its run behind: nobody wants it, and this one would wait for it.
    if (fence > 1) await this.takeBack(taskId, fence - 1);
    for (let losses = 0; ; losses++) {
      const computed = await this.computeHeard(work, call, losses);
      if (computed === undefined) continue;
      const { answer, ...said } = computed;
      onStage('attest');
      return { result: await attested(this.bus, answer, { ...said, isFree }, signal), charged: true };
    }
  }

  /**
   * What is computed, as long as anything is heard of it: the process that does it may die without a word, and the answer would be
   * waited for as long as the longest run takes.
   * @param losses how often that has happened; after {@link LOSSES_MAX} the end of the call is waited for
   * @returns undefined where it was lost
   */
  private async computeHeard(
    work: Computation,
    call: CapabilityCall,
    losses: number,
  ): Promise<Answered | undefined> {
    const { taskId, fence, signal, onStage } = call;
    const callId = callIdOf(taskId, fence, losses);
    const lost = new AbortController();
    const following = followProgress(
      (question, ended) =>
        this.bus.call(snnContract.callProgress, { ...question, callId }, { signal: ended }),
      { onStage, ...(losses < LOSSES_MAX && { onSilence: () => lost.abort() }) },
    );
    try {
      const heard = { ...call, signal: AbortSignal.any([signal, lost.signal]) };
      return await this.compute(work, heard, callId);
    } catch (error) {
      const isLost = lost.signal.aborted && !signal.aborted;
      const isTimeout = error instanceof ProblemError && error.code === 'TIMEOUT';
      if (signal.aborted || isTimeout || isLost) void this.end(callId);
      if (isLost) return undefined;
      throw error;
    } finally {
      following.abort();
    }
  }

  /** Ends a run of a task that goes on without anybody who waits for it. */
  async takeBack(taskId: string, fence: number): Promise<void> {
    await this.end(callIdOf(taskId, fence, 0));
  }

  private async end(callId: string): Promise<void> {
    await this.bus
      .call(snnContract.cancelCall, { callId })
      // It ends by itself; and where the service is away, it is not there.
      .catch(() => undefined);
  }

  /** What the capability's own route answers. */
  private async compute(work: Computation, call: CapabilityCall, callId: string): Promise<Answered> {
    const { input, packed, signal } = call;
    const mode = 'task';
    switch (work) {
      case 'simulation': {
        refuseDryRun(input);
        const request = input as SnnRequest;
        const answer = await this.bus.call(snnContract.solve, { request, callId, mode }, { signal });
        return { answer, request, doesNotProve: SNN_DOES_NOT_PROVE.solve };
      }
      case 'graph': {
        const asked = { graph: packed ?? (await packedOf(input)), callId, mode } as const;
        const { requestDigest, ...answer } = await this.bus.call(snnContract.solveGraph, asked, { signal });
        return { answer, request: { digest: requestDigest }, doesNotProve: SNN_DOES_NOT_PROVE.solveGraph };
      }
      case 'inference': {
        const asked = { model: packed ?? (await packedOf(input)), callId };
        const { requestDigest, ...answer } = await this.bus.call(snnContract.infer, asked, { signal });
        const request = { digest: requestDigest };
        return { answer, request, doesNotProve: SNN_DOES_NOT_PROVE.activeInference };
      }
    }
  }
}

/** What was computed, and what its evidence says. */
interface Answered extends Omit<AnswerStatement, 'proves'> {
  readonly answer: Record<string, unknown>;
}

/** Names one run of a task, and each time that it was lost in it: what is known of it by whoever comes after its worker. */
function callIdOf(taskId: string, fence: number, losses: number): string {
  const again = losses === 0 ? '' : `\0${losses}`;
  const digest = createHash('sha256').update(`snn-call\0${taskId}\0${fence}${again}`).digest();
  return `snc_${digest.subarray(0, 16).toString('base64url')}`;
}

/** @throws ProblemError UNPROCESSABLE: an estimate is no task, and costs nothing */
function refuseDryRun({ dryRun }: Input): void {
  if (dryRun !== true) return;
  const errors = [{ path: 'dryRun', message: 'is for the route alone, which answers at once', got: true }];
  throw problem('UNPROCESSABLE', 'dryRun: POST /v1/snn/solve answers an estimate at once, for nothing', {
    errors,
  });
}

import { Injectable } from '@nestjs/common';
import {
  type ActiveInferenceResult,
  type GraphReply,
  type InferenceReply,
  type Procedure,
  type ReplyOf,
  type RequestOf,
  type SimulationReply,
  SNN_DOES_NOT_PROVE,
  SNN_SYNC_MS_MAX,
  snnContract,
  type SnnEstimate,
  type SnnRequest,
  type SnnResult,
  type SolveGraphResult,
} from '@svc/contracts';
import { attested, isFreeCall, type MeteredCall, type PackedBody } from '@svc/edge';
import { BusClient, newId, ProblemError, WorkLane } from '@svc/platform';

/** Waited for an answer that was admitted: what the service allows a run, its wait, and what admission did not foresee. */
const ANSWER_TIMEOUT_MS = SNN_SYNC_MS_MAX + 20_000;

/** From here on an answer is large: of a hundred kilobytes or so. */
const LARGE_INFERENCE_UNITS = 10;

/** Asks the service of spiking networks and inference, on an open connection, and adds the evidence of its answers. */
@Injectable()
export class SnnCalls {
  /**
   * Reading an answer of a megabyte and taking its digest keeps the event loop for 60 ms, in pieces of up to 30. With many of them at
   * once everybody else would wait seconds: so there is one at a time, and callers take turns.
   */
  private readonly largeInferences = new WorkLane({
    name: 'inferences with large answers',
    waitingMax: 64,
    waitMsMax: 60_000,
    unitMsFirst: 1,
  });

  constructor(private readonly bus: BusClient) {}

  /** What a run would take; a long one too. @throws ProblemError of `snnContract.admitSolve` */
  async estimate(request: SnnRequest): Promise<SnnEstimate> {
    const { waitMs: _now, ...estimate } = await this.bus.call(snnContract.admitSolve, {
      request,
      mode: 'task',
    });
    return { dryRun: true, ...estimate };
  }

  async solve(request: SnnRequest, call: MeteredCall): Promise<SnnResult> {
    const reply: SimulationReply = await this.ask(snnContract.solve, call, callId => ({ request, callId }));
    const doesNotProve = SNN_DOES_NOT_PROVE.solve;
    return attested(this.bus, reply, { request, doesNotProve, isFree: isFreeCall(call) }, endOf(call));
  }

  /** The service has read the graph, and says by its digest what it has read. */
  async solveGraph({ deflated: graph }: PackedBody, call: MeteredCall): Promise<SolveGraphResult> {
    const reply: GraphReply = await this.ask(snnContract.solveGraph, call, callId => ({ graph, callId }));
    const { requestDigest: digest, ...answer } = reply;
    const doesNotProve = SNN_DOES_NOT_PROVE.solveGraph;
    return attested(
      this.bus,
      answer,
      { request: { digest }, doesNotProve, isFree: isFreeCall(call) },
      endOf(call),
    );
  }

  /**
   * As {@link solveGraph}: the digest is of the request with its defaults. Large answers come one after the other.
   * @param units that it is expected to take; taken for large where it is not said
   */
  async infer(
    { deflated: model }: PackedBody,
    call: MeteredCall,
    units = LARGE_INFERENCE_UNITS,
  ): Promise<ActiveInferenceResult> {
    const signal = endOf(call);
    const answerOf = async () => {
      const reply: InferenceReply = await this.ask(snnContract.infer, call, callId => ({ model, callId }));
      const { requestDigest: digest, ...answer } = reply;
      const doesNotProve = SNN_DOES_NOT_PROVE.activeInference;
      const statement = { request: { digest }, doesNotProve, isFree: isFreeCall(call) };
      // Its digest is taken here; the next one is asked for while its evidence is made.
      return { withEvidence: attested(this.bus, answer, statement, signal) };
    };
    const isLarge = units >= LARGE_INFERENCE_UNITS;
    const { withEvidence } = await (isLarge
      ? this.largeInferences.run(units, answerOf, { signal })
      : answerOf());
    return withEvidence;
  }

  /** Waits for an answer; where nobody waits any more, the work is ended at whichever replica does it. */
  private async ask<P extends Procedure>(
    procedure: P,
    call: MeteredCall,
    payload: (callId: string) => RequestOf<P>,
  ): Promise<ReplyOf<P>> {
    const callId = newId('snc');
    const timeoutMs = Math.min(procedure.timeoutMs, ANSWER_TIMEOUT_MS);
    const signal = endOf(call);
    try {
      return await this.bus.call(procedure, payload(callId), { timeoutMs, ...(signal && { signal }) });
    } catch (error) {
      const isLate = error instanceof ProblemError && error.code === 'TIMEOUT';
      if (signal?.aborted || isLate) {
        void this.bus.call(snnContract.cancelCall, { callId }).catch(() => undefined);
      }
      throw error;
    }
  }
}

/** What ends a call before its answer: the client, unless its payment buys the answer whatever becomes of it. */
function endOf({ payment, signal }: MeteredCall): AbortSignal | undefined {
  const isBinding = payment !== undefined && 'claim' in payment && !payment.claim.canBeGivenUp;
  return isBinding ? undefined : signal;
}

import { Body, Controller, Headers } from '@nestjs/common';
import {
  type Procedure,
  proofJobContract,
  type ProofOrder,
  proverContract,
  ProveRequest,
  type ProveResult,
  starkProveContract,
  StarkProveM31Request,
  type StarkProveReply,
  StarkProveRequest,
  type StarkProveResult,
  starkRoutes,
} from '@svc/contracts';
import {
  type Admission,
  admitBy,
  type AnswerOfPayment,
  type DeferredAnswer,
  Endpoint,
  jobOfClaim,
  Paid,
  type PaidCall,
  PaidCallOf,
  prefersAsync,
} from '@svc/edge';
import { ProofCallService } from './proof-call.service.js';

/** A proof that is asked for as a job waits in the queue of jobs, any other in that of the prover that is asked. */
const admission =
  (operationId: ProofOrder['operationId'], atOnce: Procedure): Admission =>
  (bus, body, request) =>
    prefersAsync(request.headers.prefer as string | undefined)
      ? bus.call(proofJobContract.admitJob, { order: { operationId, request: body } as ProofOrder })
      : admitBy(atOnce)(bus, body, request);

/** Bodies are validated by the payment guard, which has to see them before any money. */
@Controller()
export class ProveHttpController {
  constructor(private readonly proofs: ProofCallService) {}

  @Endpoint(starkRoutes.prove)
  @Paid({
    operationId: starkRoutes.prove.operationId,
    body: ProveRequest,
    admit: admission(starkRoutes.prove.operationId, proverContract.admit),
    workOfClaim: jobOfClaim,
    mayBeUncharged: true,
  })
  async prove(
    @Body() request: ProveRequest,
    @Headers('prefer') prefer: string | undefined,
    @PaidCallOf() paid: PaidCall,
  ): Promise<ProveResult | DeferredAnswer | AnswerOfPayment> {
    return this.proofs.answer({ operationId: 'zk.prove', request }, prefer, paid, async () => {
      const procedure = proverContract.prove;
      const reply = await this.proofs.prove(procedure, paid, ({ callId }) => ({ request, callId }));
      return { ...reply, proof: base64(reply.proof) };
    });
  }

  @Endpoint(starkRoutes.proveGoldilocks)
  @Paid({
    operationId: starkRoutes.proveGoldilocks.operationId,
    body: StarkProveRequest,
    admit: admission(starkRoutes.proveGoldilocks.operationId, starkProveContract.admitGoldilocks),
    workOfClaim: jobOfClaim,
    mayBeUncharged: true,
  })
  async proveGoldilocks(
    @Body() request: StarkProveRequest,
    @Headers('prefer') prefer: string | undefined,
    @PaidCallOf() paid: PaidCall,
  ): Promise<StarkProveResult | DeferredAnswer | AnswerOfPayment> {
    const operationId = starkRoutes.proveGoldilocks.operationId;
    return this.proofs.answer({ operationId, request }, prefer, paid, async () => {
      const procedure = starkProveContract.proveGoldilocks;
      return resultOf(await this.proofs.prove(procedure, paid, call => ({ request, ...call })));
    });
  }

  @Endpoint(starkRoutes.proveM31)
  @Paid({
    operationId: starkRoutes.proveM31.operationId,
    body: StarkProveM31Request,
    admit: admission(starkRoutes.proveM31.operationId, starkProveContract.admitM31),
    workOfClaim: jobOfClaim,
    mayBeUncharged: true,
  })
  async proveM31(
    @Body() request: StarkProveM31Request,
    @Headers('prefer') prefer: string | undefined,
    @PaidCallOf() paid: PaidCall,
  ): Promise<StarkProveResult | DeferredAnswer | AnswerOfPayment> {
    const operationId = starkRoutes.proveM31.operationId;
    return this.proofs.answer({ operationId, request }, prefer, paid, async () => {
      const procedure = starkProveContract.proveM31;
      return resultOf(await this.proofs.prove(procedure, paid, call => ({ request, ...call })));
    });
  }
}

const resultOf = (reply: StarkProveReply): StarkProveResult => ({ ...reply, proof: base64(reply.proof) });
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

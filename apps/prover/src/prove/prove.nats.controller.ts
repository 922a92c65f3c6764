import { Controller } from '@nestjs/common';
import {
  type Admission,
  type AirCheckRequest,
  type AirCheckResult,
  type ParsedRequestOf,
  proverContract,
  type ProveReply,
  type ProveRequest,
  starkProveContract,
  type SpatialProveReply,
  type SpatialProveRequest,
  type StarkProveM31Request,
  type StarkProveReply,
  type StarkProveRequest,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ProofCalls } from './proof-calls.js';
import { ProveService } from './prove.service.js';
import { StarkProveService } from './stark-prove.service.js';

@Controller()
export class ProveNatsController {
  constructor(
    private readonly service: ProveService,
    private readonly statements: StarkProveService,
    private readonly calls: ProofCalls,
  ) {}

  @Handle(proverContract.admit)
  admit(request: ProveRequest): Admission {
    return this.service.admit(request);
  }

  @Handle(proverContract.prove)
  prove({ request, callId }: ParsedRequestOf<typeof proverContract.prove>): Promise<ProveReply> {
    return this.calls.run(callId, signal => this.service.prove(request, { signal }));
  }

  @Handle(proverContract.cancelProof)
  async cancelProof({ callId }: ParsedRequestOf<typeof proverContract.cancelProof>) {
    return { cancelled: await this.calls.cancel(callId) };
  }

  @Handle(starkProveContract.admitGoldilocks)
  admitGoldilocks(request: StarkProveRequest): Promise<Admission> {
    return this.statements.admit(request);
  }

  @Handle(starkProveContract.admitM31)
  admitM31(request: StarkProveM31Request): Promise<Admission> {
    return this.statements.admit(request);
  }

  @Handle(starkProveContract.checkAir)
  checkAir(request: AirCheckRequest): Promise<AirCheckResult> {
    return this.statements.checkAir(request);
  }

  @Handle(starkProveContract.admitSpatial)
  admitSpatial(request: SpatialProveRequest): Admission {
    return this.statements.admitSpatial(request);
  }

  @Handle(starkProveContract.proveGoldilocks)
  proveGoldilocks({
    request,
    callId,
    receipt,
  }: ParsedRequestOf<typeof starkProveContract.proveGoldilocks>): Promise<StarkProveReply> {
    return this.calls.run(callId, signal => this.statements.prove(request, { signal, receipt }));
  }

  @Handle(starkProveContract.proveM31)
  proveM31({
    request,
    callId,
    receipt,
  }: ParsedRequestOf<typeof starkProveContract.proveM31>): Promise<StarkProveReply> {
    return this.calls.run(callId, signal => this.statements.prove(request, { signal, receipt }));
  }

  @Handle(starkProveContract.proveSpatial)
  proveSpatial({
    request,
    callId,
    receipt,
  }: ParsedRequestOf<typeof starkProveContract.proveSpatial>): Promise<SpatialProveReply> {
    return this.calls.run(callId, signal => this.statements.proveSpatial(request, { signal, receipt }));
  }
}

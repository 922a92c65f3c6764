import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type SimulationReply, snnContract, type SnnAdmission } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { RunningCalls } from '../calls/running-calls.js';
import { SimulationService } from './simulation.service.js';

@Controller()
export class SimulationNatsController {
  constructor(
    private readonly service: SimulationService,
    private readonly calls: RunningCalls,
  ) {}

  @Handle(snnContract.admitSolve)
  admitSolve({ request, mode }: ParsedRequestOf<typeof snnContract.admitSolve>): Promise<SnnAdmission> {
    return this.service.admit(request, mode);
  }

  @Handle(snnContract.solve)
  solve({ request, callId, mode }: ParsedRequestOf<typeof snnContract.solve>): Promise<SimulationReply> {
    return this.calls.run(callId, (signal, note) => this.service.solve(request, { signal, note, mode }));
  }
}

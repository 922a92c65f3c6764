import { Controller } from '@nestjs/common';
import { type GraphReply, type ParsedRequestOf, type ReplyOf, snnContract } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { RunningCalls } from '../calls/running-calls.js';
import { GraphService } from './graph.service.js';

const { admitGraph, solveGraph } = snnContract;

@Controller()
export class GraphNatsController {
  constructor(
    private readonly service: GraphService,
    private readonly calls: RunningCalls,
  ) {}

  @Handle(admitGraph)
  admitGraph({ graph, mode }: ParsedRequestOf<typeof admitGraph>): Promise<ReplyOf<typeof admitGraph>> {
    return this.service.admit(graph, mode);
  }

  @Handle(solveGraph)
  solveGraph({ graph, callId, mode }: ParsedRequestOf<typeof solveGraph>): Promise<GraphReply> {
    return this.calls.run(callId, (signal, note) => this.service.solve(graph, { signal, note, mode }));
  }
}

import { Controller, type Type } from '@nestjs/common';
import { Handle } from '@svc/platform';
import { nodeProcedure, type NodeRequest } from '../node-id.js';
import { SessionOwners } from './session-owners.js';

/** The controller of one replica: what it is asked by its own name. */
export function nodeController(nodeId: string): Type {
  @Controller()
  class NodeNatsController {
    constructor(private readonly owners: SessionOwners) {}

    @Handle(nodeProcedure(nodeId))
    answer(request: NodeRequest): { isHeld: boolean } {
      return { isHeld: this.owners.answer(request) };
    }
  }
  return NodeNatsController;
}

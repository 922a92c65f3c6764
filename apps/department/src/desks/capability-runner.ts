import { Injectable } from '@nestjs/common';
import { toolCallContract, TOOL_RUNNERS } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { createHash } from 'node:crypto';
import { AgentDesk } from './agent-desk.js';
import type { Engine } from './capability.js';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';
import { ComputeDesk } from './compute-desk.js';
import { ProofDesk } from './proof-desk.js';
import { RendezvousDesk } from './rendezvous-desk.js';
import { SagaDesk } from './saga-desk.js';
import { SoundDesk } from './sound-desk.js';
import { SurfaceDesk } from './surface-desk.js';
import { ToolDesk } from './tool-desk.js';

/** The key under which a service knows the work of a task again: the same however often the task is begun. */
export const idemKeyOf = (taskId: string): string =>
  createHash('sha256').update(`task\0${taskId}`).digest('hex');

/** Has capabilities done by whoever does them. A task that is begun again runs under the same key. */
@Injectable()
export class CapabilityRunner {
  constructor(
    private readonly bus: BusClient,
    private readonly proofs: ProofDesk,
    private readonly tools: ToolDesk,
    private readonly computations: ComputeDesk,
    private readonly sagas: SagaDesk,
    private readonly agents: AgentDesk,
    private readonly surfaces: SurfaceDesk,
    private readonly sounds: SoundDesk,
    private readonly rendezvous: RendezvousDesk,
  ) {}

  /** Whether inputs can be worked on, before anything is paid. @throws ProblemError */
  async admit(engine: Engine, input: Record<string, unknown>, accountId?: string): Promise<void> {
    switch (engine.kind) {
      case 'proof':
        return this.proofs.admit(engine, input);
      case 'tool':
        return this.tools.admit(engine.tool, input);
      case 'compute':
        return this.computations.admit(engine.work, input);
      case 'saga':
        return this.sagas.admit(engine.tool, input);
      case 'agent':
        return this.agents.admit(engine.agent, input, accountId);
      case 'surface':
        return this.surfaces.admit(engine.work, input, accountId);
      case 'sound':
        return this.sounds.admit(engine.work, input);
      case 'rendezvous':
        return this.rendezvous.admit(input, accountId);
    }
  }

  /** @throws ProblemError; the signal's reason */
  async run(engine: Engine, call: CapabilityCall): Promise<CapabilityAnswer> {
    switch (engine.kind) {
      case 'proof':
        return this.proofs.run(engine, call);
      case 'tool':
        return this.tools.run(engine.tool, idemKeyOf(call.taskId), call);
      case 'compute':
        return this.computations.run(engine.work, call);
      case 'saga':
        return this.sagas.run(engine.tool, call);
      case 'agent':
        return this.agents.run(engine.agent, call);
      case 'surface':
        return this.surfaces.run(engine.work, call);
      case 'sound':
        return this.sounds.run(engine.work, idemKeyOf(call.taskId), call);
      case 'rendezvous':
        return this.rendezvous.run(idemKeyOf(call.taskId), call);
    }
  }

  /**
   * Takes back what a task without an answer may have done: whatever of it still comes is refused. Idempotent.
   * @param fence of its last run
   */
  async takeBack(engine: Engine, taskId: string, fence: number): Promise<void> {
    if (engine.kind === 'compute') return this.computations.takeBack(taskId, fence);
    if (engine.kind !== 'tool') return;
    const { revokeTool } = toolCallContract[TOOL_RUNNERS[engine.tool]];
    await this.bus.call(revokeTool, { idemKey: idemKeyOf(taskId) });
  }
}

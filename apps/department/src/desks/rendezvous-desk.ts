import { Injectable } from '@nestjs/common';
import { meshContract, type RendezvousRequest } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

type Input = Record<string, unknown>;

/** Has offers answered, or brokered, as their own route does. */
@Injectable()
export class RendezvousDesk {
  constructor(private readonly bus: BusClient) {}

  async admit(input: Input, accountId?: string): Promise<void> {
    await this.bus.call(meshContract.admitRendezvous, callOf(input, accountId));
  }

  /**
   * A session that waits for its peer is an answer: it is there, and its id says how it goes on.
   * @param idemKey the same however often the task is begun: it opens one session
   */
  async run(idemKey: string, { input, accountId, onStage }: CapabilityCall): Promise<CapabilityAnswer> {
    onStage('rendezvous');
    // Without the task's signal: once it has begun, its nonce may be used.
    const asked = { ...callOf(input, accountId), idemKey };
    const {
      outcome: _known,
      version: _ofNow,
      ...answer
    } = await this.bus.call(meshContract.rendezvous, asked);
    return { result: { ...answer }, charged: true };
  }
}

/** Tasks keep no address of whoever gave them: accounts have an allowance each, and whoever has none shares one. */
function callOf(input: Input, accountId?: string) {
  const caller = { address: accountId === undefined ? 'desk' : `desk ${accountId}` };
  return { request: input as RendezvousRequest, caller };
}

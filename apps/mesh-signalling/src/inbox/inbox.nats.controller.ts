import { Controller } from '@nestjs/common';
import { meshContract, meshRoutes, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { Allowances } from '../identity/allowances.js';
import { PeerProofs } from '../identity/peer-proofs.js';
import { InboxEvents } from './inbox-events.js';
import { Inboxes } from './inboxes.js';

const { openInbox, inboxEvents, closeInbox } = meshContract;
const { method, path } = meshRoutes.inbox;

@Controller()
export class InboxNatsController {
  constructor(
    private readonly inboxes: Inboxes,
    private readonly events: InboxEvents,
    private readonly proofs: PeerProofs,
    private readonly allowances: Allowances,
  ) {}

  @Handle(openInbox)
  async open({ query, caller }: ParsedRequestOf<typeof openInbox>): Promise<ReplyOf<typeof openInbox>> {
    const { peer, shown } = this.proofs.require(query, { method, path }, Date.now());
    await this.allowances.spend(this.allowances.ofInbox(peer, caller), shown.use);
    const { inboxId } = await this.inboxes.open(peer);
    return { inboxId };
  }

  @Handle(inboxEvents)
  async next({
    inboxId,
    afterSeq,
    waitMs,
  }: ParsedRequestOf<typeof inboxEvents>): Promise<ReplyOf<typeof inboxEvents>> {
    const { events, lastSeq } = await this.events.next(inboxId, afterSeq, waitMs);
    return { events: [...events], lastSeq };
  }

  @Handle(closeInbox)
  async close({ inboxId }: ParsedRequestOf<typeof closeInbox>): Promise<Record<string, never>> {
    await this.inboxes.close(inboxId);
    return {};
  }
}

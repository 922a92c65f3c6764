import { Controller } from '@nestjs/common';
import { meshContract, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { MeshKeys } from '../identity/mesh-keys.js';
import { RendezvousService } from './rendezvous.service.js';
import { SessionService } from './session.service.js';

const { admitRendezvous, rendezvous, session, answer, trickle, closeSession, meshKeys } = meshContract;

@Controller()
export class SessionsNatsController {
  constructor(
    private readonly meetings: RendezvousService,
    private readonly sessions: SessionService,
    private readonly keys: MeshKeys,
  ) {}

  @Handle(admitRendezvous)
  async admit(call: ParsedRequestOf<typeof admitRendezvous>): Promise<Record<string, never>> {
    await this.meetings.admit(call);
    return {};
  }

  @Handle(rendezvous)
  rendezvous(call: ParsedRequestOf<typeof rendezvous>): Promise<ReplyOf<typeof rendezvous>> {
    return this.meetings.meet(call);
  }

  @Handle(session)
  show({ sessionId }: ParsedRequestOf<typeof session>): Promise<ReplyOf<typeof session>> {
    return this.sessions.show(sessionId);
  }

  @Handle(answer)
  answer({ sessionId, request }: ParsedRequestOf<typeof answer>): Promise<ReplyOf<typeof answer>> {
    return this.sessions.answer(sessionId, request);
  }

  @Handle(trickle)
  async trickle(call: ParsedRequestOf<typeof trickle>): Promise<ReplyOf<typeof trickle>> {
    return { version: await this.sessions.trickle(call.sessionId, call.fragment) };
  }

  @Handle(closeSession)
  async close({ sessionId }: ParsedRequestOf<typeof closeSession>): Promise<Record<string, never>> {
    await this.sessions.close(sessionId);
    return {};
  }

  @Handle(meshKeys)
  meshKeys(): ReplyOf<typeof meshKeys> {
    return { keys: this.keys.published() };
  }
}

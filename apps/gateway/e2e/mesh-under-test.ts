import { Controller, type Type } from '@nestjs/common';
import {
  meshContract,
  type MeshSession,
  type ParsedRequestOf,
  type RendezvousResult,
  type ReplyOf,
} from '@svc/contracts';
import { Handle } from '@svc/platform';

type Contract = typeof meshContract;
type Asked<Verb extends keyof Contract> = ParsedRequestOf<Contract[Verb]>;
type Batch = ReplyOf<Contract['inboxEvents']>;

/** What the mesh service does to one request after another; each list is used up from its start. */
export interface MeshScript {
  /** Problems that admission refuses with. */
  admitFaults: Error[];
  /** Problems of everything else. */
  faults: Error[];
  /** Runs before a rendezvous is answered: waits, or throws. */
  before: () => Promise<void>;
  /** Runs before an inbox is open. */
  beforeInbox: () => Promise<void>;
  /** The target does not answer in time. */
  isPending: boolean;
  /** Version of every session. */
  version: number;
  /** What inboxes have; without one a question is held open until {@link MeshScript.wake}. */
  batches: Batch[];
  wake: () => void;
  readonly admitted: Asked<'admitRendezvous'>[];
  readonly offered: Asked<'rendezvous'>[];
  readonly answered: Asked<'answer'>[];
  readonly trickled: Asked<'trickle'>[];
  readonly closed: Asked<'closeSession'>[];
  readonly inboxes: Asked<'openInbox'>[];
  readonly asked: Asked<'inboxEvents'>[];
  readonly closedInboxes: Asked<'closeInbox'>[];
  readonly reset: Asked<'resetDocument'>[];
}

export const SESSION_ID = `mesh_${'s'.repeat(22)}`;
export const INBOX_ID = `inbox_${'i'.repeat(22)}`;
const EXPIRES_AT = '2026-04-02T00:00:30.000Z';

export const RESET: ReplyOf<Contract['resetDocument']> = {
  ...{ epoch: 3, writers: 3_072, bytesBefore: 900_000, bytes: 2_000, crdtStateHash: 'ab'.repeat(32) },
  begunAt: '2026-04-02T00:00:00.000Z',
};

/** A service that does what a script says. */
export function scriptedMesh() {
  const script: MeshScript = {
    ...{ admitFaults: [], faults: [], batches: [], isPending: false, version: 7 },
    ...{ admitted: [], offered: [], answered: [], trickled: [], closed: [] },
    ...{ inboxes: [], asked: [], closedInboxes: [], reset: [] },
    before: async () => undefined,
    beforeInbox: async () => undefined,
    wake: () => undefined,
  };
  return { script, controllers: [sessionsOf(script), inboxesOf(script)] };
}

function failing({ faults }: MeshScript): void {
  const fault = faults.shift();
  if (fault) throw fault;
}

function sessionsOf(script: MeshScript): Type {
  const session = () => ({ session: SESSION, version: script.version });
  @Controller()
  class SessionsUnderTest {
    @Handle(meshContract.admitRendezvous)
    admit(asked: Asked<'admitRendezvous'>) {
      script.admitted.push(asked);
      const fault = script.admitFaults.shift();
      if (fault) throw fault;
      return {};
    }

    @Handle(meshContract.rendezvous)
    async rendezvous(asked: Asked<'rendezvous'>): Promise<ReplyOf<Contract['rendezvous']>> {
      script.offered.push(asked);
      await script.before();
      failing(script);
      const { version } = script;
      return script.isPending
        ? { outcome: 'pending', ...PENDING, version }
        : { outcome: 'answered', ...ANSWERED, version };
    }

    @Handle(meshContract.session)
    session() {
      failing(script);
      return session();
    }

    @Handle(meshContract.answer)
    answer(asked: Asked<'answer'>) {
      script.answered.push(asked);
      failing(script);
      return session();
    }

    @Handle(meshContract.trickle)
    trickle(asked: Asked<'trickle'>) {
      script.trickled.push(asked);
      failing(script);
      return { version: script.version + 1 };
    }

    @Handle(meshContract.closeSession)
    close(asked: Asked<'closeSession'>) {
      script.closed.push(asked);
      failing(script);
      return {};
    }

    @Handle(meshContract.resetDocument)
    resetDocument(asked: Asked<'resetDocument'>): ReplyOf<Contract['resetDocument']> {
      script.reset.push(asked);
      return RESET;
    }

    @Handle(meshContract.meshKeys)
    keys() {
      return { keys: [] };
    }
  }
  return SessionsUnderTest;
}

function inboxesOf(script: MeshScript): Type {
  @Controller()
  class InboxesUnderTest {
    @Handle(meshContract.openInbox)
    async open(asked: Asked<'openInbox'>) {
      script.inboxes.push(asked);
      failing(script);
      await script.beforeInbox();
      return { inboxId: INBOX_ID };
    }

    @Handle(meshContract.inboxEvents)
    async events(asked: Asked<'inboxEvents'>): Promise<Batch> {
      script.asked.push(asked);
      if (script.batches.length === 0) await new Promise<void>(resolve => (script.wake = resolve));
      failing(script);
      return script.batches.shift() ?? { events: [], lastSeq: asked.afterSeq ?? 0 };
    }

    @Handle(meshContract.closeInbox)
    close(asked: Asked<'closeInbox'>) {
      script.closedInboxes.push(asked);
      return {};
    }
  }
  return InboxesUnderTest;
}

export const PENDING = { sessionId: SESSION_ID, iceServers: [], expiresAt: EXPIRES_AT };
export const ANSWERED: RendezvousResult = {
  ...PENDING,
  sdpAnswer: 'v=0\r\n',
  sessionStatus: 'P2P_AEROMESH_ENTANGLED',
  answeredBy: 'service',
  identity: 'unverified',
  iceCandidates: ['candidate:1 1 UDP 2122317823 192.0.2.7 42000 typ host'],
  answerSignature: 'ab'.repeat(64),
  servicePublicKey: 'cd'.repeat(32),
  proves: 'signature',
  doesNotProve: 'Much.',
};
export const SESSION: MeshSession = {
  ...{ sessionId: SESSION_ID, kind: 'brokered', state: 'answered', identity: 'verified' },
  ...{ iceCandidates: [], offerCandidates: [], createdAt: EXPIRES_AT, expiresAt: EXPIRES_AT },
};

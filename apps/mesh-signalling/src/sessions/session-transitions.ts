import { Inject, Injectable } from '@nestjs/common';
import { isOver, isRefusal, nextSession, type SessionEvent } from '@svc/mesh';
import {
  BUS_LINK,
  type BusLink,
  problem,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
  TopicNews,
  type Wait,
} from '@svc/platform';
import { InboxEvents } from '../inbox/inbox-events.js';
import { endedSession, refusedEvent, unknownSession } from './session-problems.js';
import type { SessionChange, StoredSession } from './session-rows.js';
import { SessionStore } from './session-store.js';

const QUESTIONS = { topic: 'session', topicMax: 8, countMax: 4_096 };
/** Changes of one session at once are few: two sides, and the service. */
const TRIES_MAX = 16;

/** What happens to a session, and what is written beside it. */
export interface Happening {
  readonly event: SessionEvent;
  /** Field of the request that it came in: for a problem to name it. */
  readonly field?: string;
  /** Asked with each version that the event is tried on; refuses by throwing. */
  check?(stored: StoredSession): void;
  /** What is written with the change. */
  also?(next: SessionChange['next'], stored: StoredSession): Omit<SessionChange, 'next'>;
}

/** Takes sessions from one state to the next, and tells whoever waits for that. */
@Injectable()
export class SessionTransitions {
  private readonly changes: TopicNews<StoredSession>;

  constructor(
    private readonly store: SessionStore,
    private readonly inbox: InboxEvents,
    @Inject(BUS_LINK) link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) { logger }: Pick<ServiceEnvironment, 'logger'>,
  ) {
    this.changes = new TopicNews({ link, service: 'mesh-signalling', logger }, QUESTIONS);
  }

  /** Waits from now on for a change of a session; one that happens here is known at once. @throws ProblemError OVERLOADED */
  expectChange(sessionId: string): Wait<StoredSession> {
    return this.changes.expect(sessionId);
  }

  /** Whether nobody may wait any more, as the service closes. */
  get isClosing(): boolean {
    return this.changes.isClosed;
  }

  /** Nobody waits any longer. */
  close(): void {
    this.changes.close();
  }

  /**
   * Lets something happen to a session.
   * @param read the session, where it was read just now
   * @returns the session after it; the same where it changes nothing
   * @throws ProblemError NOT_FOUND; EXPIRED, CONFLICT or UNPROCESSABLE where it cannot happen; OVERLOADED where others are always faster
   */
  async happen(sessionId: string, happening: Happening, read?: StoredSession): Promise<StoredSession> {
    for (let i = 0; i < TRIES_MAX; i++) {
      const stored = i === 0 && read ? read : await this.store.find(sessionId);
      if (!stored) throw unknownSession();
      const after = await this.happenTo(stored, happening);
      if (after) return after;
    }
    throw problem('OVERLOADED', 'The session is changed too often at once', { retryAfterSeconds: 1 });
  }

  /**
   * As {@link happen}, of a version that was read; undefined where it was changed since.
   * @throws ProblemError as {@link happen}
   */
  async happenTo(stored: StoredSession, happening: Happening): Promise<StoredSession | undefined> {
    const { event, field = '', check, also } = happening;
    check?.(stored);
    const { session } = stored;
    const next = nextSession(session, event, Date.now());
    if (isRefusal(next)) {
      // Its time is over, and nobody has looked at the clock since: that is done now.
      if (next.refused === 'TOO_LATE') {
        const ended = await this.happenTo(stored, { event: { type: 'tick' } });
        if (ended) throw endedSession(ended.reason ?? ended.session.state);
        return undefined;
      }
      if (isOver(session)) throw endedSession(stored.reason ?? session.state.toUpperCase());
      throw refusedEvent(next, session, field);
    }
    if (next === session) return stored;
    const over = isOver(next) ? overOf(next, stored) : {};
    const change = { next, ...over, ...also?.(next, stored) };
    if (!(await this.store.replace(stored, change))) return undefined;
    const { answer = stored.answer, reason } = change;
    const after = {
      ...{ ...stored, session: next },
      ...(answer && { answer }),
      ...(reason !== undefined && { reason }),
    };
    this.changes.tell(session.id, after);
    if (change.notice && stored.targetHash !== undefined) this.inbox.tell(stored.targetHash);
    return after;
  }
}

/** What is said of a session that ends, and to whom. */
function overOf(
  { end, state }: SessionChange['next'],
  { session }: StoredSession,
): Omit<SessionChange, 'next' | 'answer'> {
  // Peers that have each other's descriptions go on without the service, which does not learn how: nothing is closed then.
  if (session.kind === 'brokered' && end === 'unopened') return { reason: 'SIGNALLING_OVER' };
  const reason = (end ?? state).toUpperCase();
  return { reason, notice: { type: 'closed', reason } };
}

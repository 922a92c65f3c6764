import type { ServiceName } from '@svc/contracts';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { BusLink } from './bus-link.js';
import { NoticeBoard } from './notice-board.js';
import { type TopicLimits, TopicWaiters } from './topic-waiters.js';

const TopicNotice = z.object({ topic: z.string().max(64) });

/** Where notices of a topic are told: {@link NoticeBoard}. */
export interface TopicNewsParts {
  readonly link: BusLink;
  readonly service: ServiceName;
  readonly logger: Logger;
}

/**
 * News of topics that any replica may have, for whoever waits at any: here they come at once and with what is known of them, to
 * the others as a notice that there are some. A notice may be lost: who waits looks again after a while in any case.
 *
 * @example
 * const changes = new TopicNews<Session>({ link, service: 'mesh-signalling', logger }, { topic: 'session', topicMax: 8, countMax: 4_096 });
 * changes.tell(session.id, session);
 */
export class TopicNews<News = void> extends TopicWaiters<News> {
  private readonly notices: NoticeBoard<typeof TopicNotice>;

  /** @param limits whose `topic` is the name of the notices */
  constructor({ link, service, logger }: TopicNewsParts, limits: TopicLimits) {
    super(limits);
    this.notices = new NoticeBoard(link, service, limits.topic, TopicNotice, logger);
    this.notices.hear(({ topic }) => this.wake(topic));
  }

  /** There is news of a topic, which is committed: every replica may look. @param topic at most 64 characters */
  tell(topic: string, news?: News): void {
    this.wake(topic, news);
    this.notices.tell({ topic });
  }
}

import { problem } from '../problem-details/problem-error.js';
import { type Wait, Waiters } from './waiters.js';

/** How many questions are held open at once. */
export interface TopicLimits {
  /** What one topic is, in a word: `session`. */
  readonly topic: string;
  /** On one topic. */
  readonly topicMax: number;
  /** Of all topics. */
  readonly countMax: number;
}

/**
 * Who waits for news of which topic, in this process. Nothing is kept of a topic that nobody waits for.
 *
 * @example
 * const waiters = new TopicWaiters({ topic: 'task', topicMax: 64, countMax: 4_096 });
 * const wait = waiters.expect(taskId); // answered by waiters.wake(taskId)
 */
export class TopicWaiters<News = void> {
  private readonly topics = new Map<string, Waiters<News>>();
  private count = 0;
  private closed = false;

  constructor(private readonly limits: TopicLimits) {}

  /** Whether nobody may wait any more. */
  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * As {@link Waiters.expect}, for news of a topic.
   * @throws ProblemError OVERLOADED where too many wait
   */
  expect(topic: string): Wait<News> {
    const waiters = this.topics.get(topic) ?? new Waiters<News>();
    this.requireRoom(waiters.count);
    this.topics.set(topic, waiters);
    this.count++;
    const wait = waiters.expect();
    if (this.closed) waiters.wake();
    let isOpen = true;
    return {
      within: wait.within,
      end: () => {
        if (!isOpen) return;
        isOpen = false;
        this.count--;
        wait.end();
        if (waiters.count === 0) this.topics.delete(topic);
      },
    };
  }

  /** There may be news of a topic. @param news what they are, where that is known */
  wake(topic: string, news?: News): void {
    this.topics.get(topic)?.wake(news);
  }

  /** Wakes everybody, and lets nobody wait any more: a question is answered as things are. */
  close(): void {
    this.closed = true;
    for (const waiters of this.topics.values()) waiters.wake();
  }

  private requireRoom(ofTopic: number): void {
    const { topic, topicMax, countMax } = this.limits;
    if (this.count < countMax && ofTopic < topicMax) return;
    const detail = `At most ${topicMax} questions of one ${topic} are held open, and ${countMax} of all`;
    throw problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
  }
}

import { problem } from '@svc/platform';

/** One question that is held open. */
export interface Wait<News> {
  /** Resolves when there may be an answer, with what is known of it by then, or after so long. */
  within(ms: number): Promise<News | undefined>;
  /** The question is answered. */
  end(): void;
}

/** How many questions are held open at once. */
export interface WaitersLimits {
  readonly countMax: number;
  /** On one topic. */
  readonly topicMax: number;
}

/** Who waits for news of which topic, on this replica. */
export class Waiters<News> {
  private readonly waiting = new Map<string, Set<(news?: News) => void>>();
  private count = 0;
  private closed = false;

  constructor(private readonly limits: WaitersLimits) {}

  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * Waits from now on: news that comes before {@link Wait.within} is asked is not missed.
   * @throws ProblemError OVERLOADED where too many wait
   */
  expect(topic: string): Wait<News> {
    const ofTopic = this.waiting.get(topic) ?? new Set<(news?: News) => void>();
    const { countMax, topicMax } = this.limits;
    if (this.count >= countMax || ofTopic.size >= topicMax) {
      const detail = `At most ${topicMax} questions of one kind are held open, and ${countMax} of all`;
      throw problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
    }
    let wake: (news?: News) => void = () => undefined;
    const woken = new Promise<News | undefined>(resolve => (wake = resolve));
    ofTopic.add(wake);
    this.waiting.set(topic, ofTopic);
    this.count++;
    if (this.closed) wake();
    return {
      within: async ms => {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<undefined>(resolve => (timer = setTimeout(() => resolve(undefined), ms)));
        return Promise.race([woken, late]).finally(() => clearTimeout(timer));
      },
      end: () => {
        if (!ofTopic.delete(wake)) return;
        this.count--;
        if (ofTopic.size === 0) this.waiting.delete(topic);
      },
    };
  }

  /** There may be news of a topic. @param news what they are, where that is known */
  wake(topic: string, news?: News): void {
    for (const wake of this.waiting.get(topic) ?? []) wake(news);
  }

  /** Wakes everybody, and lets nobody wait any more. */
  close(): void {
    this.closed = true;
    for (const topic of this.waiting.keys()) this.wake(topic);
  }
}

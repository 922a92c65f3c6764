import { problem, queueTurn } from '@svc/platform';
import { LRUCache } from 'lru-cache';

/** How many questions to somebody else there may be, such as a card processor or a node. */
export interface QuestionBounds {
  /** What is asked about, in the plural: `payments on the chain`. */
  readonly name: string;
  /** Under way at one time. */
  readonly atOnceMax: number;
  /** Of those that the other callers leave, a caller has one part in so many. */
  readonly parts: number;
  /** That wait for one of them to end: of one caller half, where nobody else waits. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

interface Caller {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Places for questions that cost their callers nothing. No caller has all of them, those who wait take turns, and who would wait too
 * long is refused. Callers are told apart as queues tell them apart.
 */
export class QuestionPlaces {
  /** Whose turn is next stands first. */
  private readonly callers = new Map<string, Caller>();
  private underWay = 0;
  private waiting = 0;

  constructor(private readonly bounds: QuestionBounds) {}

  /** Asks when there is a place. @throws ProblemError OVERLOADED where there is none */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    const { subject } = queueTurn();
    await this.take(subject);
    try {
      return await question();
    } finally {
      this.giveBack(subject);
    }
  }

  private take(subject: string): Promise<void> {
    const caller = this.callers.get(subject) ?? { underWay: 0, waiting: [] };
    this.callers.set(subject, caller);
    if (caller.waiting.length === 0 && this.hasShare(caller)) {
      this.begin(caller);
      return Promise.resolve();
    }
    if (caller.waiting.length + this.waiting >= this.bounds.waitingMax) {
      this.forgetIfIdle(subject, caller);
      return Promise.reject(this.overloaded());
    }
    return this.wait(subject, caller);
  }

  private wait(subject: string, caller: Caller): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        this.waiting--;
        this.begin(caller);
        resolve();
      };
      const timer = setTimeout(() => {
        caller.waiting.splice(caller.waiting.indexOf(begin), 1);
        this.waiting--;
        this.forgetIfIdle(subject, caller);
        reject(this.overloaded());
      }, this.bounds.waitMsMax).unref();
      caller.waiting.push(begin);
      this.waiting++;
    });
  }

  private begin(caller: Caller): void {
    caller.underWay++;
    this.underWay++;
  }

  private giveBack(subject: string): void {
    const caller = this.callers.get(subject)!;
    caller.underWay--;
    this.underWay--;
    this.forgetIfIdle(subject, caller);
    while (this.beginNext());
  }

  private beginNext(): boolean {
    for (const [subject, caller] of this.callers) {
      if (caller.waiting.length === 0 || !this.hasShare(caller)) continue;
      this.callers.delete(subject);
      this.callers.set(subject, caller);
      caller.waiting.shift()!();
      return true;
    }
    return false;
  }

  private hasShare(caller: Caller): boolean {
    const free = this.bounds.atOnceMax - this.underWay;
    return free > 0 && caller.underWay < Math.ceil((free + caller.underWay) / this.bounds.parts);
  }

  private forgetIfIdle(subject: string, { underWay, waiting }: Caller): void {
    if (underWay === 0 && waiting.length === 0) this.callers.delete(subject);
  }

  private overloaded() {
    const detail = `${this.underWay} ${this.bounds.name} are being asked about, and ${this.waiting} wait; nothing was taken for this one`;
    return problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
  }
}

export type Outcome<Answer> = { readonly answer: Answer } | { readonly error: unknown };

export interface Remembering<Answer> {
  /** For how long an outcome is given again without a question, milliseconds. */
  readonly rememberedMs: number;
  /** Which outcomes are. */
  readonly remembers: (outcome: Outcome<Answer>) => boolean;
  readonly now?: () => number;
}

/** Things of which the outcome is remembered at one time; the one that was asked about for longest ago goes first. */
const REMEMBERED_MAX = 4_096;

const REMEMBERS_NOTHING = { rememberedMs: 0, remembers: () => false };

/** Questions that many ask at once, or again and again: of one thing there is one under way, and then for a time none. */
export class SharedQuestions<Answer> {
  private readonly underWay = new Map<string, Promise<Answer>>();
  private readonly lately: LRUCache<string, Outcome<Answer>>;

  constructor(
    private readonly places: QuestionPlaces,
    private readonly options: Remembering<Answer> = REMEMBERS_NOTHING,
  ) {
    const { rememberedMs: ttl, now } = this.options;
    this.lately = new LRUCache({ max: REMEMBERED_MAX, ttl, ...(now && { perf: { now }, ttlResolution: 0 }) });
  }

  /** @param key what is asked about @throws what the question throws; ProblemError OVERLOADED */
  async ask(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const lately = this.lately.get(key);
    if (lately) return answerOf(lately);
    const underWay = this.underWay.get(key);
    if (underWay) return underWay;
    const begun = this.places
      .ask(() => this.remembering(key, question))
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, begun);
    return begun;
  }

  private async remembering(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const outcome = await question().then<Outcome<Answer>, Outcome<Answer>>(
      answer => ({ answer }),
      (error: unknown) => ({ error }),
    );
    if (this.options.remembers(outcome)) this.lately.set(key, outcome);
    return answerOf(outcome);
  }
}

function answerOf<Answer>(outcome: Outcome<Answer>): Answer {
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
}

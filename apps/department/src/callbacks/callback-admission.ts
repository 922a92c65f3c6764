import { Injectable } from '@nestjs/common';
import { OutgoingFault, OutgoingPost, problem, queueTurn } from '@svc/platform';

/** Names that are asked for at once on a replica before their tasks begin, and of one caller. */
const LOOKUPS_MAX = 32;
const LOOKUPS_OF_CALLER_MAX = 4;
/** What a task waits for the name of its callback: who gives it waits too. */
const LOOKUP_MS = 1_000;

/** Refuses callbacks that can never be made. */
@Injectable()
export class CallbackAdmission {
  /** Lookups under way, by caller. */
  private readonly lookups = new Map<string, number>();
  private lookupCount = 0;

  constructor(private readonly outgoing: OutgoingPost) {}

  /**
   * Looks at the URL itself, and asks nobody: this comes before anybody pays.
   * @throws ProblemError VALIDATION_FAILED, with the path `callbackUrl`
   */
  refuseUrl(callbackUrl: string | undefined): void {
    if (callbackUrl === undefined) return;
    try {
      this.outgoing.checkUrl(callbackUrl);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /**
   * Looks at what the name stands for now, for a task that is paid for. A name that nobody answers for in time is no reason, nor is
   * one beyond the lookups that a caller may have: it is asked for again at each try of the callback.
   * @throws ProblemError VALIDATION_FAILED, with the path `callbackUrl`
   */
  async refuseName(callbackUrl: string | undefined): Promise<void> {
    if (callbackUrl === undefined) return;
    const { subject } = queueTurn();
    const own = this.lookups.get(subject) ?? 0;
    if (this.lookupCount >= LOOKUPS_MAX || own >= LOOKUPS_OF_CALLER_MAX) return;
    this.lookups.set(subject, own + 1);
    this.lookupCount++;
    try {
      await this.outgoing.checkName(callbackUrl, LOOKUP_MS);
    } catch (error) {
      throw refusalOf(error);
    } finally {
      this.lookupCount--;
      const left = this.lookups.get(subject)! - 1;
      if (left === 0) this.lookups.delete(subject);
      else this.lookups.set(subject, left);
    }
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof OutgoingFault)) return error;
  const errors = [{ path: 'callbackUrl', message: error.message, bound: 'a public address, by https' }];
  return problem('VALIDATION_FAILED', `callbackUrl: ${error.message}`, { errors });
}

import { Injectable } from '@nestjs/common';
import { OutgoingFault, OutgoingPost, problem } from '@svc/platform';

/** Refuses a callback that can never be made, before anybody pays for the task that would end in it. */
@Injectable()
export class CallbackAdmission {
  constructor(private readonly outgoing: OutgoingPost) {}

  /**
   * Looks at the URL, and at what its name stands for now; the name is asked for again at each try of the callback.
   * @throws ProblemError VALIDATION_FAILED, with the path `callbackUrl`
   */
  async refuseImpossible(callbackUrl: string | undefined): Promise<void> {
    if (callbackUrl === undefined) return;
    try {
      await this.outgoing.check(callbackUrl);
    } catch (error) {
      if (!(error instanceof OutgoingFault)) throw error;
      const errors = [{ path: 'callbackUrl', message: error.message, bound: 'a public address, by https' }];
      throw problem('VALIDATION_FAILED', `callbackUrl: ${error.message}`, { errors });
    }
  }
}

import type { RunEvent } from './job-state.js';
import type { JobStore } from './job-store.js';

/** Records what one run says of its job, one thing after another, while the proof goes on. */
export class EventLog {
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: JobStore,
    private readonly jobId: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  note(event: RunEvent): void {
    this.tail = this.tail.then(() => this.store.apply(this.jobId, event)).catch(this.onError);
  }

  async idle(): Promise<void> {
    await this.tail;
  }
}

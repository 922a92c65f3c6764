import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { paced, problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { DataSource } from 'typeorm';

/** How often calls that take long are looked up among the cancelled, milliseconds. */
const LOOK_INTERVAL_MS = 500;
/** A cancellation that nobody has looked up by then was for a call that had ended. */
const CANCELLATION_KEPT_MINUTES = 10;

const hungUp = () => problem('CONFLICT', 'The caller hung up, and its proof was cancelled');

/**
 * The synchronous proofs in the making here, by the id that the gateway gave their call. A cancellation
 * reaches any one replica: it ends the call where it is this replica's, and is left in Postgres for the
 * others where it is not.
 */
@Injectable()
export class ProofCalls implements OnApplicationShutdown {
  private readonly running = new Map<string, AbortController>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Runs the work of a call under a signal that its cancellation aborts.
   * @throws ProblemError CONFLICT through the work, once it looks at the signal
   */
  async run<T>(callId: string | undefined, work: (signal?: AbortSignal) => Promise<T>): Promise<T> {
    if (callId === undefined) return work();
    const controller = new AbortController();
    this.running.set(callId, controller);
    this.timer ??= setInterval(() => void this.look(), paced(this.environment, LOOK_INTERVAL_MS)).unref();
    try {
      return await work(controller.signal);
    } finally {
      this.running.delete(callId);
      if (this.running.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
      }
    }
  }

  /** Ends a call; true where it was this replica's. */
  async cancel(callId: string): Promise<boolean> {
    const controller = this.running.get(callId);
    if (controller) {
      controller.abort(hungUp());
      return true;
    }
    await this.dataSource.query(
      'INSERT INTO proof_cancellation (call_id) VALUES ($1) ON CONFLICT DO NOTHING',
      [callId],
    );
    return false;
  }

  /** Drops what no call can still be waiting for, and returns how many. */
  async purge(): Promise<number> {
    const [, count] = await this.dataSource.query(
      'DELETE FROM proof_cancellation WHERE requested_at < now() - make_interval(mins => $1)',
      [CANCELLATION_KEPT_MINUTES],
    );
    return count as number;
  }

  private async look(): Promise<void> {
    try {
      const rows: { call_id: string }[] = await this.dataSource.query(
        'SELECT call_id FROM proof_cancellation WHERE call_id = ANY($1)',
        [[...this.running.keys()]],
      );
      for (const { call_id } of rows) this.running.get(call_id)?.abort(hungUp());
    } catch (error) {
      // Postgres is away: the proof goes on, and the next look may find more.
      const reason = (error as Error).message;
      this.environment.logger.warn({ reason }, 'Cancelled calls could not be looked up');
    }
  }
}

import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { databaseAway } from './connection-loss.js';

const BEAT_EVERY_MS = 1_000;
const SLOW_AFTER_MS = 2_000;

export type PulseState = 'ok' | 'slow' | 'away';

/**
 * Knows whether the database answers, by asking it every second: whoever needs to know on each call
 * reads a flag. Injectable wherever PersistenceModule is registered.
 */
export class DatabasePulse implements OnModuleInit, BeforeApplicationShutdown {
  private current: PulseState = 'away';
  private beating: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** `slow`: it has not answered for two seconds. */
  get state(): PulseState {
    return this.current;
  }

  /** @throws ProblemError SERVICE_UNAVAILABLE with retryAfterSeconds, while the database does not answer */
  assertPresent(): void {
    if (this.current !== 'ok')
      throw databaseAway(new Error(`its last answer to a SELECT 1: ${this.current}`));
  }

  async onModuleInit(): Promise<void> {
    this.timer = setInterval(() => void this.beat(), BEAT_EVERY_MS).unref();
    await this.beat();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }

  /** A question that has no answer yet is not asked again: the pool is there for the work. */
  private beat(): Promise<void> {
    this.beating ??= this.ask().finally(() => (this.beating = undefined));
    return this.beating;
  }

  private async ask(): Promise<void> {
    const late = setTimeout(() => (this.current = 'slow'), SLOW_AFTER_MS).unref();
    try {
      // Past typeorm: with a timeout of its own, at which the pool gives up a connection that hangs.
      const pool: { query(question: object): Promise<unknown> } = (this.dataSource.driver as PostgresDriver)
        .master;
      await pool.query({ text: 'SELECT 1', query_timeout: SLOW_AFTER_MS });
      this.current = 'ok';
    } catch {
      this.current = 'away';
    } finally {
      clearTimeout(late);
    }
  }
}

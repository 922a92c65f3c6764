import { EVENT_BYTES_MAX } from '@svc/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The events of a service that have not left yet, in the order in which they were written; deleted when they have. What
 * could never be published is refused here, so that it fails the change that it tells of and holds nobody up.
 *
 * @example
 * export class EventOutbox1764600000000 extends EventOutboxTable {
 *   readonly name = 'EventOutbox1764600000000';
 * }
 */
export abstract class EventOutboxTable implements MigrationInterface {
  /** As typeorm wants it: it ends in its timestamp. */
  abstract readonly name: string;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_outbox (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        subject text NOT NULL CHECK (length(subject) <= 256 AND subject ~ '^events(\\.[A-Za-z0-9_-]+)+$'),
        event_id text NOT NULL CHECK (length(event_id) <= 256 AND event_id ~ '^[\\x21-\\x7e]+$'),
        data text NOT NULL CHECK (octet_length(data) BETWEEN 2 AND ${EVENT_BYTES_MAX})
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE event_outbox`);
  }
}

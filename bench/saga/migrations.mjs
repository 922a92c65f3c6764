import { SagaTables1763900000000 } from '@svc/platform';

/** A ticket that a saga consumes, as cheap as one can be. */
class BenchTickets1763999000000 {
  async up(runner) {
    await runner.query(
      'CREATE TABLE bench_ticket (ticket uuid PRIMARY KEY, consumed_at timestamptz NOT NULL)',
    );
  }
  async down(runner) {
    await runner.query('DROP TABLE bench_ticket');
  }
}

export const migrations = [SagaTables1763900000000, BenchTickets1763999000000];

import type { DataSource } from 'typeorm';
import type { Answer } from './paid-call.js';
import { until } from './processes.js';

/** Ends the leases of all claims now, as if their holders had died. */
export const letLeasesEnd = (database: DataSource): Promise<unknown> =>
  database.query(
    `UPDATE payment_claim SET lease_until = lease_until - interval '1 hour' WHERE state IN ('claimed', 'unknown')`,
  );

/**
 * Asks with one credential until the answer is there, as the problems say: 409 and 503 are worth another try, and all leases run out
 * before it.
 *
 * @throws Error for any other problem: no payer is ever asked to pay again
 */
export async function insist(ask: () => Promise<Answer>, databaseOf: () => DataSource): Promise<Answer> {
  let answer: Answer | undefined;
  await until(
    async () => {
      answer = await ask().catch(() => undefined);
      if (answer?.status === 200) return true;
      if (answer && ![409, 503].includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`);
      await letLeasesEnd(databaseOf());
      return false;
    },
    () => `the answer; the last was ${answer?.status} ${answer?.text}`,
  );
  return answer!;
}

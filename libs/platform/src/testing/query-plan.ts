import type { DataSource } from 'typeorm';

/**
 * How Postgres runs a query where its table is too large to be read whole, as the text of EXPLAIN. The few rows of a test are
 * read whole whenever the statistics of the moment say so; for a table in use that way costs more than any other.
 *
 * @param dear ways that cost too much with many rows as well: `sort` and `bitmapscan` where one range of an index has the order
 * @throws what Postgres says of the query
 */
export async function planInLargeTable(
  database: DataSource,
  sql: string,
  { values = [], dear = [] }: { values?: unknown[]; dear?: ('sort' | 'bitmapscan')[] } = {},
): Promise<string> {
  const runner = database.createQueryRunner();
  await runner.startTransaction();
  try {
    for (const way of ['seqscan', ...dear]) await runner.query(`SET LOCAL enable_${way} = off`);
    const lines: { 'QUERY PLAN': string }[] = await runner.query(`EXPLAIN ${sql}`, values);
    return lines.map(line => line['QUERY PLAN']).join('\n');
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

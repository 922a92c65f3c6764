import type { QueryRunner } from 'typeorm';

/** A column of digests, as `keyDigestColumn` has made it. */
export interface DigestColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key, and its type. */
  readonly id: readonly [column: string, type: 'uuid' | 'text' | 'bytea' | 'bigint'];
  /** SQL of the owner that the table's digests are bound to. */
  readonly owner: string;
  /** Whether it is of bytes, not of text. */
  readonly isBytes?: true;
}

const PLAIN = '[0-9a-f]{64}';
const FORM = '[0-9a-f]{8}:[A-Za-z0-9_-]{43}';
/** Of a plain digest in bytes, and of those that `KeyedDigests` writes. */
const BYTES = { plain: 32, keyed: [52, 105] };

type Column = Pick<DigestColumn, 'table' | 'column' | 'id' | 'isBytes'>;

/** The name that Postgres gave the column's own check. */
const checkOf = ({ table, column }: Column) => `${table}_${column}_check`;

/** Lets a column of plain digests have keyed ones, and an index find what is still plain. An earlier release goes on writing. */
export async function keyDigestColumn(runner: QueryRunner, of: Column): Promise<void> {
  const { table, column, id, isBytes } = of;
  const check = isBytes
    ? `length(${column}) IN (${[BYTES.plain, ...BYTES.keyed].join(', ')})`
    : `${column} ~ '^(${PLAIN}|${FORM}( ${FORM})?)$'`;
  await runner.query(`
    ALTER TABLE ${table} DROP CONSTRAINT ${checkOf(of)}, ADD CONSTRAINT ${checkOf(of)} CHECK (${check})`);
  await runner.query(`CREATE INDEX ${table}_plain_${column} ON ${table} (${id[0]}) WHERE ${isPlainSql(of)}`);
}

/** The column as it was. What was keyed becomes a digest of that: it stands for no request that comes again. */
export async function unkeyDigestColumn(runner: QueryRunner, of: Column): Promise<void> {
  const { table, column, isBytes } = of;
  await runner.query(`DROP INDEX ${table}_plain_${column}`);
  await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${checkOf(of)}`);
  const digest = isBytes ? `sha256(${column})` : `encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`;
  await runner.query(`UPDATE ${table} SET ${column} = ${digest} WHERE NOT ${isPlainSql(of)}`);
  const check = isBytes ? `length(${column}) = ${BYTES.plain}` : `${column} ~ '^${PLAIN}$'`;
  await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${checkOf(of)} CHECK (${check})`);
}

/** Whether a row has a plain digest: what the partial index is of. */
export const isPlainSql = ({ column, isBytes }: Column): string =>
  `length(${column}) = ${isBytes ? BYTES.plain : BYTES.plain * 2}`;

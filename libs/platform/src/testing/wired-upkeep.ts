import type { OnApplicationBootstrap } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { KeyedDigests } from '../keyed-digests/keyed-digests.js';
import type { DigestColumn } from '../keyed-digests/digest-columns.js';
import { PlainDigests } from '../keyed-digests/plain-digests.js';
import { Retention } from '../persistence/retention.js';

type Queries = Pick<DataSource, 'query'>;
/** A row of the tests; values are SQL, with its name as `$1`. */
type Columns = Readonly<Record<string, string>>;

/** Rows of a table that are kept for a time. */
export interface KeptRows {
  readonly table: string;
  /** The first tells the rows apart, by their name alone; `$2` is their age. */
  readonly columns: Columns;
  /** Of one that stays and of one that goes, as intervals. */
  readonly ages: readonly [young: string, old: string];
  /** What is left of a row that goes fails this condition; without one the whole row is gone. */
  readonly held?: string;
}

/** A row with a digest. */
export interface PlainRow extends Pick<DigestColumn, 'table' | 'column'> {
  readonly isBytes?: boolean;
  /** But for that of the digest; the first is the id. */
  readonly columns: Columns;
}

/** What a service does of its own accord, with its own rights, as its module wires it. */
export interface WiredUpkeep {
  /** One round of all retention. */
  purge(): Promise<void>;
  /** Keys the digests that are plain. */
  keyDigests(): Promise<void>;
}

/** Starts a service, and takes hold of its upkeep. */
export async function upkeepOf(start: () => Promise<unknown>): Promise<WiredUpkeep> {
  const { found: retentions, restore } = bootstrapped(Retention);
  const digests = bootstrapped(PlainDigests);
  try {
    await start();
  } finally {
    restore();
    digests.restore();
  }
  return {
    purge: async () => {
      for (const each of retentions) await each.purge();
    },
    keyDigests: async () => {
      for (const each of digests.found) await each.convert();
    },
  };
}

/** Those of a class that begin with their application, from now on. */
function bootstrapped<T extends OnApplicationBootstrap>({ prototype }: { prototype: T }) {
  const found: T[] = [];
  const { onApplicationBootstrap } = prototype;
  prototype.onApplicationBootstrap = function (this: T) {
    found.push(this);
    return onApplicationBootstrap.call(this) as unknown;
  };
  return { found, restore: () => void (prototype.onApplicationBootstrap = onApplicationBootstrap) };
}

/** Which of a young and an old row a round leaves: `['young']` where they are kept for as long as it is said. */
export async function leftBy(
  { purge }: WiredUpkeep,
  database: Queries,
  { table, columns, ages, held = 'true' }: KeptRows,
): Promise<string[]> {
  const names = { young: `young ${randomUUID()}`, old: `old ${randomUUID()}` };
  const [[key, keyOf]] = Object.entries(columns);
  await database.query(insertOf(table, columns), [names.young, ages[0]]);
  await database.query(insertOf(table, columns), [names.old, ages[1]]);
  await purge();
  const left: string[] = [];
  for (const [which, name] of Object.entries(names)) {
    const rows = await database.query(`SELECT FROM ${table} WHERE ${key} = ${keyOf} AND ${held}`, [name]);
    if (rows.length > 0) left.push(which);
  }
  return left;
}

/** What becomes of a plain digest of an earlier release, and what is expected of it where it is bound to the id of its row. */
export async function keyedBy(
  { keyDigests }: WiredUpkeep,
  database: Queries,
  digests: KeyedDigests,
  { table, column, isBytes, columns }: PlainRow,
): Promise<{ stored: string; expected: string }> {
  const name = randomUUID();
  const plain = createHash('sha256').update(name).digest();
  const digest = isBytes ? `decode($2, 'hex')` : '$2';
  await database.query(insertOf(table, { ...columns, [column]: digest }), [name, plain.toString('hex')]);
  await keyDigests();
  const [[id, idOf]] = Object.entries(columns);
  const [row]: { id: string | Buffer; stored: string | Buffer }[] = await database.query(
    `SELECT ${id} AS id, ${column} AS stored FROM ${table} WHERE ${id} = ${idOf}`,
    [name],
  );
  const owner = typeof row.id === 'string' ? row.id : row.id.toString('hex');
  return { stored: row.stored.toString(), expected: digests.of(plain, owner).stored };
}

const insertOf = (table: string, columns: Columns) =>
  `INSERT INTO ${table} (${Object.keys(columns).join()}) VALUES (${Object.values(columns).join()})`;

import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { isPlainSql, type DigestColumn } from './digest-columns.js';
import type { KeyedDigests } from './keyed-digests.js';

const BATCH_ROWS = 500;
/** Between two looks: a replica of an earlier release, while it is being replaced, goes on writing plain digests. */
const LOOK_EVERY_MS = 60_000;

/**
 * Keys the digests that an earlier release wrote plainly. A migration cannot: it runs with no secret of the service. Rows are
 * told by the form of their digest, so that it goes on after a crash where it stopped, on any number of replicas.
 * `convertMore` is for what more than one column has to change with. A provider of a service's module: it begins and ends with the application, which answers meanwhile, since
 * `KeyedDigest.matches` knows the plain form.
 */
export class PlainDigests implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isClosing = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly digests: KeyedDigests,
    private readonly columns: readonly DigestColumn[],
    private readonly logger: Logger,
    private readonly convertMore: () => Promise<number> = () => Promise.resolve(0),
  ) {}

  onApplicationBootstrap(): void {
    this.look();
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Keys all that are plain, in batches of a statement each; returns how many. */
  async convert(): Promise<number> {
    let count = await this.convertMore();
    for (const column of this.columns)
      for (let rows = BATCH_ROWS; rows === BATCH_ROWS && !this.isClosing; count += rows)
        rows = await this.convertSome(column);
    return count;
  }

  private look(): void {
    this.running ??= this.convert()
      .then(
        count => void (count > 0 && this.logger.info({ count }, 'Plain digests were keyed')),
        (error: unknown) =>
          this.logger.warn({ reason: (error as Error).message }, 'Plain digests were not keyed'),
      )
      .finally(() => (this.running = undefined));
  }

  private async convertSome(of: DigestColumn): Promise<number> {
    const { table, column, owner, isBytes } = of;
    const [id, type] = of.id;
    const rows: { id: string; owner: string; digest: string }[] = await this.dataSource.query(
      `SELECT ${id}::text AS id, ${owner} AS owner, ${isBytes ? `encode(${column}, 'hex')` : column} AS digest
         FROM ${table} WHERE ${isPlainSql(of)} LIMIT $1`,
      [BATCH_ROWS],
    );
    if (rows.length === 0) return 0;
    const keyed = rows.map(row => this.digests.of(row.digest, row.owner));
    const valueOf = (name: string) => (isBytes ? `decode(keyed.${name}, 'hex')` : `keyed.${name}`);
    await this.dataSource.query(
      `UPDATE ${table} AS kept SET ${column} = ${valueOf('digest')}
         FROM unnest($1::text[], $2::text[], $3::text[]) AS keyed (id, plain, digest)
        WHERE kept.${id} = keyed.id::${type} AND kept.${column} = ${valueOf('plain')}`,
      [
        rows.map(row => row.id),
        rows.map(row => row.digest),
        keyed.map(({ stored, bytes }) => (isBytes ? bytes.toString('hex') : stored)),
      ],
    );
    return rows.length;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { ToolReply } from '@svc/contracts';
import {
  deriveKey,
  inTransaction,
  problem,
  SealedJson,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHmac } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { challengeSecretsOf } from '../acoustic-config.js';

export type CallState = 'unknown' | 'running' | 'done' | 'revoked';

/** How long the key of a call is known: longer than any copy of it can be on its way. */
const KEPT_DAYS = 30;

interface Row {
  readonly state: Exclude<CallState, 'unknown'>;
  readonly request_digest: Buffer | null;
  readonly reply: Buffer | null;
}

/**
 * The keys under which the tool is called: each stands for one request, and comes to nothing once it was revoked. What a call
 * does is done in the transaction that finds its key still good and keeps its reply: both, or neither.
 *
 * Requests are known by a keyed digest and replies are sealed: both have what opens a door.
 */
@Injectable()
export class ToolCalls {
  private readonly seal: SealedJson;
  /** The newest first. */
  private readonly digestKeys: readonly Buffer[];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SERVICE_ENVIRONMENT) { secrets }: Pick<ServiceEnvironment, 'secrets'>,
  ) {
    const newestFirst = challengeSecretsOf(secrets);
    this.seal = new SealedJson(newestFirst, 'svc/acoustic-tool-reply/v1');
    this.digestKeys = newestFirst.map(secret => deriveKey(secret, 'svc/acoustic-tool-request/v1'));
  }

  /**
   * Begins a call, or finds what it came to.
   * @throws ProblemError CONFLICT where the key was revoked, UNPROCESSABLE where it is of another request
   */
  async begin(idemKey: string, request: object): Promise<ToolReply | undefined> {
    const text = canonicalJson(request);
    const digests = this.digestKeys.map(key => createHmac('sha256', key).update(text).digest());
    const [row]: Row[] = await this.dataSource.query(
      `INSERT INTO tool_call AS call (idem_key, request_digest, state) VALUES (decode($1, 'hex'), $2, 'running')
       ON CONFLICT (idem_key) DO UPDATE SET state = call.state RETURNING state, request_digest, reply`,
      [idemKey, digests[0]],
    );
    if (row.state === 'revoked') throw revoked();
    if (!digests.some(digest => row.request_digest?.equals(digest))) {
      throw problem('UNPROCESSABLE', 'Another request was made under this idempotency key');
    }
    return row.reply ? this.open(idemKey, row.reply) : undefined;
  }

  /** Does what a call does and keeps its reply; where it was done meanwhile, the reply is that. @throws ProblemError CONFLICT */
  complete(idemKey: string, work: (manager: EntityManager) => Promise<ToolReply>): Promise<ToolReply> {
    return inTransaction(this.dataSource, async manager => {
      const row = await lock(manager, idemKey);
      if (row?.reply) return this.open(idemKey, row.reply);
      if (row?.state !== 'running') throw revoked();
      const reply = await work(manager);
      await manager.query(
        `UPDATE tool_call SET state = 'done', reply = $2 WHERE idem_key = decode($1, 'hex')`,
        [idemKey, this.seal.seal(reply, Buffer.from(idemKey, 'hex'))],
      );
      return reply;
    });
  }

  /**
   * Revokes a key for good, also one that never came.
   * @param undo takes back what was done under it, in the same transaction
   */
  revoke(idemKey: string, undo: (manager: EntityManager) => Promise<void>): Promise<CallState> {
    return inTransaction(this.dataSource, async manager => {
      const inserted: unknown[] = await manager.query(
        `INSERT INTO tool_call (idem_key, state) VALUES (decode($1, 'hex'), 'revoked')
         ON CONFLICT (idem_key) DO NOTHING RETURNING 1`,
        [idemKey],
      );
      if (inserted.length > 0) return 'unknown';
      const row = await lock(manager, idemKey);
      await manager.query(
        `UPDATE tool_call SET state = 'revoked', reply = NULL WHERE idem_key = decode($1, 'hex')`,
        [idemKey],
      );
      await undo(manager);
      return row?.state ?? 'unknown';
    });
  }

  /** What became of a key, with its reply where it is done. */
  async outcome(idemKey: string): Promise<{ state: CallState; reply?: ToolReply }> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT state, reply FROM tool_call WHERE idem_key = decode($1, 'hex')`,
      [idemKey],
    );
    const [row] = rows;
    if (!row) return { state: 'unknown' };
    return { state: row.state, ...(row.reply && { reply: this.open(idemKey, row.reply) }) };
  }

  /** Forgets calls that were made long ago; returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM tool_call WHERE begun_at < now() - make_interval(days => $1)`,
      [KEPT_DAYS],
    );
    return count;
  }

  private open(idemKey: string, sealed: Buffer): ToolReply {
    return this.seal.open(sealed, Buffer.from(idemKey, 'hex')) as ToolReply;
  }
}

async function lock(manager: EntityManager, idemKey: string): Promise<Row | undefined> {
  const rows: Row[] = await manager.query(
    `SELECT state, reply FROM tool_call WHERE idem_key = decode($1, 'hex') FOR UPDATE`,
    [idemKey],
  );
  return rows[0];
}

const revoked = () =>
  problem('CONFLICT', 'The call was revoked and is not made any more', { extensions: { state: 'revoked' } });

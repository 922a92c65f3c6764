import type { ServiceName, ToolProgress, ToolReply } from '@svc/contracts';
import { canonicalJson } from '@svc/protocols';
import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { inTransaction } from '../persistence/in-transaction.js';
import { problem } from '../problem-details/problem-error.js';
import { deriveKey, SealedJson } from '../sealed-json/sealed-json.js';
import {
  otherRequest,
  type ToolCallKeys,
  type ToolOutcome,
  type ToolRevocation,
} from './tool-call-handlers.js';

type ToolCallState = ToolOutcome['state'];

export interface ToolCallSettings {
  /** Whose tool it is: its keys are of no use to another service. */
  readonly service: ServiceName;
  /** What requests and replies are kept from the readers of the database with, the newest first. */
  readonly secrets: readonly string[];
  /** What a call does while it runs, in a word; shown to whoever waits for it. */
  readonly stage: string;
  /** Takes back what was done under a key, in the transaction that revokes it; a tool that only looks has nothing to. */
  undo?(manager: EntityManager, idemKey: string): Promise<void>;
}

/** How long the key of a call is known: longer than any copy of it can be on its way. */
const KEPT_DAYS = 30;
/** Between two looks at how far a call is, milliseconds. */
const LOOK_MS = 100;

interface Row {
  readonly state: Exclude<ToolCallState, 'unknown'>;
  readonly request_digest: Buffer | null;
  readonly reply: Buffer | null;
}

/**
 * The keys under which a service's tool is called, in its table `tool_call`: each stands for one request, and comes to
 * nothing once it was revoked. What a call does is done in the transaction that finds its key still good and keeps its reply:
 * both, or neither.
 *
 * Requests are known by a keyed digest and replies are sealed: either may have what opens a door.
 */
export class PostgresToolCalls implements ToolCallKeys {
  private readonly seal: SealedJson;
  /** The newest first. */
  private readonly digestKeys: readonly Buffer[];

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: ToolCallSettings,
  ) {
    const { service, secrets } = settings;
    this.seal = new SealedJson(secrets, `svc/${service}-tool-reply/v1`);
    this.digestKeys = secrets.map(secret => deriveKey(secret, `svc/${service}-tool-request/v1`));
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
      throw otherRequest();
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

  /** Revokes a key for good, also one that never came, and undoes what was done under it. */
  revoke(idemKey: string): Promise<ToolRevocation> {
    return inTransaction(this.dataSource, async manager => {
      const inserted: unknown[] = await manager.query(
        `INSERT INTO tool_call (idem_key, state) VALUES (decode($1, 'hex'), 'revoked')
         ON CONFLICT (idem_key) DO NOTHING RETURNING 1`,
        [idemKey],
      );
      if (inserted.length > 0) return { was: 'unknown' };
      const row = await lock(manager, idemKey);
      await manager.query(
        `UPDATE tool_call SET state = 'revoked', reply = NULL WHERE idem_key = decode($1, 'hex')`,
        [idemKey],
      );
      await this.settings.undo?.(manager, idemKey);
      return { was: row?.state ?? 'unknown' };
    });
  }

  /**
   * What became of a key, with its reply where it is done. A run that has died is not told from one that runs, and both are
   * `unknown`: whoever asks is to call again, and gets the same.
   */
  async outcome(idemKey: string): Promise<ToolOutcome> {
    const row = await this.find(idemKey);
    if (!row || row.state === 'running') return { state: 'unknown' };
    return { state: row.state, ...(row.reply && { reply: this.open(idemKey, row.reply) }) };
  }

  /** How far a key is: answered when that is more than `afterSeq`, when it has ended, or after `waitMs`. */
  async progress(idemKey: string, afterSeq: number, waitMs: number): Promise<ToolProgress> {
    const until = performance.now() + waitMs;
    for (;;) {
      const progress = this.progressIn((await this.find(idemKey))?.state ?? 'unknown');
      const leftMs = until - performance.now();
      if (progress.ended || progress.seq > afterSeq || leftMs <= 0) return progress;
      await delay(Math.min(LOOK_MS, leftMs));
    }
  }

  /** Forgets calls that were made long ago; returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM tool_call WHERE begun_at < now() - make_interval(days => $1)`,
      [KEPT_DAYS],
    );
    return count;
  }

  /** A call has one step: it has begun, or it has ended. */
  private progressIn(state: ToolCallState): ToolProgress {
    if (state === 'unknown') return { seq: 0, progress: 0, ended: false };
    if (state === 'running') return { seq: 1, progress: 0, stage: this.settings.stage, ended: false };
    return { seq: 2, progress: state === 'done' ? 1 : 0, ended: true };
  }

  private async find(idemKey: string): Promise<Row | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT state, reply FROM tool_call WHERE idem_key = decode($1, 'hex')`,
      [idemKey],
    );
    return rows[0];
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

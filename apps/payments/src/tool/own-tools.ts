import { Injectable } from '@nestjs/common';
import { type ToolName, type ToolProgress, type ToolReply, TOOLS } from '@svc/contracts';
import type { JsonObject } from '@svc/durability';
import { inTransaction, parseOrProblem, problem } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { CheckoutService } from '../checkout/checkout.service.js';
import { stepFaultOf } from './remote-effect.js';
import type { KeyedToolCall, ToolCallState, ToolRunner } from './tool-runner.js';

/** Whose the checkouts of sagas are, within whom the key of the effect is their Idempotency-Key. */
const PAYER = 'saga';

/** How long the key of a call is known: longer than any copy of it can be on its way. */
const KEPT_DAYS = 30;

/** What a tool does here; it may be run again under a key, and comes to the same. */
interface OwnTool {
  /** It only says what stands: there is nothing to know again or to take back, and no record of it is kept. */
  readonly hasNoEffect?: boolean;
  admit(): void;
  run(call: KeyedToolCall): Promise<JsonObject>;
  /** Takes back what ran under the key. */
  undo(idemKey: string): Promise<void>;
}

/**
 * The tools that this service runs itself, behind the same guarantee as those of others: a key that was revoked stands in
 * the database, and what comes after it is refused, or taken back at once where it was under way.
 */
@Injectable()
export class OwnTools implements ToolRunner {
  private readonly tools: Partial<Record<ToolName, OwnTool>>;
  /** What runs here now, by its key. */
  private readonly active = new Map<string, Promise<unknown>>();

  constructor(
    private readonly dataSource: DataSource,
    checkouts: CheckoutService,
  ) {
    this.tools = {
      create_purchase_link: {
        admit: () => checkouts.assertInService(),
        run: async ({ input, idemKey, baseUrl }) => {
          const asked = parseOrProblem(TOOLS.create_purchase_link.input, input);
          return checkouts.purchaseLink({
            ...asked,
            payer: PAYER,
            idempotencyKey: idemKey,
            ...(baseUrl === undefined ? {} : { baseUrl }),
          });
        },
        undo: idemKey => checkouts.withdrawLink(PAYER, idemKey),
      },
      get_product_catalog: {
        hasNoEffect: true,
        admit: () => undefined,
        run: async () => checkouts.catalog() as unknown as JsonObject,
        undo: async () => undefined,
      },
    };
  }

  async admit(tool: ToolName): Promise<void> {
    this.require(tool).admit();
  }

  async call(call: KeyedToolCall): Promise<ToolReply> {
    return this.run(call).catch(error => {
      throw stepFaultOf(error);
    });
  }

  /**
   * As {@link call}, for whoever is no saga.
   * @throws ProblemError CONFLICT where the key was revoked; those of the tool
   */
  async run(call: KeyedToolCall): Promise<ToolReply> {
    const tool = this.require(call.tool);
    if (tool.hasNoEffect) return { output: await tool.run(call) };
    const running = this.runOnce(tool, call);
    this.active.set(call.idemKey, running);
    return running.finally(() => {
      if (this.active.get(call.idemKey) === running) this.active.delete(call.idemKey);
    });
  }

  private async runOnce(tool: OwnTool, call: KeyedToolCall): Promise<ToolReply> {
    await this.begin(call);
    const output = await tool.run(call);
    if (await this.complete(call.idemKey)) return { output };
    await tool.undo(call.idemKey);
    throw revoked();
  }

  /** What ran is run again to know what it came to: it comes to the same. */
  async outcome(): Promise<undefined> {
    return undefined;
  }

  /** What is recorded of a key. */
  async stateOf(idemKey: string): Promise<ToolCallState> {
    return (await this.find(idemKey))?.state ?? 'unknown';
  }

  /** A call here is one step: it is waited for, for so long, where it runs in this process. */
  async progressOf(idemKey: string, waitMs: number): Promise<ToolProgress> {
    const running = this.active.get(idemKey)?.catch(() => undefined);
    if (running && waitMs > 0) {
      const waiting = new AbortController();
      await Promise.race([
        running,
        delay(waitMs, undefined, { signal: waiting.signal }).catch(() => undefined),
      ]);
      waiting.abort();
    }
    const state = await this.stateOf(idemKey);
    const isDone = state === 'done';
    return { seq: Number(isDone), progress: Number(isDone), ended: isDone || state === 'revoked' };
  }

  /** Takes a key back of which the tool is not known; one that never came has a tombstone of `tool`. */
  async revokeKey(idemKey: string, tool: ToolName): Promise<ToolCallState> {
    return this.revoke(idemKey, (await this.find(idemKey))?.tool ?? tool);
  }

  async revoke(idemKey: string, tool: ToolName): Promise<ToolCallState> {
    const was = await inTransaction(this.dataSource, async manager => {
      const inserted: unknown[] = await manager.query(
        `INSERT INTO tool_call (idem_key, tool, state) VALUES (decode($1, 'hex'), $2, 'revoked')
         ON CONFLICT (idem_key) DO NOTHING RETURNING 1`,
        [idemKey, tool],
      );
      if (inserted.length > 0) return 'unknown';
      const [row]: { state: ToolCallState }[] = await manager.query(
        `SELECT state FROM tool_call WHERE idem_key = decode($1, 'hex') FOR UPDATE`,
        [idemKey],
      );
      await manager.query(`UPDATE tool_call SET state = 'revoked' WHERE idem_key = decode($1, 'hex')`, [
        idemKey,
      ]);
      return row.state;
    });
    // Again also where it was revoked before: whoever did may have died before this.
    if (was !== 'unknown') await this.require(tool).undo(idemKey);
    return was;
  }

  /** Forgets calls that were made long ago; returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM tool_call WHERE begun_at < now() - make_interval(days => $1)`,
      [KEPT_DAYS],
    );
    return count;
  }

  private async find(idemKey: string): Promise<{ tool: ToolName; state: ToolCallState } | undefined> {
    const rows: { tool: ToolName; state: ToolCallState }[] = await this.dataSource.query(
      `SELECT tool, state FROM tool_call WHERE idem_key = decode($1, 'hex')`,
      [idemKey],
    );
    return rows[0];
  }

  private async begin({ idemKey, tool }: KeyedToolCall): Promise<void> {
    const [{ state }]: { state: ToolCallState }[] = await this.dataSource.query(
      `INSERT INTO tool_call AS call (idem_key, tool, state) VALUES (decode($1, 'hex'), $2, 'running')
       ON CONFLICT (idem_key) DO UPDATE SET state = call.state RETURNING state`,
      [idemKey, tool],
    );
    if (state === 'revoked') throw revoked();
  }

  /** False where the key was revoked meanwhile. */
  private async complete(idemKey: string): Promise<boolean> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `UPDATE tool_call SET state = 'done' WHERE idem_key = decode($1, 'hex') AND state <> 'revoked'`,
      [idemKey],
    );
    return count === 1;
  }

  /** @throws ProblemError NOT_YET_AVAILABLE for a tool of another service, and for one that runs as its own saga alone */
  private require(name: ToolName): OwnTool {
    const tool = this.tools[name];
    if (tool) return tool;
    throw problem('NOT_YET_AVAILABLE', `The payments service does not run the tool ${name} as a call`);
  }
}

const revoked = () =>
  problem('CONFLICT', 'The call was revoked and is not made any more', { extensions: { state: 'revoked' } });

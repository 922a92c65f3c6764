import { type CreateKeyRequest, KEY_LINEAGE_MAX, type KeyHolder } from '@svc/contracts';
import {
  loadConfig,
  type OutgoingRules,
  outgoingUrlFault,
  problem,
  type ProblemError,
  type ServiceEnvironment,
  unprocessable,
} from '@svc/platform';
import { coversAnyOperation, coversOperation, MICRO_USD_PER_USD } from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Caps of a key, micro-USD. */
interface Caps {
  readonly day?: number;
  readonly total?: number;
}

/** What a key spent of a cap. */
export interface CapState {
  readonly per: 'day' | 'total';
  readonly capMicroUsd: number;
  readonly spentMicroUsd: number;
  readonly resetsAt?: string;
}

/** Columns of a key's limits, for {@link limitsOfRow}; `key_limit` is joined as `lim`. */
export const LIMIT_COLUMNS = `lim.limit_id, lim.lineage, lim.operations, lim.cap_day_micro_usd::float8 AS cap_day,
  lim.cap_total_micro_usd::float8 AS cap_total, lim.spent_micro_usd::float8 AS spent_total,
  CASE WHEN lim.spent_day = (now() AT TIME ZONE 'UTC')::date THEN lim.spent_day_micro_usd ELSE 0 END::float8 AS spent_day,
  lim.notify_below_micro_usd::float8 AS notify_below,
  (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS day_ends`;

interface LimitRow {
  readonly limit_id: string | null;
  readonly lineage: string[];
  readonly operations: string[] | null;
  readonly cap_day: number | null;
  readonly cap_total: number | null;
  readonly spent_day: number;
  readonly spent_total: number;
  readonly notify_below: number | null;
  readonly day_ends: Date;
}

/** Limits of a key, as its holder sees them. */
export interface ListedLimits {
  readonly limitId: string;
  readonly lineage: readonly string[];
  readonly operations?: readonly string[];
  readonly caps: readonly CapState[];
  readonly notifyBelowMicroUsd?: number;
}

/** Reads {@link LIMIT_COLUMNS}; undefined of a key without limits. */
export function limitsOfRow(columns: object): ListedLimits | undefined {
  const row = columns as LimitRow;
  if (row.limit_id === null) return undefined;
  const { limit_id: limitId, lineage, operations, cap_day, cap_total, notify_below } = row;
  const day = { per: 'day' as const, spentMicroUsd: row.spent_day, resetsAt: row.day_ends.toISOString() };
  return {
    ...{ limitId, lineage },
    ...(operations && { operations }),
    caps: [
      ...(cap_day === null ? [] : [{ ...day, capMicroUsd: cap_day }]),
      ...(cap_total === null
        ? []
        : [{ per: 'total' as const, capMicroUsd: cap_total, spentMicroUsd: row.spent_total }]),
    ],
    ...(notify_below === null ? {} : { notifyBelowMicroUsd: notify_below }),
  };
}

/** Limits of a key as its holder is shown them: a cap that is not there is not named. */
export function shownLimits(limits: ListedLimits | undefined) {
  if (!limits) return {};
  const { caps, operations, notifyBelowMicroUsd } = limits;
  return {
    ...(caps.length > 0 && { caps: [...caps] }),
    ...(operations && { operations: [...operations] }),
    ...(notifyBelowMicroUsd !== undefined && { notifyBelowMicroUsd }),
  };
}

/** @throws ProblemError FORBIDDEN naming what the key may pay for */
export function notAllowed(operationId: string, operations: readonly string[] = []): ProblemError {
  return problem('FORBIDDEN', `The key pays for ${operations.join(', ')}, and not for ${operationId}`, {
    extensions: { operationId, operations },
  });
}

const noticeConfig = z.object({ CALLBACK_LOOPBACK: z.enum(['true', 'false', '']).default('false') });

/** Where notices may go: as the callbacks of tasks, to public addresses alone, and in a sandbox to this machine where that is set. */
export function noticeRulesOf({
  production,
  variables = process.env,
}: Pick<ServiceEnvironment, 'production' | 'variables'>): OutgoingRules {
  const { CALLBACK_LOOPBACK } = loadConfig(noticeConfig, variables);
  return { allowLoopback: !production && CALLBACK_LOOPBACK === 'true' };
}

/** Micro-USD of a decimal number of dollars that the contract has let in. */
const microUsdOf = (usd: string): number => Math.round(Number(usd) * MICRO_USD_PER_USD);

interface StandingRow {
  readonly lineage: string[];
  readonly operations: string[] | null;
  readonly cap_day: number | null;
  readonly cap_total: number | null;
}

/** Limits that the holder of an account sets for a key, and what such keys spend. */
export class KeyLimitStore {
  /** @param rules where notices may go */
  constructor(private readonly rules: OutgoingRules) {}

  /**
   * Stores the limits that a key is to have.
   * @returns their id; none where nothing was asked and the asking key has none itself
   * @throws ProblemError UNPROCESSABLE naming the member that is wrong; FORBIDDEN for limits wider than those of the key that asks
   */
  async create(
    manager: EntityManager,
    by: Pick<KeyHolder, 'accountId' | 'limits'>,
    asked: CreateKeyRequest,
  ): Promise<string | undefined> {
    const { cap, operations, expiresAt, notify } = asked;
    const caps = capsOf(asked);
    this.refuseUnknown(asked);
    const above = await standingOf(manager, by);
    // A key that merely ends has limits too, so that it makes none that goes on.
    if (!above && !cap && !operations && !expiresAt && !notify) return undefined;
    if (above) refuseWider(above, caps, operations);
    const limitId = randomUUID();
    const kept = operations ?? above?.operations ?? undefined;
    await manager.query(
      `INSERT INTO key_limit (limit_id, account_id, lineage, operations, cap_day_micro_usd, cap_total_micro_usd,
         notify_below_micro_usd, notify_url) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        ...[limitId, by.accountId, [limitId, ...(above?.lineage ?? [])], kept ?? null],
        ...[caps.day ?? null, caps.total ?? null],
        ...(notify ? [microUsdOf(notify.belowUsd), notify.url] : [null, null]),
      ],
    );
    return limitId;
  }

  private refuseUnknown({ operations = [], expiresAt, notify }: CreateKeyRequest): void {
    operations.forEach((pattern, place) => {
      if (coversAnyOperation(pattern)) return;
      const message = `${pattern} is no operation that has a price, nor a family of them`;
      throw unprocessable(`operations[${place}]`, message, { got: pattern });
    });
    if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
      throw unprocessable('expiresAt', 'must be later than now', { got: expiresAt });
    const fault = notify && outgoingUrlFault(notify.url, this.rules);
    if (fault !== undefined)
      throw unprocessable('notify.url', fault, { bound: 'a public address, by https' });
  }
}

/**
 * Gives back to the caps of a key what a claim had spent of them: to be called in the transaction that gives the credit back, once the
 * account is locked. Of a day that is over nothing is left to give back.
 */
export async function giveBackToCaps(
  manager: EntityManager,
  claimId: string,
  amountMicroUsd: number,
): Promise<void> {
  await manager.query(
    `UPDATE key_limit lim
        SET spent_micro_usd = lim.spent_micro_usd - $2,
            spent_day_micro_usd = lim.spent_day_micro_usd - CASE WHEN lim.spent_day = claim.limit_day THEN $2 ELSE 0 END
       FROM payment_claim claim JOIN key_limit own USING (limit_id)
      WHERE claim.claim_id = $1 AND lim.limit_id = ANY (own.lineage)`,
    [claimId, amountMicroUsd],
  );
}

function capsOf({ cap }: CreateKeyRequest): Caps {
  const asked = cap === undefined ? [] : [cap].flat();
  const caps = Object.fromEntries(asked.map(({ per, usd }) => [per, microUsdOf(usd)]));
  if (Object.keys(caps).length < asked.length)
    throw unprocessable('cap', `two caps must differ in per, got ${asked[0].per} twice`);
  return caps;
}

async function standingOf(
  manager: EntityManager,
  { limits }: Pick<KeyHolder, 'limits'>,
): Promise<StandingRow | undefined> {
  if (!limits) return undefined;
  const [row]: StandingRow[] = await manager.query(
    `SELECT lim.lineage, lim.operations,
            (SELECT min(up.cap_day_micro_usd)::float8 FROM key_limit up WHERE up.limit_id = ANY (lim.lineage)) AS cap_day,
            (SELECT min(up.cap_total_micro_usd)::float8 FROM key_limit up WHERE up.limit_id = ANY (lim.lineage)) AS cap_total
       FROM key_limit lim WHERE lim.limit_id = $1`,
    [limits.limitId],
  );
  return row;
}

function refuseWider(above: StandingRow, caps: Caps, operations: readonly string[] | undefined): void {
  if (above.lineage.length >= KEY_LINEAGE_MAX) {
    const detail = `Keys make keys ${KEY_LINEAGE_MAX} deep at most; make this one with a key nearer to the account`;
    throw problem('FORBIDDEN', detail, {
      extensions: { max: KEY_LINEAGE_MAX, got: above.lineage.length + 1 },
    });
  }
  const wider = [
    ['day', caps.day, above.cap_day],
    ['total', caps.total, above.cap_total],
  ] as const;
  for (const [per, asked, own] of wider) {
    if (asked === undefined || own === null || asked <= own) continue;
    const detail = `A key makes narrower keys alone: cap of ${asked} µUSD a ${per}, and its own is ${own}`;
    throw problem('FORBIDDEN', detail, { extensions: { field: 'cap', max: own, got: asked } });
  }
  const foreign = operations?.find(pattern => !above.operations?.some(own => coversOperation(own, pattern)));
  if (!above.operations || foreign === undefined) return;
  const detail = `A key makes narrower keys alone: it may not pay for ${foreign} itself`;
  throw problem('FORBIDDEN', detail, {
    extensions: { field: 'operations', operations: above.operations, got: foreign },
  });
}

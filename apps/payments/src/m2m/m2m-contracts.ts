import { Injectable } from '@nestjs/common';
import { newId, problem } from '@svc/platform';
import type { M2mLicence } from '@svc/protocols';
import type { EntityManager } from 'typeorm';
import { grantEnd, M2M_TIERS, type M2mTier } from './m2m-tier.js';

/** A sale that is to be entered. */
export interface NewM2mEntry {
  readonly sagaId: string;
  /** What paid for it, and with that who. */
  readonly ticketId: string;
  readonly licensee: string;
  /** Made where none is named. */
  readonly contractId?: string;
  readonly tier: M2mTier;
  readonly capability: string | null;
  /** Above every one that stands, by at most {@link STREAM_STEP_MAX}; where none is named, the next. */
  readonly streamIndex?: number;
  readonly amountMicroUsd: number;
}

/** A sale under a contract. */
export interface M2mEntry {
  readonly state: 'claimed' | 'active' | 'void';
  /** What its token says; the key that signs it is known once it is settled. */
  readonly licence: Omit<M2mLicence, 'kid'>;
  readonly kid?: string;
  /** Of the last entry that stood when it was claimed. */
  readonly lastStreamIndex?: number;
  readonly amountMicroUsd: number;
  readonly proofId?: string;
  readonly starkRoot?: string;
}

/**
 * How far above the last a sale may place itself, so that a slip of one digit too many closes no contract for good: a thousand such
 * steps would. A clock in milliseconds is far below it, and may be a place.
 */
export const STREAM_STEP_MAX = 10_000_000_000_000;

type Row = Record<string, unknown>;

/** A contract whose row is locked, and who pays for the sale that is to be entered in it. */
interface LockedContract {
  readonly licensee: string;
  /** Who paid for its first sale; null where the payment did not say, and before that was kept. */
  readonly payer: string | null;
  /** Null where the payment does not say. */
  readonly buyer: string | null;
}

/** The contracts between machines, and what was sold under them, in Postgres. The contract's row lock decides who is next. */
@Injectable()
export class M2mContracts {
  /**
   * Claims a place in the stream of a contract, and makes the contract where there is none.
   * @throws ProblemError FORBIDDEN for a contract of another licensee or payer, STREAM_INDEX_STALE, UNPROCESSABLE for a
   *   place too far above the last
   */
  async claim(tx: EntityManager, sale: NewM2mEntry): Promise<M2mEntry> {
    const contractId = sale.contractId ?? newId('ctr');
    const contract = await this.lock(tx, contractId, sale);
    const [{ last, iat }]: { last: string | null; iat: string }[] = await tx.query(
      `SELECT max(stream_index) AS last, floor(extract(epoch FROM now()))::bigint AS iat
         FROM m2m_contract_entry WHERE contract_id = $1 AND state <> 'void'`,
      [contractId],
    );
    if (last === null) await this.takeOver(tx, contractId, sale.licensee, contract);
    else requireOwner(sale.licensee, contract);
    const lastStreamIndex = last === null ? undefined : Number(last);
    const { nodesMax, sublicense, metered, ...grant } = M2M_TIERS[sale.tier];
    const entry: M2mEntry = {
      state: 'claimed',
      licence: {
        ...{ v: 1, jti: newId('m2m'), tier: sale.tier },
        ...{ capability: sale.capability, licensee: sale.licensee, contract: contractId },
        streamIndex: nextIndex(contractId, lastStreamIndex, sale.streamIndex),
        iat: Number(iat),
        exp: grantEnd({ nodesMax, sublicense, metered, ...grant }, Number(iat)),
        ...{ nodesMax, sublicense, metered, saga: sale.sagaId },
      },
      amountMicroUsd: sale.amountMicroUsd,
      ...(lastStreamIndex === undefined ? {} : { lastStreamIndex }),
    };
    await this.insert(tx, entry);
    return entry;
  }

  /** The sale of a saga stands, under its contract. @throws RangeError where it was not claimed */
  async activate(tx: EntityManager, sagaId: string): Promise<void> {
    await this.change(
      tx,
      `UPDATE m2m_contract_entry SET state = 'active', state_changed_at = now() WHERE saga_id = $1 AND state = 'claimed'`,
      [sagaId],
    );
  }

  /** The sale of a saga is proved and signed: its token is one from now on. @throws RangeError where it does not stand */
  async settle(
    tx: EntityManager,
    sagaId: string,
    { proofId, starkRoot, kid }: { proofId: string; starkRoot: string; kid: string },
  ): Promise<void> {
    await this.change(
      tx,
      `UPDATE m2m_contract_entry SET proof_id = $2, stark_root = $3, kid = $4 WHERE saga_id = $1 AND state = 'active'`,
      [sagaId, proofId, starkRoot, kid],
    );
  }

  /** Takes the sale of a saga back for good; again, it does nothing. Its place in the stream is free. */
  async void(tx: EntityManager, sagaId: string): Promise<void> {
    await tx.query(
      `UPDATE m2m_contract_entry SET state = 'void', state_changed_at = now() WHERE saga_id = $1 AND state <> 'void'`,
      [sagaId],
    );
  }

  ofSaga(tx: EntityManager, sagaId: string): Promise<M2mEntry | undefined> {
    return this.find(tx, 'saga_id', sagaId);
  }

  /** The sale of a token. */
  ofToken(tx: EntityManager, jti: string): Promise<M2mEntry | undefined> {
    return this.find(tx, 'jti', jti);
  }

  /** The contract of a sale, which is its licensee's and its payer's where it is new; its row is locked. */
  private async lock(
    tx: EntityManager,
    contractId: string,
    { licensee, ticketId }: NewM2mEntry,
  ): Promise<LockedContract> {
    await tx.query(
      `INSERT INTO m2m_contract (contract_id, licensee, payer)
       SELECT $1, $2, payer FROM execution_ticket WHERE ticket_id = $3 ON CONFLICT (contract_id) DO NOTHING`,
      [contractId, licensee, ticketId],
    );
    const [row]: LockedContract[] = await tx.query(
      `SELECT contract.licensee, contract.payer, ticket.payer AS buyer
         FROM m2m_contract contract, execution_ticket ticket
        WHERE contract_id = $1 AND ticket_id = $2 FOR UPDATE OF contract`,
      [contractId, ticketId],
    );
    return row;
  }

  /** A contract under which nothing stands is free: a sale that was taken back keeps no name from others. */
  private async takeOver(
    tx: EntityManager,
    contractId: string,
    licensee: string,
    { licensee: before, payer, buyer }: LockedContract,
  ): Promise<void> {
    if (licensee === before && buyer === payer) return;
    await tx.query(`UPDATE m2m_contract SET licensee = $2, payer = $3 WHERE contract_id = $1`, [
      ...[contractId, licensee, buyer],
    ]);
  }

  private async insert(
    tx: EntityManager,
    { licence, lastStreamIndex, amountMicroUsd }: M2mEntry,
  ): Promise<void> {
    const { contract, licensee, streamIndex, saga, tier, capability, jti, iat, exp } = licence;
    await tx.query(
      `INSERT INTO m2m_contract_entry (saga_id, contract_id, stream_index, last_stream_index, tier, capability,
         amount_micro_usd, jti, iat, exp, nodes_max, sublicense, metered, licensee)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      [
        ...[saga, contract, streamIndex, lastStreamIndex ?? null, tier, capability, amountMicroUsd],
        ...[jti, iat, exp, licence.nodesMax, licence.sublicense, licence.metered, licensee],
      ],
    );
  }

  private async change(tx: EntityManager, statement: string, values: unknown[]): Promise<void> {
    const [, count]: [Row[], number] = await tx.query(statement, values);
    if (count !== 1)
      throw new RangeError(`the sale of saga ${String(values[0])} is not in the state for that`);
  }

  private async find(tx: EntityManager, by: 'saga_id' | 'jti', id: string): Promise<M2mEntry | undefined> {
    const rows: Row[] = await tx.query(`SELECT * FROM m2m_contract_entry WHERE ${by} = $1`, [id]);
    return rows[0] && entryOf(rows[0]);
  }
}

/**
 * Both the licensee and the contract stand in tokens that strangers are shown, so naming them shows nothing: what shows whose a
 * contract is, is the payment. One that was opened by a payment that does not say who paid has its licensee alone.
 * @throws ProblemError FORBIDDEN
 */
function requireOwner(asked: string, { licensee, payer, buyer }: LockedContract): void {
  if (licensee !== asked) throw problem('FORBIDDEN', 'The contract is of another licensee');
  if (payer !== null && payer !== buyer)
    throw problem(
      'FORBIDDEN',
      'The contract is of another payer: pay with the account or wallet that opened it',
    );
}

function nextIndex(contractId: string, last: number | undefined, asked: number | undefined): number {
  const next = last === undefined ? 0 : last + 1;
  const index = asked ?? next;
  if (index >= next && Number.isSafeInteger(index)) return withinStep(contractId, last, index);
  const said = `The last stream index of contract ${contractId} is ${last}`;
  throw problem(
    'STREAM_INDEX_STALE',
    asked === undefined ? `${said}: none is left above it` : `${said}, and ${asked} is not above it`,
    {
      errors: [{ path: 'streamIndex', message: `must be above ${last}`, bound: last, got: asked }],
      extensions: { contractId, lastStreamIndex: last },
    },
  );
}

/** @throws ProblemError UNPROCESSABLE for a place too far above the last */
function withinStep(contractId: string, last: number | undefined, index: number): number {
  const most = (last ?? 0) + STREAM_STEP_MAX;
  if (index <= most) return index;
  const bound =
    last === undefined
      ? `A contract begins at a stream index of at most ${most}`
      : `The last stream index of contract ${contractId} is ${last}, and the next is at most ${most}`;
  throw problem('UNPROCESSABLE', `${bound}: ${index} is above that`, {
    errors: [{ path: 'streamIndex', message: `must be at most ${most}`, bound: most, got: index }],
  });
}

function entryOf(row: Row): M2mEntry {
  const text = (name: string) => (row[name] as string | null) ?? undefined;
  const whole = (name: string) => (row[name] === null ? undefined : Number(row[name]));
  const [kid, proofId, starkRoot] = [text('kid'), text('proof_id'), text('stark_root')];
  const lastStreamIndex = whole('last_stream_index');
  return {
    state: row.state as M2mEntry['state'],
    licence: {
      v: 1,
      jti: row.jti as string,
      tier: row.tier as string,
      capability: row.capability as string | null,
      licensee: row.licensee as string,
      contract: row.contract_id as string,
      streamIndex: Number(row.stream_index),
      iat: Number(row.iat),
      exp: whole('exp') ?? null,
      nodesMax: row.nodes_max as number,
      sublicense: row.sublicense as boolean,
      metered: row.metered as boolean,
      saga: row.saga_id as string,
    },
    amountMicroUsd: Number(row.amount_micro_usd),
    ...(kid === undefined ? {} : { kid }),
    ...(lastStreamIndex === undefined ? {} : { lastStreamIndex }),
    ...(proofId === undefined ? {} : { proofId }),
    ...(starkRoot === undefined ? {} : { starkRoot }),
  };
}

import { Inject, Injectable } from '@nestjs/common';
import {
  inTransaction,
  type KeyedDigest,
  problem,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { enrolmentForm } from '../migrations/1766500000000-keyed-digests.js';
import { type EnrolledSurface, type EnrolmentRecord, SurfaceSeal } from './enrolled-surface.js';
import { enrolmentsMaxOf } from './speckle-config.js';

/** A slab is photographed anew as it wears, not without end. */
const SLAB_ENROLMENTS_MAX = 256;

/** Marked enrolments of an account that a new one is held against: each takes a comparison, 0.3 s to 1 s of a thread. */
const MARKED_MAX = 16;

type Row = Record<string, unknown>;

/** Which surface is asked for: one of the two. */
export interface SurfaceName {
  /** The newest enrolment of the slab. */
  readonly slabId?: string;
  readonly pufId?: string;
}

/** Enrolled surfaces. The first account that enrols under a slabId keeps it; nothing is ever changed. */
@Injectable()
export class SurfaceStore {
  /** Of an account. */
  private readonly enrolmentsMax: number;

  constructor(
    private readonly dataSource: DataSource,
    private readonly seal: SurfaceSeal,
    @Inject(SERVICE_ENVIRONMENT) { variables = process.env }: Pick<ServiceEnvironment, 'variables'>,
  ) {
    this.enrolmentsMax = enrolmentsMaxOf(variables);
  }

  /**
   * Keeps a surface: it and its slab's owner in one transaction, so that of two accounts at once exactly one gets a slabId.
   * @returns what is on record: what the same request was answered with before, where it was
   * @throws ProblemError CONFLICT for a slabId of another account, UNPROCESSABLE for one, or for an account, with too many enrolments
   */
  async keep(surface: EnrolledSurface, request: KeyedDigest): Promise<EnrolledSurface> {
    const { print, ...record } = surface;
    const sealed = this.seal.seal(print, record);
    return inTransaction(this.dataSource, async manager => {
      await lock(manager, `speckle_account ${record.accountId}`);
      if (record.slabId !== null) await this.takeSlab(manager, record.slabId, record.accountId);
      const before = await this.ofRequest(request, manager);
      if (before) return before;
      await this.requireRoomOf(record.accountId, manager);
      if (record.slabId !== null) await this.requireRoom(manager, record.slabId);
      await insert(manager, record, sealed);
      return surface;
    });
  }

  /** What rows know a request of an account by. */
  digestOf(requestDigest: Uint8Array, accountId: string): KeyedDigest {
    return this.seal.requests.of(requestDigest, accountId);
  }

  /** What a request was answered with before. */
  async ofRequest(
    { keyed, plain }: KeyedDigest,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<EnrolledSurface | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT * FROM speckle_enrolment
        WHERE request_digest = $2 OR ${enrolmentForm(1)} = ANY ($1)
           OR (${enrolmentForm(2)} <> '' AND ${enrolmentForm(2)} = ANY ($1))
        ORDER BY number LIMIT 1`,
      [keyed, plain],
    );
    return rows.map(row => this.surfaceOf(row)).at(0);
  }

  /** @throws ProblemError CONFLICT where the slab is another account's; nothing is taken */
  async requireFree(slabId: string, accountId: string): Promise<void> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT account_id FROM speckle_slab WHERE slab_id = $1`,
      [slabId],
    );
    if (rows.some(row => row.account_id !== accountId)) throw othersSlab(slabId);
  }

  /** @throws ProblemError UNPROCESSABLE where the account has as many enrolments as are kept of one */
  async requireRoomOf(accountId: string, manager: EntityManager = this.dataSource.manager): Promise<void> {
    const [{ enrolments: got }]: { enrolments: number }[] = await manager.query(
      `SELECT count(*)::int AS enrolments FROM speckle_enrolment WHERE account_id = $1`,
      [accountId],
    );
    const bound = this.enrolmentsMax;
    if (got < bound) return;
    const message = `this account has enrolled ${got} surfaces; at most ${bound} are kept of one`;
    throw problem('UNPROCESSABLE', `enroll: ${message}`, {
      errors: [{ path: 'enroll', message, bound, got }],
    });
  }

  /** @throws ProblemError NOT_FOUND; UNPROCESSABLE where its row is not as it was written */
  async get({ slabId, pufId }: SurfaceName): Promise<EnrolledSurface> {
    const [column, name] = pufId === undefined ? ['slab_id', slabId] : ['puf_id', pufId];
    const rows: Row[] = await this.dataSource.query(
      `SELECT * FROM speckle_enrolment WHERE ${column} = $1 ORDER BY number DESC LIMIT 1`,
      [name],
    );
    if (rows.length === 0) {
      throw problem(
        'NOT_FOUND',
        `No surface is enrolled under this ${pufId === undefined ? 'slabId' : 'pufId'}`,
      );
    }
    return this.surfaceOf(rows[0]);
  }

  /** Whether an enrolment is marked, so that nothing is compared with it, and whether its slab was enrolled anew since. */
  async standingOf({ pufId }: EnrolmentRecord): Promise<{ isExposed: boolean; isReplaced: boolean }> {
    const rows: { isExposed: boolean; isReplaced: boolean }[] = await this.dataSource.query(
      `SELECT EXISTS (SELECT FROM speckle_exposed x WHERE x.puf_id = this.puf_id) AS "isExposed",
              EXISTS (SELECT FROM speckle_enrolment newer
                       WHERE newer.slab_id = this.slab_id AND newer.number > this.number) AS "isReplaced"
         FROM speckle_enrolment this WHERE puf_id = $1`,
      [pufId],
    );
    return rows[0];
  }

  /**
   * The pufIds of marked enrolments of an account that pictures can be compared with, at most {@link MARKED_MAX}: those of the slab
   * first, if one is named, since its owner most likely photographs that piece, then the newest of the others.
   */
  async exposedOf(accountId: string, fingerprintVersion: string, slabId?: string): Promise<string[]> {
    const rows: { pufId: string }[] = await this.dataSource.query(
      `SELECT puf_id AS "pufId" FROM speckle_enrolment JOIN speckle_exposed USING (puf_id)
        WHERE account_id = $1 AND fingerprint_version = $2
        ORDER BY (slab_id = $3) DESC NULLS LAST, number DESC LIMIT $4`,
      [accountId, fingerprintVersion, slabId ?? null, MARKED_MAX],
    );
    return rows.map(({ pufId }) => pufId);
  }

  /**
   * Keys the digests that an earlier release wrote plainly; the print is sealed to its record, and so sealed again. What does not
   * open, for want of its secret, stays as it is.
   */
  async keyPlainDigests(): Promise<number> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT * FROM speckle_enrolment WHERE length(request_digest) = 32 ORDER BY puf_id`,
    );
    let count = 0;
    for (const row of rows) {
      const record = recordOf(row);
      const requestDigest = this.seal.requests.of(record.requestDigest, record.accountId).bytes;
      let sealed: Buffer;
      try {
        sealed = this.seal.seal(this.seal.open(row.sealed as Buffer, record), { ...record, requestDigest });
      } catch {
        continue;
      }
      await this.dataSource.query(
        `UPDATE speckle_enrolment SET request_digest = $2, sealed = $3 WHERE puf_id = $1 AND request_digest = $4`,
        [record.pufId, requestDigest, sealed, record.requestDigest],
      );
      count++;
    }
    return count;
  }

  private async takeSlab(manager: EntityManager, slabId: string, accountId: string): Promise<void> {
    await lock(manager, `speckle_slab ${slabId}`);
    await manager.query(
      `INSERT INTO speckle_slab (slab_id, account_id) VALUES ($1, $2) ON CONFLICT (slab_id) DO NOTHING`,
      [slabId, accountId],
    );
    const rows: Row[] = await manager.query(`SELECT account_id FROM speckle_slab WHERE slab_id = $1`, [
      slabId,
    ]);
    if (rows[0].account_id !== accountId) throw othersSlab(slabId);
  }

  private async requireRoom(manager: EntityManager, slabId: string): Promise<void> {
    const [{ enrolments: got }]: { enrolments: number }[] = await manager.query(
      `SELECT count(*)::int AS enrolments FROM speckle_enrolment WHERE slab_id = $1`,
      [slabId],
    );
    if (got < SLAB_ENROLMENTS_MAX) return;
    const message = `is enrolled ${got} times; at most ${SLAB_ENROLMENTS_MAX} enrolments of one slab are kept`;
    throw problem('UNPROCESSABLE', `slabId: ${message}`, {
      errors: [{ path: 'slabId', message, bound: SLAB_ENROLMENTS_MAX, got }],
    });
  }

  private surfaceOf(row: Row): EnrolledSurface {
    const record = recordOf(row);
    return { ...record, print: this.seal.open(row.sealed as Buffer, record) };
  }
}

const othersSlab = (slabId: string) =>
  problem('CONFLICT', 'This slabId is another account’s', {
    errors: [{ path: 'slabId', message: 'was enrolled by another account first', got: slabId }],
  });

const lock = (manager: EntityManager, name: string) =>
  manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [name]);

async function insert(manager: EntityManager, record: EnrolmentRecord, sealed: Buffer): Promise<void> {
  const values: readonly (readonly [column: string, value: unknown])[] = [
    ['puf_id', record.pufId],
    ['slab_id', record.slabId],
    ['account_id', record.accountId],
    ['key_id', record.keyId],
    ['request_digest', record.requestDigest],
    ['fingerprint_version', record.fingerprintVersion],
    ['modality', record.modality],
    ['bit_count', record.bitCount],
    ['usable_bits', record.usableBits],
    ['quality', JSON.stringify(record.quality)],
    ['helper_data', record.helperData],
    ['key_commitment', record.keyCommitment],
    ['residual_entropy_bits', record.residualEntropyBits],
    ['enrolled_at', record.enrolledAt],
    ['sealed', sealed],
  ];
  await manager.query(
    `INSERT INTO speckle_enrolment (${values.map(([column]) => column).join(', ')})
     VALUES (${values.map((_, index) => `$${index + 1}`).join(', ')})`,
    values.map(([, value]) => value),
  );
}

const recordOf = (row: Row): EnrolmentRecord => ({
  pufId: row.puf_id as string,
  slabId: row.slab_id as string | null,
  accountId: row.account_id as string,
  keyId: row.key_id as string | null,
  requestDigest: row.request_digest as Buffer,
  fingerprintVersion: row.fingerprint_version as string,
  modality: row.modality as EnrolmentRecord['modality'],
  bitCount: row.bit_count as number,
  usableBits: row.usable_bits as number,
  quality: row.quality as EnrolmentRecord['quality'],
  helperData: row.helper_data as Buffer,
  keyCommitment: row.key_commitment as Buffer,
  residualEntropyBits: row.residual_entropy_bits as number,
  enrolledAt: (row.enrolled_at as Date).toISOString(),
});

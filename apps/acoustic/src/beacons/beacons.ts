import { Injectable } from '@nestjs/common';
import type { Beacon, EnrolledBeacon, KeyHolder } from '@svc/contracts';
import { inTransaction, newId, problem } from '@svc/platform';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { z } from 'zod';

type BeaconReply = z.output<typeof Beacon>;

/** Emitters of one account. */
export const BEACONS_MAX = 100;
const SECRET_BYTES = 32;

const hashOf = (secret: string) => createHash('sha256').update(secret, 'utf8').digest();
/** What the secret of an emitter that is not there is held against: it takes as long. */
const NOBODY = hashOf(randomBytes(SECRET_BYTES).toString('base64url'));

/** The emitters that accounts have enrolled. */
@Injectable()
export class Beacons {
  constructor(private readonly dataSource: DataSource) {}

  /** The emitter, with its secret: of that nothing is kept but a digest. @throws ProblemError CONFLICT beyond {@link BEACONS_MAX} */
  async enrol(by: KeyHolder, name: string): Promise<EnrolledBeacon> {
    const beaconKey = newId('bcn');
    const emitterSecret = randomBytes(SECRET_BYTES).toString('base64url');
    const enrolledAt = await inTransaction(this.dataSource, async manager => {
      // Two at once would each find room for one.
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('beacons of ' || $1, 0))`, [
        by.accountId,
      ]);
      const rows: { enrolled_at: Date }[] = await manager.query(
        `INSERT INTO beacon (beacon_key, account_id, enrolled_by_key, name, secret_hash)
         SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM beacon WHERE account_id = $2) < $6
         RETURNING enrolled_at`,
        [beaconKey, by.accountId, by.keyId, name, hashOf(emitterSecret), BEACONS_MAX],
      );
      if (rows.length > 0) return rows[0].enrolled_at;
      const detail = `The account has ${BEACONS_MAX} emitters: remove one first`;
      throw problem('CONFLICT', detail, { extensions: { beaconsMax: BEACONS_MAX } });
    });
    return { beaconKey, name, enrolledAt: enrolledAt.toISOString(), emitterSecret };
  }

  /** Those of an account, the oldest first. */
  async list({ accountId }: KeyHolder): Promise<BeaconReply[]> {
    const rows: { beacon_key: string; name: string; enrolled_at: Date }[] = await this.dataSource.query(
      `SELECT beacon_key, name, enrolled_at FROM beacon WHERE account_id = $1 ORDER BY enrolled_at, beacon_key`,
      [accountId],
    );
    return rows.map(({ beacon_key: beaconKey, name, enrolled_at: enrolledAt }) => ({
      ...{ beaconKey, name, enrolledAt: enrolledAt.toISOString() },
    }));
  }

  /** Removes an emitter, with the sounds that wait for it. @throws ProblemError NOT_FOUND, also for another account's */
  async remove({ accountId }: KeyHolder, beaconKey: string): Promise<void> {
    const [, count] = await this.dataSource.query(
      `DELETE FROM beacon WHERE beacon_key = $1 AND account_id = $2`,
      [beaconKey, accountId],
    );
    if (count === 0) throw problem('NOT_FOUND', 'The account has no emitter of this beaconKey');
  }

  async isEnrolled(beaconKey: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(`SELECT 1 FROM beacon WHERE beacon_key = $1`, [
      beaconKey,
    ]);
    return rows.length > 0;
  }

  /** In constant time, and alike for an emitter that is not there. @throws ProblemError UNKNOWN_CREDENTIAL */
  async requireSecret(beaconKey: string, emitterSecret: string): Promise<void> {
    const rows: { secret_hash: Buffer }[] = await this.dataSource.query(
      `SELECT secret_hash FROM beacon WHERE beacon_key = $1`,
      [beaconKey],
    );
    const isRight = timingSafeEqual(rows[0]?.secret_hash ?? NOBODY, hashOf(emitterSecret));
    if (!isRight) throw problem('UNKNOWN_CREDENTIAL', 'The emitter, or its secret, is not known');
  }
}

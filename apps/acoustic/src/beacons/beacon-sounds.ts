import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  BUS_LINK,
  type BusLink,
  type Drains,
  problem,
  SealedJson,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
  TopicNews,
} from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { challengeSecretsOf } from '../acoustic-config.js';
import { challengeOptions } from '../pairing/challenge-listener.js';
import type { Band } from '../pairing/pairing-challenges.js';
import { SoundService } from '../sound/sound.service.js';
import { Beacons } from './beacons.js';

/** Sounds that may wait for one emitter: more than it can play before they expire. */
export const SOUNDS_WAITING_MAX = 16;
/** How often an open question looks into the table by itself: a notice may be lost. */
const LOOK_MS = 1_000;

/** Questions that are held open here. */
const QUESTIONS = { topic: 'emitter', topicMax: 4, countMax: 1_024 };

const SealedPayload = z.string().regex(/^[0-9a-f]{32}$/);

/** The sound of a challenge that only an emitter is to have. */
interface WaitingSound {
  readonly nonceHash: Buffer;
  readonly beaconKey: string;
  readonly band: Band;
  readonly payload: Uint8Array;
  readonly expiresAt: Date;
}

/** A sound that is given to its emitter. */
export interface GivenSound {
  readonly wav: Uint8Array;
  readonly expiresAt: string;
}

interface Row {
  nonce_hash: Buffer;
  frequency_band: Band;
  payload: Buffer;
  issued_at: Date;
  expires_at: Date;
}

/**
 * Sounds on their way to emitters, in Postgres: each is given once, to whoever has the emitter's secret. A question that is held
 * open hears of a new one over a notice of whichever replica made the challenge, and looks once a second in any case.
 */
@Injectable()
export class BeaconSounds implements Drains, OnApplicationShutdown {
  private readonly seal: SealedJson;
  private readonly news: TopicNews;

  constructor(
    private readonly dataSource: DataSource,
    private readonly beacons: Beacons,
    private readonly sounds: SoundService,
    @Inject(BUS_LINK) link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) { secrets, logger }: Pick<ServiceEnvironment, 'secrets' | 'logger'>,
  ) {
    this.seal = new SealedJson(challengeSecretsOf(secrets), 'svc/beacon-sound/v1');
    this.news = new TopicNews({ link, service: 'acoustic', logger }, QUESTIONS);
  }

  /** @throws ProblemError QUEUE_FULL, NOT_FOUND where the emitter was removed meanwhile */
  async add(manager: EntityManager, sound: WaitingSound): Promise<void> {
    const { nonceHash, beaconKey, band, payload, expiresAt } = sound;
    await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('sounds of ' || $1, 0))`, [beaconKey]);
    const [{ waiting }]: { waiting: number }[] = await manager.query(
      `SELECT count(*)::int AS waiting FROM beacon_sound WHERE beacon_key = $1 AND expires_at > now()`,
      [beaconKey],
    );
    if (waiting >= SOUNDS_WAITING_MAX) {
      throw problem('QUEUE_FULL', `${SOUNDS_WAITING_MAX} sounds wait for this emitter, and it takes none`, {
        retryAfterSeconds: 5,
      });
    }
    const rows: unknown[] = await manager.query(
      `INSERT INTO beacon_sound (nonce_hash, beacon_key, frequency_band, payload, expires_at)
       SELECT $1, beacon_key, $3, $4, $5 FROM beacon WHERE beacon_key = $2 RETURNING 1`,
      [
        ...[nonceHash, beaconKey, band],
        ...[this.seal.seal(Buffer.from(payload).toString('hex'), nonceHash), expiresAt],
      ],
    );
    if (rows.length === 0) throw problem('NOT_FOUND', 'The emitter was removed');
  }

  /** Says to every replica that there is a sound, once it is committed. */
  tell(beaconKey: string): void {
    this.news.tell(beaconKey);
  }

  /**
   * The oldest sound that waits for an emitter; undefined where there is none within `waitMs`.
   * @throws ProblemError UNKNOWN_CREDENTIAL; OVERLOADED where too many wait
   */
  async next(beaconKey: string, emitterSecret: string, waitMs: number): Promise<GivenSound | undefined> {
    await this.beacons.requireSecret(beaconKey, emitterSecret);
    const until = performance.now() + waitMs;
    for (;;) {
      // Before the look: a sound that comes after it wakes the wait.
      const woken = this.news.expect(beaconKey);
      try {
        const sound = await this.take(beaconKey);
        const leftMs = until - performance.now();
        if (sound || leftMs <= 0 || this.news.isClosed) return sound;
        await woken.within(Math.min(LOOK_MS, leftMs));
      } finally {
        woken.end();
      }
    }
  }

  /** Forgets sounds that expired; returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM beacon_sound WHERE expires_at < now() - interval '1 minute'`,
    );
    return count;
  }

  /** Nobody waits any longer: who asked asks again, and another replica answers. */
  drain(): void {
    this.news.close();
  }

  onApplicationShutdown(): void {
    this.news.close();
  }

  /** Takes the oldest sound out of the table: exactly one of any number of callers gets it. */
  private async take(beaconKey: string): Promise<GivenSound | undefined> {
    const [rows]: [Row[], number] = await this.dataSource.query(
      `DELETE FROM beacon_sound WHERE nonce_hash = (
         SELECT nonce_hash FROM beacon_sound WHERE beacon_key = $1 AND expires_at > now()
          ORDER BY issued_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING nonce_hash, frequency_band, payload, issued_at, expires_at`,
      [beaconKey],
    );
    const [row] = rows;
    if (!row) return undefined;
    try {
      const payload = SealedPayload.parse(this.seal.open(row.payload, row.nonce_hash));
      const options = challengeOptions(row.frequency_band);
      const { wav } = await this.sounds.make(Uint8Array.from(Buffer.from(payload, 'hex')), options, true);
      return { wav: wav!, expiresAt: row.expires_at.toISOString() };
    } catch (error) {
      await this.putBack(beaconKey, row);
      throw error;
    }
  }

  /** A sound that could not be made was given to nobody. */
  private async putBack(beaconKey: string, row: Row): Promise<void> {
    const { nonce_hash: nonceHash, frequency_band: band, payload } = row;
    await this.dataSource.query(
      `INSERT INTO beacon_sound (nonce_hash, beacon_key, frequency_band, payload, issued_at, expires_at)
       SELECT $1, beacon_key, $3, $4, $5, $6 FROM beacon WHERE beacon_key = $2
       ON CONFLICT (nonce_hash) DO NOTHING`,
      [nonceHash, beaconKey, band, payload, row.issued_at, row.expires_at],
    );
  }
}

import { Injectable } from '@nestjs/common';
import type { FrequencyBand } from '@svc/contracts';
import type { Pairing } from '@svc/protocols';
import { DataSource, type EntityManager } from 'typeorm';
import type { z } from 'zod';

export type Band = z.output<typeof FrequencyBand>;

/** Recordings that may be held against one challenge, those that do not answer it included. */
export const TRIES_MAX = 16;
/** How long a challenge is known after its end: a late answer is told that it is late. */
const KEPT_HOURS = 24;

/** What a pairing's answer says, but for its token, which is signed from it whenever it is asked for. */
export interface StoredPairing {
  readonly claims: Pairing;
  readonly secdedSyndrome: number;
  readonly correctedWords: number;
  readonly doubleErrorWords: number;
  readonly snrDb: number;
}

/** Who uses a nonce up. */
export interface NonceUse {
  /** SHA-256 of the recording. */
  readonly recordingDigest: Buffer;
  /** What the call is known again by, 32 bytes; null for one that is not. */
  readonly callKey: Buffer | null;
}

/** A challenge that was issued. */
export interface StoredChallenge {
  readonly nonceHash: Buffer;
  readonly deviceId: string;
  readonly band: Band;
  readonly keyId: string;
  readonly assurance: Pairing['assurance'];
  /** The Ed25519 key whose signature a token of it needs; null where anybody who brings the sound gets one. */
  readonly confirmationKey: Buffer | null;
  readonly isExpired: boolean;
  readonly tries: number;
  /** Where it was answered. */
  readonly use?: NonceUse & { readonly pairing: StoredPairing; readonly isTokenValid: boolean };
}

interface Row {
  nonce_hash: Buffer;
  device_id: string;
  frequency_band: Band;
  key_id: string;
  assurance: Pairing['assurance'];
  confirmation_key: Buffer | null;
  is_expired: boolean;
  tries: number;
  used_by_recording: Buffer | null;
  used_by_call: Buffer | null;
  is_token_valid: boolean | null;
  pairing: StoredPairing | null;
}

const COLUMNS = `nonce_hash, device_id, frequency_band, key_id, assurance, confirmation_key, expires_at <= now() AS is_expired, tries,
  used_by_recording, used_by_call, token_until > now() AS is_token_valid, pairing`;

/**
 * Challenges in Postgres, known by the hash of their nonce. Of any number of answers exactly one uses a nonce, before it
 * expires by the clock of the database.
 */
@Injectable()
export class PairingChallenges {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns when it expires */
  async issue(
    manager: EntityManager,
    challenge: Omit<StoredChallenge, 'isExpired' | 'tries' | 'use'>,
    validMs: number,
  ): Promise<Date> {
    const { nonceHash, deviceId, band, keyId, assurance, confirmationKey } = challenge;
    const rows: { expires_at: Date }[] = await manager.query(
      `INSERT INTO pairing_challenge (nonce_hash, device_id, frequency_band, key_id, assurance, confirmation_key, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7)) RETURNING expires_at`,
      [nonceHash, deviceId, band, keyId, assurance, confirmationKey, validMs / 1_000],
    );
    return rows[0].expires_at;
  }

  /**
   * The challenge of a device; undefined where there is none, or it is another device's.
   * @param manager of the transaction that the caller is in: one that asked the pool for another connection could wait for itself
   */
  async find(
    nonceHash: Buffer,
    deviceId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredChallenge | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT ${COLUMNS} FROM pairing_challenge WHERE nonce_hash = $1 AND device_id = $2`,
      [nonceHash, deviceId],
    );
    return rows[0] && challengeOf(rows[0]);
  }

  /** Takes one of the tries of a challenge that may still be answered; false where there is none left. */
  async takeTry({ nonceHash }: StoredChallenge): Promise<boolean> {
    const [, count] = await this.dataSource.query(
      `UPDATE pairing_challenge SET tries = tries + 1
        WHERE nonce_hash = $1 AND used_at IS NULL AND expires_at > now() AND tries < $2`,
      [nonceHash, TRIES_MAX],
    );
    return count === 1;
  }

  /** Gives a try back that was none: the recording answers the challenge, or was not listened to. */
  async giveBackTry({ nonceHash }: StoredChallenge): Promise<void> {
    await this.dataSource.query(
      `UPDATE pairing_challenge SET tries = tries - 1 WHERE nonce_hash = $1 AND tries > 0`,
      [nonceHash],
    );
  }

  /** Uses a nonce up. Exactly one of any number of concurrent callers gets true, and none once it has expired. */
  async use(
    manager: EntityManager,
    { nonceHash }: StoredChallenge,
    { recordingDigest, callKey }: NonceUse,
    pairing: StoredPairing,
  ): Promise<boolean> {
    const [, count] = await manager.query(
      `UPDATE pairing_challenge
          SET used_at = now(), used_by_recording = $2, used_by_call = $3, pairing = $4, token_until = to_timestamp($5)
        WHERE nonce_hash = $1 AND used_at IS NULL AND expires_at > now()`,
      [nonceHash, recordingDigest, callKey, JSON.stringify(pairing), pairing.claims.exp],
    );
    return count === 1;
  }

  /** Says the pairings of a call to nobody any more; their nonces stay used. */
  async withdraw(manager: EntityManager, callKey: Buffer): Promise<void> {
    await manager.query(
      `UPDATE pairing_challenge SET token_until = least(token_until, now()) WHERE used_by_call = $1`,
      [callKey],
    );
  }

  /** Forgets challenges that ended long ago; returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM pairing_challenge WHERE expires_at < now() - make_interval(hours => $1)`,
      [KEPT_HOURS],
    );
    return count;
  }
}

function challengeOf(row: Row): StoredChallenge {
  const { nonce_hash: nonceHash, device_id: deviceId, frequency_band: band, key_id: keyId } = row;
  const { assurance, confirmation_key: confirmationKey, is_expired: isExpired, tries, pairing } = row;
  const { used_by_recording: recordingDigest } = row;
  const use = recordingDigest &&
    pairing && {
      ...{ recordingDigest, callKey: row.used_by_call, pairing },
      isTokenValid: row.is_token_valid === true,
    };
  const bound = { nonceHash, deviceId, band, keyId, assurance, confirmationKey };
  return { ...bound, isExpired, tries, ...(use && { use }) };
}

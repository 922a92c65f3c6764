import { Injectable } from '@nestjs/common';
import type { RingChallenge } from '@svc/contracts';
import { makeChallengeTone } from '@svc/metals';
import { KeyedDigests, newId, problem } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';

/** For so long a tone may be played into a recording. */
const VALID_SECONDS = 600;
/** A recording that was admitted just before its tone expired is verified a little later. */
const GRACE_SECONDS = 120;
const SECRET_BYTES = 16;

type Row = Record<string, unknown>;

/** Tones that recordings are challenged with: each is random, expires, and serves one recording. */
@Injectable()
export class RingChallenges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly digests: KeyedDigests,
  ) {}

  async issue(): Promise<RingChallenge> {
    const { wav, tonesHz, toneSeconds } = makeChallengeTone(new Uint8Array(randomBytes(SECRET_BYTES)));
    const challengeId = newId('ring');
    const rows: Row[] = await this.dataSource.query(
      `WITH gone AS (DELETE FROM bullion_challenge WHERE expires_at < now() - interval '1 day')
       INSERT INTO bullion_challenge (challenge_id, tones_hz, expires_at)
       VALUES ($1, $2, now() + make_interval(secs => $3)) RETURNING expires_at`,
      [challengeId, tonesHz, VALID_SECONDS],
    );
    return {
      challengeId,
      toneWavBase64: Buffer.from(wav).toString('base64'),
      tonesHz: [...tonesHz],
      toneSeconds,
      expiresAt: (rows[0].expires_at as Date).toISOString(),
    };
  }

  /**
   * The tones of a challenge that this recording may still answer.
   * @throws ProblemError UNPROCESSABLE for one that is unknown, expired, or was answered by another recording
   */
  async tonesFor(challengeId: string, recordingSha256: Uint8Array): Promise<number[]> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT tones_hz, expires_at, now() >= expires_at AS expired, used_by_digest
         FROM bullion_challenge WHERE challenge_id = $1`,
      [challengeId],
    );
    if (rows.length === 0) throw refused(challengeId, 'is not known');
    const [{ tones_hz: tonesHz, expires_at: expiresAt, expired, used_by_digest: usedBy }] = rows;
    const isSame = this.digests.of(recordingSha256, challengeId).matches(usedBy as Buffer | null);
    if (usedBy !== null && !isSame) throw refused(challengeId, 'was answered by another recording');
    if (expired && !isSame) throw refused(challengeId, 'has expired', (expiresAt as Date).toISOString());
    return tonesHz as number[];
  }

  /**
   * Uses a challenge up. Exactly one recording gets it; the same recording may ask again.
   * @throws ProblemError UNPROCESSABLE where another was faster, or it expired meanwhile
   */
  async use(challengeId: string, recordingSha256: Uint8Array): Promise<void> {
    const digest = this.digests.of(recordingSha256, challengeId);
    const [, used]: [unknown[], number] = await this.dataSource.query(
      `UPDATE bullion_challenge SET used_at = now(), used_by_digest = $2
        WHERE challenge_id = $1 AND used_at IS NULL AND now() < expires_at + make_interval(secs => $3)`,
      [challengeId, digest.bytes, GRACE_SECONDS],
    );
    if (used === 1) return;
    const rows: Row[] = await this.dataSource.query(
      `SELECT used_by_digest FROM bullion_challenge WHERE challenge_id = $1`,
      [challengeId],
    );
    if (digest.matches(rows[0]?.used_by_digest as Buffer | null)) return;
    throw refused(challengeId, 'was answered by another recording, or has expired');
  }
}

function refused(challengeId: string, message: string, bound?: string) {
  return problem('UNPROCESSABLE', `challengeId: ${message}`, {
    errors: [{ path: 'challengeId', message, got: challengeId, ...(bound && { bound }) }],
  });
}

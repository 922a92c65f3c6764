import { Inject, Injectable } from '@nestjs/common';
import { problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { DataSource } from 'typeorm';
import { triesPerDayOf } from './speckle-config.js';

/** What is tried: every enrolment of a slab counts for the slab. */
export interface TriedSurface {
  readonly slabId: string | null;
  readonly pufId: string;
}

const DAY_SECONDS = 86_400;

/** Counts how often others than its owner have tried a slab, whoever they are and from wherever. */
@Injectable()
export class SlabTries {
  private readonly triesMax: number;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SERVICE_ENVIRONMENT) { variables = process.env }: ServiceEnvironment,
  ) {
    this.triesMax = triesPerDayOf(variables);
  }

  /** @throws ProblemError RATE_LIMITED where today's are used up; nothing is counted */
  async requireLeft(surface: TriedSurface): Promise<void> {
    const rows: { tries: number }[] = await this.dataSource.query(
      `SELECT tries FROM speckle_try WHERE surface = $1 AND day = (now() AT TIME ZONE 'UTC')::date AND tries >= $2`,
      [nameOf(surface), this.triesMax],
    );
    if (rows.length > 0) throw this.usedUp(surface, rows[0].tries);
  }

  /** Counts a try before it is made. @throws ProblemError RATE_LIMITED */
  async count(surface: TriedSurface): Promise<void> {
    const rows: unknown[] = await this.dataSource.query(
      `INSERT INTO speckle_try AS known (surface, day, tries) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1)
       ON CONFLICT (surface) DO UPDATE SET day = excluded.day,
         tries = CASE WHEN known.day = excluded.day THEN known.tries + 1 ELSE 1 END
       WHERE known.day <> excluded.day OR known.tries < $2
       RETURNING tries`,
      [nameOf(surface), this.triesMax],
    );
    if (rows.length === 0) throw this.usedUp(surface, this.triesMax);
  }

  private usedUp({ slabId, pufId }: TriedSurface, got: number) {
    const path = slabId === null ? 'pufId' : 'slabId';
    const message = `${slabId ?? pufId} was tried ${got} times today by others than its owner, at most ${this.triesMax} are taken`;
    return problem('RATE_LIMITED', `${path}: ${message}`, {
      errors: [{ path, message, bound: this.triesMax, got }],
      retryAfterSeconds: DAY_SECONDS - Math.floor((Date.now() / 1_000) % DAY_SECONDS),
    });
  }
}

const nameOf = ({ slabId, pufId }: TriedSurface) => (slabId === null ? `puf:${pufId}` : `slab:${slabId}`);

import { ConfigError, loadConfig, type Variables } from '@svc/platform';
import { z } from 'zod';

const awardConfig = z.object({
  /** Satoshis of credit that the arena may award in a day (UTC), over all accounts. */
  ARENA_DAILY_SATS: z.coerce.number().int().min(0).max(100_000_000).default(0),
});

/** What this deployment gives away. */
export interface AwardSettings {
  readonly dailySats: number;
}

/** Injection token of the {@link AwardSettings}. */
export const AWARD_SETTINGS = Symbol('AWARD_SETTINGS');

/** @throws ConfigError naming every variable that is not as it must be */
export const awardSettingsOf = (variables: Variables = process.env): AwardSettings => ({
  dailySats: loadConfig(awardConfig, variables).ARENA_DAILY_SATS,
});

/** Faults of the variables of awards. */
export function awardFaults(variables: Variables): string[] {
  try {
    awardSettingsOf(variables);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...error.faults];
  }
}

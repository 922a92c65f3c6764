import { ConfigError, loadConfig, type Variables } from '@svc/platform';
import { z } from 'zod';

const SECRET_CHARS_MIN = 32;
const BEFORE = 'DEPARTMENT_SECRETS_BEFORE';

/** The secret that prints of surfaces are sealed under, and those that it had before, which still open what they sealed. */
export function sealingSecretsOf(
  { DEPARTMENT_SECRET: secret }: Readonly<Record<string, string>>,
  variables: Variables,
): readonly string[] {
  if (secret === undefined) throw new Error('DEPARTMENT_SECRET is not set');
  return [secret, ...secretsBefore(variables)];
}

const speckleConfig = z.object({
  /** How often others than its owner may try a slab in a day of UTC. */
  SPECKLE_TRIES_PER_DAY: z.coerce.number().int().min(1).max(1_000_000).default(100),
  /** Enrolments that are kept of one account, of some 100 KB each; none is ever deleted. */
  SPECKLE_ENROLMENTS_MAX: z.coerce.number().int().min(1).max(10_000_000).default(10_000),
});

/** @throws ConfigError */
export const triesPerDayOf = (variables: Variables): number =>
  loadConfig(speckleConfig, variables).SPECKLE_TRIES_PER_DAY;

/** @throws ConfigError */
export const enrolmentsMaxOf = (variables: Variables): number =>
  loadConfig(speckleConfig, variables).SPECKLE_ENROLMENTS_MAX;

/** Faults of what this part alone reads, a line each. They name no secret. */
export function speckleFaults(variables: Variables): readonly string[] {
  const faults = secretsBefore(variables).flatMap((secret, index) =>
    secret.length >= SECRET_CHARS_MIN
      ? []
      : [
          `${BEFORE}: entry ${index + 1} has ${secret.length} characters, at least ${SECRET_CHARS_MIN} are asked`,
        ],
  );
  try {
    loadConfig(speckleConfig, variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  return faults;
}

function secretsBefore(variables: Variables): string[] {
  const list = variables[BEFORE]?.trim() ?? '';
  return list === '' ? [] : list.split(',').map(secret => secret.trim());
}

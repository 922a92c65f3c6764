import {
  ConfigError,
  loadConfig,
  secretWeakness,
  type ServiceEnvironment,
  signingSeedFaults,
  signingSeedsOf,
  type Variables,
} from '@svc/platform';
import { z } from 'zod';
import { ChallengeKeys } from './pairing/challenge-keys.js';
import { PAIRING_SIGNING_SEEDS, PairingKeys } from './pairing/pairing-keys.js';

/** Secrets that challenges are authenticated with, the newest first, separated by commas. */
export const ACOUSTIC_SECRET = 'ACOUSTIC_SECRET';

const SECRET = /^[^,\s]{32,256}$/;

/** Variables of the service. */
export const acousticConfig = z.object({
  /** Threads that listen to recordings; none takes more than there are cores. One more makes packets. */
  ACOUSTIC_THREADS: z.coerce.number().int().min(1).max(64).default(2),
});

type Secrets = ServiceEnvironment['secrets'];

/** Faults of what the service reads, one line each; no secret is repeated. */
export function acousticConfigFaults(secrets: Secrets, variables: Variables): readonly string[] {
  const faults = [...challengeSecretFaults(secrets), ...signingSeedFaults(PAIRING_SIGNING_SEEDS, secrets)];
  try {
    listeningThreadsOf(variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  return faults;
}

/** @throws ConfigError */
export const listeningThreadsOf = (variables: Variables = process.env): number =>
  loadConfig(acousticConfig, variables).ACOUSTIC_THREADS;

/** @throws ConfigError */
export function challengeKeysOf(secrets: Secrets): ChallengeKeys {
  const faults = challengeSecretFaults(secrets);
  if (faults.length > 0) throw new ConfigError(faults);
  return new ChallengeKeys(challengeSecretsOf(secrets));
}

/** @throws ConfigError */
export const pairingKeysOf = (secrets: Secrets): PairingKeys =>
  new PairingKeys(signingSeedsOf(PAIRING_SIGNING_SEEDS, secrets));

/** The newest first. */
export const challengeSecretsOf = (secrets: Secrets): readonly string[] =>
  (secrets[ACOUSTIC_SECRET] ?? '').split(',').map(secret => secret.trim());

function challengeSecretFaults(secrets: Secrets): string[] {
  if (!secrets[ACOUSTIC_SECRET]) return [`${ACOUSTIC_SECRET}: is not set`];
  return challengeSecretsOf(secrets).flatMap((secret, i) => {
    if (!SECRET.test(secret))
      return [`${ACOUSTIC_SECRET}: entry ${i + 1} is not a secret of 32 to 256 characters`];
    // Those of before make no challenge any more.
    const weakness = i === 0 ? secretWeakness(secret) : undefined;
    return weakness === undefined ? [] : [`${ACOUSTIC_SECRET}: entry 1 ${weakness}`];
  });
}

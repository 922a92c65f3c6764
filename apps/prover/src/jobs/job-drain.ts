import { ConfigError, loadConfig, type Variables } from '@svc/platform';
import { z } from 'zod';

/** Variables of the service's jobs. */
export const jobConfig = z.object({
  /** How long a service that closes goes on with the proofs that have begun, before it gives them back to the queue. */
  PROOF_DRAIN_SECONDS: z.coerce.number().int().min(0).max(3_600).default(60),
});

/** @throws ConfigError */
export const drainMsOf = (variables: Variables = process.env): number =>
  loadConfig(jobConfig, variables).PROOF_DRAIN_SECONDS * 1_000;

/** Faults of the variables, one line each. */
export function jobConfigFaults(variables: Variables): readonly string[] {
  try {
    loadConfig(jobConfig, variables);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

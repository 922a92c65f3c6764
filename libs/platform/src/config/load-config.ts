import type { z } from 'zod';
import { faultsOf, type SchemaIssue } from '../problem-details/field-faults.js';

/** A configuration that cannot be used: one message that names every fault at once. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`,
    );
    this.name = 'ConfigError';
  }
}

/** Names of variables whose values may be or hold a credential: an address may have a password in it. */
const SECRET_NAME = /(KEY|TOKEN|PASSWORD|URLS?|RUNE|AUTHORIZATION|PEPPER)$|SECRET|SEED|MACAROON/;

/**
 * Reads the variables that the schema names; an empty one counts as not set. Values of variables
 * that may hold a credential are not repeated in the message.
 * @throws ConfigError
 */
export function loadConfig<S extends z.ZodObject>(
  schema: S,
  env: Record<string, string | undefined> = process.env,
): z.output<S> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = env[name];
    if (value !== undefined && value !== '') given[name] = value;
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const faults = faultsOf(result.error.issues as unknown as SchemaIssue[], given).map(
    ({ path, message, got }) => {
      if (got === undefined) return `${path}: ${path in given ? message : 'is not set'}`;
      return `${path}: ${message}${SECRET_NAME.test(path) ? '' : `, got ${JSON.stringify(got)}`}`;
    },
  );
  throw new ConfigError(faults);
}

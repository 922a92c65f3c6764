import { publicAddressFaults, rateLimitConfig, type RateLimitSettings, rateLimitsOf } from '@svc/edge';
import { ConfigError, loadConfig, type ServiceEnvironment, type Variables } from '@svc/platform';
import { z } from 'zod';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '::1', 'localhost']);

const directConfig = z.object({
  /** Port of the department's own address; not set: it has none. 0 for any free one. */
  DEPARTMENT_PORT: z.preprocess(
    text => (text === '' ? undefined : text),
    z.coerce.number().int().min(0).max(65_535).optional(),
  ),
  DEPARTMENT_HOST: z.string().min(1).max(255).default('127.0.0.1'),
  /** `true`: the sandbox, too, listens beyond loopback, where something else keeps strangers out. */
  SANDBOX_PUBLISH: z.enum(['true', 'false']).default('false'),
  ...rateLimitConfig.shape,
});

/** Where the department listens by itself. */
export interface DirectSettings {
  readonly port: number;
  readonly host: string;
  readonly rateLimits: RateLimitSettings;
}

type Known = Pick<ServiceEnvironment, 'production'>;

/** Faults of the address, all of them at once: the sandbox pays its own invoices, so whoever reaches it buys for nothing. */
export function directFaults(known: Known, variables: Variables): string[] {
  try {
    directSettingsOf(known, variables);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...error.faults];
  }
}

/** Undefined where the department has no address of its own. @throws ConfigError */
export function directSettingsOf({ production }: Known, variables: Variables): DirectSettings | undefined {
  const config = loadConfig(directConfig, variables);
  const { DEPARTMENT_PORT: port, DEPARTMENT_HOST: host, SANDBOX_PUBLISH } = config;
  if (port === undefined) return undefined;
  if (!production && SANDBOX_PUBLISH !== 'true' && !LOOPBACK_HOSTS.has(host)) {
    throw new ConfigError([
      `DEPARTMENT_HOST: the payment sandbox listens on loopback alone, got ${JSON.stringify(host)}; SANDBOX_PUBLISH=true publishes it`,
    ]);
  }
  const faults = production ? publicAddressFaults(config) : [];
  if (faults.length > 0) throw new ConfigError(faults);
  return { port, host, rateLimits: rateLimitsOf(config) };
}

import { publicAddressFaults, rateLimitConfig } from '@svc/edge';
import { listenConfig, listenFaults } from '@svc/gateway';
import { ConfigError, loadConfig, LOG_LEVELS, secretsConfig } from '@svc/platform';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const DatabaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, 'must be postgres://user:password@host:port/database');

const allInOneConfig = listenConfig.extend({
  ...rateLimitConfig.shape,
  DATA_DIR: z.string().min(1).default('.data'),
  /** Of the department's own address; by default the one after the gateway's, or any free one. */
  DEPARTMENT_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  DATABASE_URL: DatabaseUrl.optional(),
  DATABASE_MIGRATION_URL: DatabaseUrl.optional(),
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/.+/, 'must be nats://host:port')
    .optional(),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_TOKEN: z.string().optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('warn'),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  /** Who settles on the sandbox's chain. */
  FACILITATOR: z.enum(['own', 'strict']).optional(),
  ...secretsConfig.shape,
});

export type AllInOneConfig = z.infer<typeof allInOneConfig>;

/** A start that cannot succeed, for a reason that one sentence tells. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartRefused';
  }
}

export const USAGE = `Usage: npm start -- [--port PORT] [--data-dir FOLDER]

  --port PORT         port of the gateway (PORT; default 3000; 0 for any free one)
  --data-dir FOLDER   where the database and the secrets lie (DATA_DIR; default .data)
  --help              this text

Also read: HOST (default 127.0.0.1), DEPARTMENT_PORT (the department's own address; by default the next
one), OPERATOR_PORT and OPERATOR_HOST (of the operators; by default any free port of 127.0.0.1, and production
needs one), DATABASE_URL and NATS_URL (servers of your own in place of the
embedded ones), DATABASE_MIGRATION_URL (the role that owns the tables; production needs one), LOG_LEVEL
(default warn), FACILITATOR (strict: one that refuses what public ones do settles on the sandbox's chain),
NODE_ENV, RATE_LIMIT_FACTOR (0 sets the limits on bursts
off), TRUSTED_PROXIES, PUBLIC_URL and SECURITY_CONTACT (production needs the three), MCP_ALLOWED_HOSTS, MCP_ALLOWED_ORIGINS.`;

/**
 * Reads flags, which win, and the environment.
 * @returns undefined when the usage was asked for
 * @throws ConfigError naming every fault at once
 */
export function readConfig(
  flags: readonly string[],
  env: Record<string, string | undefined>,
): AllInOneConfig | undefined {
  const { port, 'data-dir': dataDir, help } = parseFlags(flags);
  if (help) return undefined;
  const config = loadConfig(allInOneConfig, {
    ...env,
    ...(port === undefined ? {} : { PORT: port }),
    ...(dataDir === undefined ? {} : { DATA_DIR: dataDir }),
  });
  const faults = faultsOfCombination(config);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

const PRODUCTION_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'PAYMENTS_SECRET',
  'MACAROON_SECRET',
  'AUDIT_SIGNING_SEEDS',
  'API_KEY_PEPPER',
  'CREDIT_KEY_SECRET',
  'LICENCE_SIGNING_SEEDS',
  'WAL_SIGNING_SEEDS',
  'DEPARTMENT_SECRET',
  'CALLBACK_SIGNING_SEEDS',
  'ACOUSTIC_SECRET',
  'PAIRING_SIGNING_SEEDS',
  'MESH_SIGNING_SEEDS',
  'ADMIN_KEY',
] as const;

function faultsOfCombination(config: AllInOneConfig): string[] {
  const faults = listenFaults(config);
  if (config.NODE_ENV !== 'production') return faults;
  faults.push(...publicAddressFaults(config));
  for (const name of PRODUCTION_VARIABLES) {
    if (config[name] === undefined) faults.push(`${name}: is not set, and production takes no generated one`);
  }
  if (config.SANDBOX_LIGHTNING_KEY !== undefined) {
    faults.push('SANDBOX_LIGHTNING_KEY: is set, and production has no sandbox');
  }
  if (config.FACILITATOR !== undefined) faults.push('FACILITATOR: is set, and production has no sandbox');
  return faults;
}

function parseFlags(flags: readonly string[]): { port?: string; 'data-dir'?: string; help?: boolean } {
  try {
    return parseArgs({
      args: [...flags],
      options: { port: { type: 'string' }, 'data-dir': { type: 'string' }, help: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new ConfigError([(error as Error).message.split('. ')[0]]);
  }
}

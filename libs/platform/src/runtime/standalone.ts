import type { Logger } from 'pino';
import { z } from 'zod';
import { ConfigError, loadConfig } from '../config/load-config.js';
import { SECRET_VARIABLES, secretsConfig } from '../config/secret-strength.js';
import type { BusConfig } from '../messaging/bus.module.js';
import { createLogger, LOG_LEVELS } from '../observability/logger.js';
import { HealthServer } from './health-server.js';
import { migrateDatabase } from '../persistence/service-data-source.js';
import {
  API_VERSION,
  type ServiceDefinition,
  type ServiceEnvironment,
  type Variables,
} from './service-definition.js';
import { ServiceRuntime, StartAborted } from './service-runtime.js';

const DatabaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, 'must be postgres://user:password@host:port/database');
const PORT = z.coerce.number().int().min(0).max(65_535);

/** Variables that every service process reads. */
export const serviceConfig = z.object({
  NATS_URL: z.string().regex(/^(nats|tls):\/\/.+/, 'must be nats://host:port, several separated by commas'),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_TOKEN: z.string().optional(),
  DATABASE_URL: DatabaseUrl.optional(),
  DATABASE_MIGRATION_URL: DatabaseUrl.optional(),
  HEALTH_PORT: PORT.default(0),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  ...secretsConfig.shape,
});

/**
 * What a service's `main.ts` runs: configuration from the environment, probes on HEALTH_PORT, the
 * service, and its drain on SIGTERM or SIGINT. It waits for NATS and Postgres as long as it takes.
 * The exit code is 0 after a drain, 1 when the configuration or a migration is at fault.
 *
 * With the argument `migrate` it brings the schema up to date with DATABASE_MIGRATION_URL and ends: so that the service itself
 * runs without the password of the role that owns its tables.
 */
export async function runStandalone(
  definition: ServiceDefinition,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const logger = createLogger(definition.name);
  if (args[0] === 'migrate') return runMigrations(definition, logger);
  const environment = environmentOf(definition, logger);
  if (!environment) return;
  const service = new ServiceRuntime(definition, environment.service);
  const health = new HealthServer(() => service.readiness());
  let end: Promise<void> | undefined;
  const close = (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'Draining');
    // The probes answer until the end, so that an orchestrator sees "not ready" and not "gone".
    end ??= service.close().then(() => health.close());
  };
  process.on('SIGTERM', close).on('SIGINT', close);
  try {
    if (environment.healthPort > 0) await health.listen(environment.healthPort);
    await service.start();
  } catch (error) {
    await service.close();
    await health.close();
    if (error instanceof StartAborted || end) return;
    logger.fatal({ reason: (error as Error).message }, 'The service cannot start');
    process.exitCode = 1;
  }
}

const migrationConfig = z.object({ DATABASE_MIGRATION_URL: DatabaseUrl });

/** The exit code is 0 when the schema is up to date, 1 when the configuration or a migration is at fault. */
async function runMigrations(definition: ServiceDefinition, logger: Logger): Promise<void> {
  const { name: service, migrations, tableRights } = definition;
  const ended = new AbortController();
  const end = (signal: NodeJS.Signals) => ended.abort(new Error(`ended by ${signal}`));
  process.on('SIGTERM', end).on('SIGINT', end);
  try {
    const { DATABASE_MIGRATION_URL: migrationUrl } = loadConfig(migrationConfig, process.env);
    const { signal } = ended;
    await migrateDatabase({ service, migrations, tableRights, migrationUrl, logger, signal });
    logger.info('The schema is up to date');
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${service}: ${error.message}\n`);
    else logger.fatal({ reason: (error as Error).message }, 'The schema could not be migrated');
    process.exitCode = 1;
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end);
  }
}

function environmentOf(
  definition: ServiceDefinition,
  logger: Logger,
): { service: ServiceEnvironment; healthPort: number } | undefined {
  try {
    const config = readServiceConfig(definition, process.env);
    const service: ServiceEnvironment = {
      service: definition.name,
      version: API_VERSION,
      bus: busConfigOf(config),
      databaseUrl: config.DATABASE_URL,
      migrationUrl: config.DATABASE_MIGRATION_URL,
      production: config.NODE_ENV === 'production',
      secrets: secretsOf(config),
      logger,
    };
    return { service, healthPort: config.HEALTH_PORT };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${definition.name}: ${error.message}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

/**
 * Reads the variables of a service process, those of every service and its own.
 * @throws ConfigError naming every fault of both at once
 */
export function readServiceConfig(
  definition: ServiceDefinition,
  env: Variables,
): z.output<typeof serviceConfig> {
  const faults: string[] = [];
  let config: z.output<typeof serviceConfig> | undefined;
  try {
    config = loadConfig(serviceConfig, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  if (definition.migrations.length > 0 && !env.DATABASE_URL) faults.push('DATABASE_URL: is not set');
  const known = { production: env.NODE_ENV === 'production', secrets: secretsOf(env) };
  faults.push(...(definition.configFaults?.(known, env) ?? []));
  if (!config || faults.length > 0) throw new ConfigError(faults);
  return config;
}

function secretsOf(
  variables: Partial<Record<(typeof SECRET_VARIABLES)[number], string>>,
): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const name of SECRET_VARIABLES) {
    const value = variables[name];
    if (value) secrets[name] = value;
  }
  return secrets;
}

/** The NATS connection that the variables describe. */
export function busConfigOf(config: {
  NATS_URL: string;
  NATS_USER?: string;
  NATS_PASSWORD?: string;
  NATS_TOKEN?: string;
}): BusConfig {
  const { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password, NATS_TOKEN: token } = config;
  return { kind: 'nats', url, user, password, token };
}

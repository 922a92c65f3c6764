import 'reflect-metadata';
import { API_VERSION, busConfigOf, ConfigError, createLogger } from '@svc/platform';
import { readGatewayConfig } from './gateway-config.js';
import { rateLimitsOf } from '@svc/edge';
import { operatorsOf } from './listen-config.js';
import { mcpOriginsOf } from './mcp/mcp-origins.js';
import { type RunningGateway, startGateway } from './start-gateway.js';

/** Starts the gateway from the environment and drains it on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const logger = createLogger('gateway');
  let gateway: RunningGateway | undefined;
  let ended = false;
  const close = (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'Draining');
    ended = true;
    void gateway?.close();
  };
  process.on('SIGTERM', close).on('SIGINT', close);
  try {
    const config = readGatewayConfig(process.env);
    gateway = await startGateway({
      service: 'gateway',
      version: API_VERSION,
      bus: busConfigOf(config),
      production: config.NODE_ENV === 'production',
      secrets: {},
      logger,
      port: config.PORT,
      host: config.HOST,
      operators: operatorsOf(config),
      rateLimits: rateLimitsOf(config),
      securityContact: config.SECURITY_CONTACT,
      mcpOrigins: mcpOriginsOf(config, { host: config.HOST, production: config.NODE_ENV === 'production' }),
    });
    if (ended) await gateway.close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof ConfigError) process.stderr.write(`gateway: ${reason}\n`);
    else logger.fatal({ reason }, 'The gateway cannot start');
    process.exitCode = 1;
  }
}

await main();

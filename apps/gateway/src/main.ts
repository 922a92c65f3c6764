import 'reflect-metadata';
import { ConfigError, createLogger } from '@svc/platform';
import { gatewayEnvironmentOf, readGatewayConfig } from './gateway-config.js';
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
    gateway = await startGateway(gatewayEnvironmentOf(readGatewayConfig(process.env), logger));
    if (ended) await gateway.close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof ConfigError) process.stderr.write(`gateway: ${reason}\n`);
    else logger.fatal({ reason }, 'The gateway cannot start');
    process.exitCode = 1;
  }
}

await main();

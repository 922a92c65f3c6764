import { publicAddressFaults, rateLimitConfig, rateLimitsOf } from '@svc/edge';
import { API_VERSION, busConfigOf, ConfigError, loadConfig, serviceConfig } from '@svc/platform';
import type { z } from 'zod';
import { listenConfig, listenFaults, operatorsOf } from './listen-config.js';
import { mcpOriginsOf } from './mcp/mcp-origins.js';
import type { GatewayEnvironment } from './start-gateway.js';

const gatewayConfig = serviceConfig.extend({ ...listenConfig.shape, ...rateLimitConfig.shape });

type GatewayConfig = z.infer<typeof gatewayConfig>;

/**
 * Reads the variables of a gateway that is a process of its own.
 * @throws ConfigError
 */
export function readGatewayConfig(env: Record<string, string | undefined>): GatewayConfig {
  const config = loadConfig(gatewayConfig, env);
  const faults = [
    ...listenFaults(config),
    ...(config.NODE_ENV === 'production' ? publicAddressFaults(config) : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** What a gateway is started with that is a process of its own. */
export function gatewayEnvironmentOf(
  config: GatewayConfig,
  logger: GatewayEnvironment['logger'],
): GatewayEnvironment {
  const { HOST: host, PORT: port, SECURITY_CONTACT: securityContact } = config;
  const production = config.NODE_ENV === 'production';
  return {
    ...{ service: 'gateway', version: API_VERSION, secrets: {}, logger, production },
    bus: busConfigOf(config),
    ...{ port, host, securityContact },
    operators: operatorsOf(config),
    rateLimits: rateLimitsOf(config),
    mcpOrigins: mcpOriginsOf(config, { host, production }),
  };
}

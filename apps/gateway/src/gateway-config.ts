import { ConfigError, loadConfig, serviceConfig } from '@svc/platform';
import type { z } from 'zod';
import { listenConfig, listenFaults } from './listen-config.js';
import { publicAddressFaults, rateLimitConfig } from '@svc/edge';

const gatewayConfig = serviceConfig.extend({ ...listenConfig.shape, ...rateLimitConfig.shape });

/**
 * Reads the variables of a gateway that is a process of its own.
 * @throws ConfigError
 */
export function readGatewayConfig(env: Record<string, string | undefined>): z.infer<typeof gatewayConfig> {
  const config = loadConfig(gatewayConfig, env);
  const faults = [
    ...listenFaults(config),
    ...(config.NODE_ENV === 'production' ? publicAddressFaults(config) : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

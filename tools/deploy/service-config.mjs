import { acousticService } from '@svc/acoustic';
import { departmentService } from '@svc/department';
import { readGatewayConfig } from '@svc/gateway';
import { meshSignallingService } from '@svc/mesh-signalling';
import { paymentsService } from '@svc/payments';
import { proverService } from '@svc/prover';
import { snnService } from '@svc/snn';
import { readServiceConfig } from '../../libs/platform/dist/runtime/standalone.js';

const DEFINITIONS = [
  ...[acousticService, departmentService, meshSignallingService],
  ...[paymentsService, proverService, snnService],
];

/** What an installation adds for production, as docs/deploy.md says. */
export const OF_INSTALLATION = {
  PUBLIC_URL: 'https://svc.example,https://desks.svc.example',
  TRUSTED_PROXIES: '10.0.0.7',
  SECURITY_CONTACT: 'mailto:security@svc.example',
  LND_REST_URL: 'https://lnd.example:8080',
  LND_MACAROON_HEX: '0201036c6e64',
};

/**
 * @param {string} app
 * @param {Record<string, string | undefined>} env
 * @returns {readonly string[]} why the process of that app would end at once, by its own reader of variables
 */
export function configFaults(app, env) {
  try {
    if (app === 'gateway') readGatewayConfig(env);
    else
      readServiceConfig(
        DEFINITIONS.find(({ name }) => name === app),
        env,
      );
    return [];
  } catch (error) {
    if (error.name !== 'ConfigError') throw error;
    return error.faults;
  }
}

/** A value of docker-compose.yml with its variables replaced, as Compose does: `${A:?why}`, `${A:-else}`, `${A:+then}`. */
export const interpolated = (value, variables) =>
  value.replaceAll(/\$\{(\w+):([?+-])([^}]*)\}/g, (_whole, name, operator, word) => {
    const given = variables[name] || undefined;
    if (operator === '+') return given === undefined ? '' : word;
    if (given === undefined && operator === '?') throw new Error(`${name}: ${word}`);
    return given ?? word;
  });

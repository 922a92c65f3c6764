import { z } from 'zod';
import { mcpConfig } from './mcp/mcp-origins.js';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '::1', 'localhost']);

/** Variables that say where the gateway listens, and to whom. */
export const listenConfig = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3_000),
  HOST: z.string().min(1).max(255).default('127.0.0.1'),
  /** Where operators reach `/v1/admin/**`, in production nowhere else; not set: at `PORT` alone. 0 for any free one. */
  OPERATOR_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  OPERATOR_HOST: z.string().min(1).max(255).default('127.0.0.1'),
  /** `true`: the sandbox, too, listens beyond loopback, where something else keeps strangers out. */
  SANDBOX_PUBLISH: z.enum(['true', 'false']).default('false'),
  /** Whom `/.well-known/security.txt` names: `mailto:` or an https address. */
  SECURITY_CONTACT: z
    .string()
    .max(500)
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, { error: 'must be mailto: or https:' })
    .optional(),
  ...mcpConfig.shape,
});

type Listening = Pick<
  z.infer<typeof listenConfig>,
  'PORT' | 'HOST' | 'OPERATOR_PORT' | 'OPERATOR_HOST' | 'SANDBOX_PUBLISH' | 'SECURITY_CONTACT'
> & { NODE_ENV: string };

/** What production lacks; and faults of the addresses: the sandbox pays its own invoices, so whoever reaches it buys for nothing. */
export function listenFaults(config: Listening): string[] {
  const { PORT, OPERATOR_PORT, SANDBOX_PUBLISH } = config;
  const faults = config.NODE_ENV === 'production' ? productionFaults(config) : [];
  if (OPERATOR_PORT !== undefined && OPERATOR_PORT !== 0 && OPERATOR_PORT === PORT)
    faults.push(`OPERATOR_PORT: must be another than PORT, got ${OPERATOR_PORT}`);
  if (config.NODE_ENV === 'production' || SANDBOX_PUBLISH === 'true') return faults;
  for (const name of ['HOST', 'OPERATOR_HOST'] as const) {
    if (LOOPBACK_HOSTS.has(config[name])) continue;
    const got = JSON.stringify(config[name]);
    faults.push(
      `${name}: the payment sandbox listens on loopback alone, got ${got}; SANDBOX_PUBLISH=true publishes it`,
    );
  }
  return faults;
}

function productionFaults({ OPERATOR_PORT, SECURITY_CONTACT }: Listening): string[] {
  const faults: string[] = [];
  if (SECURITY_CONTACT === undefined)
    faults.push('SECURITY_CONTACT: is not set, and security.txt names nobody');
  if (OPERATOR_PORT === undefined)
    faults.push('OPERATOR_PORT: is not set, and production has /v1/admin on no public address');
  return faults;
}

/** The listener of operators that a configuration names; undefined for none. */
export const operatorsOf = ({
  OPERATOR_PORT: port,
  OPERATOR_HOST: host,
}: Pick<Listening, 'OPERATOR_PORT' | 'OPERATOR_HOST'>): { port: number; host: string } | undefined =>
  port === undefined ? undefined : { port, host };

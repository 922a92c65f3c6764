import { z } from 'zod';
import { mcpConfig } from './mcp/mcp-origins.js';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '::1', 'localhost']);

/** Variables that say where the gateway listens, and to whom. */
export const listenConfig = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3_000),
  HOST: z.string().min(1).max(255).default('127.0.0.1'),
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

/** What production lacks; and faults of the address: the sandbox pays its own invoices, so whoever reaches it buys for nothing. */
export function listenFaults(
  config: Pick<z.infer<typeof listenConfig>, 'HOST' | 'SANDBOX_PUBLISH' | 'SECURITY_CONTACT'> & {
    NODE_ENV: string;
  },
): string[] {
  const { HOST, NODE_ENV, SANDBOX_PUBLISH, SECURITY_CONTACT } = config;
  if (NODE_ENV === 'production')
    return SECURITY_CONTACT === undefined
      ? ['SECURITY_CONTACT: is not set, and security.txt names nobody']
      : [];
  if (SANDBOX_PUBLISH === 'true' || LOOPBACK_HOSTS.has(HOST)) return [];
  const got = JSON.stringify(HOST);
  return [
    `HOST: the payment sandbox listens on loopback alone, got ${got}; SANDBOX_PUBLISH=true publishes it`,
  ];
}

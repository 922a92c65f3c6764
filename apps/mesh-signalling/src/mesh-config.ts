import {
  ConfigError,
  deriveKey,
  loadConfig,
  presenceConfig,
  type ServiceEnvironment,
  signingSeedFaults,
  seedSecretsOf,
  signingSeedsOf,
  type Variables,
} from '@svc/platform';
import { type CandidateRules, IDLE_MS, UNOPENED_MS } from '@svc/mesh';
import { z } from 'zod';
import { documentConfig } from './document/document-settings.js';
import { MESH_SIGNING_SEEDS, MeshKeys } from './identity/mesh-keys.js';

/** Secret that the TURN servers and this service share (`static-auth-secret` of coturn). */
export const TURN_SECRET = 'TURN_SECRET';

const IpAddress = z.union([z.ipv4(), z.ipv6()], { error: 'must be an IPv4 or IPv6 address' });

/** URLs of one kind of ICE server (RFC 7064, RFC 7065), separated by commas. */
const iceUrls = (schemes: string) =>
  z
    .string()
    .transform(text => text.split(',').map(url => url.trim()))
    .pipe(z.array(z.string().regex(new RegExp(`^(${schemes}):[^\\s/,]{1,255}$`))).max(8))
    .optional();

const perMinute = (byDefault: number) => z.coerce.number().int().min(1).max(1_000_000).default(byDefault);

/** Variables of the service. */
export const meshConfig = z.object({
  /** The one UDP port of all connections; 0: any free one. */
  MESH_UDP_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  MESH_BIND_ADDRESS: IpAddress.optional(),
  /** What the world reaches {@link meshConfig.MESH_UDP_PORT} at, where that is no address of this machine. */
  MESH_PUBLIC_ADDRESS: IpAddress.optional(),
  MESH_STUN_URLS: iceUrls('stuns?'),
  MESH_TURN_URLS: iceUrls('turns?'),
  /** Whether candidates in private networks may be contacted; by default in production not. */
  MESH_CANDIDATES: z.enum(['any', 'public']).optional(),
  MESH_CONNECTIONS_MAX: z.coerce.number().int().min(1).max(100_000).default(1_000),
  MESH_KEY_CALLS_PER_MINUTE: perMinute(10),
  MESH_ADDRESS_CALLS_PER_MINUTE: perMinute(60),
  MESH_INBOX_CALLS_PER_MINUTE: perMinute(30),
});

/** What the service allows, and where its connections are. A provider of its module. */
export class MeshSettings {
  readonly udpPort: number;
  readonly bindAddress: string | undefined;
  readonly publicAddress: string | undefined;
  readonly stunUrls: readonly string[];
  readonly turnUrls: readonly string[];
  readonly turnSecret: string | undefined;
  readonly candidateRules: CandidateRules;
  /** Of one replica. */
  readonly connectionsMax: number;
  /** Within a minute: rendezvous of a key, openings of inboxes of a key, and of an address that many of either. */
  readonly perMinute: { readonly key: number; readonly address: number; readonly inbox: number };
  /** How long an answered connection may stay unopened, and an open one without a message: as its session says. */
  readonly unopenedMs = UNOPENED_MS;
  readonly idleMs = IDLE_MS;
  /** Lifetime of an entry of the presence board. */
  readonly presenceTtlMs: number;
  /** What addresses of callers are hashed under before they are counted. */
  readonly addressKey: Buffer;

  /** @throws ConfigError */
  constructor({ secrets, variables = process.env, production }: Environment) {
    const config = loadConfig(meshConfig, variables);
    this.udpPort = config.MESH_UDP_PORT;
    this.bindAddress = config.MESH_BIND_ADDRESS;
    this.publicAddress = config.MESH_PUBLIC_ADDRESS;
    this.stunUrls = config.MESH_STUN_URLS ?? [];
    this.turnUrls = config.MESH_TURN_URLS ?? [];
    this.turnSecret = secrets[TURN_SECRET];
    this.candidateRules = { candidates: config.MESH_CANDIDATES ?? (production ? 'public' : 'any') };
    this.connectionsMax = config.MESH_CONNECTIONS_MAX;
    this.perMinute = {
      key: config.MESH_KEY_CALLS_PER_MINUTE,
      address: config.MESH_ADDRESS_CALLS_PER_MINUTE,
      inbox: config.MESH_INBOX_CALLS_PER_MINUTE,
    };
    this.presenceTtlMs = loadConfig(presenceConfig, variables).PRESENCE_TTL_SECONDS * 1_000;
    // Another secret makes other names, whose counts begin anew: that is all there is to lose.
    const [secret] = seedSecretsOf(MESH_SIGNING_SEEDS, secrets);
    this.addressKey = deriveKey(secret, 'svc/mesh-caller-address/v1');
  }
}

type Environment = Pick<ServiceEnvironment, 'secrets' | 'variables' | 'production'>;

/** Faults of what the service reads, one line each; no secret is repeated. */
export function meshConfigFaults(secrets: ServiceEnvironment['secrets'], variables: Variables): string[] {
  const faults = signingSeedFaults(MESH_SIGNING_SEEDS, secrets);
  if (variables.MESH_TURN_URLS && !secrets[TURN_SECRET])
    faults.push(`${TURN_SECRET}: is not set, and MESH_TURN_URLS needs it`);
  for (const schema of [meshConfig, documentConfig, presenceConfig]) {
    try {
      loadConfig<z.ZodObject>(schema, variables);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults);
    }
  }
  return faults;
}

/** @throws ConfigError */
export const meshKeysOf = (secrets: ServiceEnvironment['secrets']): MeshKeys =>
  new MeshKeys(signingSeedsOf(MESH_SIGNING_SEEDS, secrets));

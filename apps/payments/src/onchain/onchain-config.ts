import { ConfigError, loadConfig, type ServiceEnvironment, type Variables } from '@svc/platform';
import { findX402Network } from '@svc/protocols';
import { z } from 'zod';
import type { EvmToken } from './evm-chain.js';
import type { InProcessOptions } from './in-process-facilitator.js';
import type { OnchainBackend, OnchainOptions } from './onchain-options.js';
import { OnchainRail } from './onchain-rail.js';
import type { RemoteOptions } from './remote-facilitator.js';

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
/** Chains whose dollars are worth nothing. */
const TEST_NETWORKS = ['eip155:84532', 'eip155:421614'];

const serviceUrl = z
  .string()
  .refine(isServiceUrl, 'must be https://host, without user or fragment; http to this machine alone');

/** What is refunded in a day (UTC) where nothing else is configured: 50 dollars. */
const REFUND_DAILY_MICRO_USD = 50_000_000;
const REFUND_DAILY_MICRO_USD_MAX = 1_000_000_000_000;

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key, 0x and 64 hexadecimal digits');

/** The most that {@link onchainConfig} takes as the least of a facilitator: beyond it nothing would be offered. */
const LEAST_MICRO_USD_MAX = 1_000_000;

const onchainConfig = z.object({
  X402_PAY_TO: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address, 0x and 40 hexadecimal digits')
    .refine(address => !/^0x0{40}$/.test(address), 'must not be the zero address'),
  X402_NETWORK: z
    .string()
    .refine(name => findX402Network(name)?.caip2 === name, 'must be a known chain, as eip155:8453')
    .default('eip155:8453'),
  X402_RPC_URL: serviceUrl,
  X402_FACILITATOR_URL: serviceUrl.optional(),
  X402_FACILITATOR_AUTHORIZATION: z
    .string()
    .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, 'must be one line of printable ASCII')
    .max(4_096)
    .optional(),
  X402_FACILITATOR_KEY: privateKey.optional(),
  /** Of the wallet that refunds are paid out of. */
  X402_REFUND_KEY: privateKey.optional(),
  X402_REFUND_DAILY_MICRO_USD: z.coerce
    .number()
    .int()
    .min(1)
    .max(REFUND_DAILY_MICRO_USD_MAX)
    .default(REFUND_DAILY_MICRO_USD),
  /** The least that the facilitator settles. */
  X402_LEAST_MICRO_USD: z.coerce.number().int().min(0).max(LEAST_MICRO_USD_MAX).default(0),
});
type OnchainConfig = z.infer<typeof onchainConfig>;
type Known = Pick<ServiceEnvironment, 'production'>;

/** Names of the variables of this rail. */
export const ONCHAIN_VARIABLES = Object.keys(onchainConfig.shape) as (keyof OnchainConfig)[];

/** Faults of the variables of the rail, all at once; none where none of them is set. */
export function onchainFaults({ production }: Known, variables: Variables): string[] {
  if (!ONCHAIN_VARIABLES.some(name => variables[name])) return [];
  const faults: string[] = [];
  try {
    loadConfig(onchainConfig, variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  const { X402_FACILITATOR_URL: url, X402_FACILITATOR_KEY: key } = variables;
  if (!url && !key) faults.push('X402_FACILITATOR_URL: is not set, and neither is X402_FACILITATOR_KEY');
  if (url && key)
    faults.push('X402_FACILITATOR_KEY: is set beside X402_FACILITATOR_URL; one of them settles');
  if (!url && variables.X402_FACILITATOR_AUTHORIZATION) {
    faults.push('X402_FACILITATOR_AUTHORIZATION: is set without X402_FACILITATOR_URL');
  }
  const { X402_REFUND_KEY: refundKey } = variables;
  // Who takes the key that is used for every payment must not have the money of refunds with it.
  if (refundKey && refundKey.toLowerCase() === key?.toLowerCase())
    faults.push('X402_REFUND_KEY: is X402_FACILITATOR_KEY; refunds are paid out of a wallet of their own');
  if (!refundKey && variables.X402_REFUND_DAILY_MICRO_USD)
    faults.push('X402_REFUND_DAILY_MICRO_USD: is set without X402_REFUND_KEY');
  if (production && TEST_NETWORKS.includes(variables.X402_NETWORK ?? '')) {
    faults.push('X402_NETWORK: is a test network, and production takes no play money');
  }
  return faults;
}

/**
 * The rail of payments on the chain, where it is configured.
 * @param keys of the challenges of MPP
 * @throws ConfigError for half a configuration, and for a test network in production
 */
export function onchainRailOf(
  known: Known,
  variables: Variables,
  { paymentChallenge }: { readonly paymentChallenge: Uint8Array },
  { probeEveryMs, offers }: Pick<OnchainOptions, 'probeEveryMs' | 'offers'> = {},
): OnchainRail | undefined {
  const faults = onchainFaults(known, variables);
  if (faults.length > 0) throw new ConfigError(faults);
  if (!variables.X402_PAY_TO) return undefined;
  const config = loadConfig(onchainConfig, variables);
  const { usdc, caip2 } = findX402Network(config.X402_NETWORK)!;
  return new OnchainRail({
    terms: { network: caip2, asset: usdc, payTo: config.X402_PAY_TO },
    challengeKey: paymentChallenge,
    sandbox: TEST_NETWORKS.includes(caip2),
    leastMicroUsd: config.X402_LEAST_MICRO_USD,
    origin: publicOriginOf(variables),
    connect: () => connect(config),
    ...(config.X402_REFUND_KEY && { refundDailyMicroUsd: config.X402_REFUND_DAILY_MICRO_USD }),
    ...{ probeEveryMs, offers },
  });
}

/** The first origin of `PUBLIC_URL`, whose faults are named with those of the card processor; undefined where it is not https. */
function publicOriginOf({ PUBLIC_URL = '' }: Variables): string | undefined {
  const [first] = PUBLIC_URL.split(/[\s,]+/);
  if (!URL.canParse(first)) return undefined;
  const { protocol, origin } = new URL(first);
  return protocol === 'https:' ? origin : undefined;
}

async function connect(config: OnchainConfig): Promise<OnchainBackend> {
  const { X402_RPC_URL: rpcUrl, X402_FACILITATOR_URL: url, X402_FACILITATOR_KEY: gasKey } = config;
  const { caip2, v1Name, usdc } = findX402Network(config.X402_NETWORK)!;
  const token = { ...usdc, chainId: Number(caip2.slice('eip155:'.length)) };
  const { EvmChain } = await import('./evm-chain.js');
  const facilitator = url
    ? await remote({ url: url.replace(/\/+$/, ''), authorization: config.X402_FACILITATOR_AUTHORIZATION })
    : await inProcess({ rpcUrl, token, v1Name, privateKey: gasKey! });
  const wallet = await refundWallet(config.X402_REFUND_KEY, token);
  return { facilitator, chain: new EvmChain(rpcUrl, token), wallet };
}

async function refundWallet(key: string | undefined, token: EvmToken) {
  if (key === undefined) return undefined;
  const { RefundWallet } = await import('./refund-wallet.js');
  return new RefundWallet(key, token);
}

async function remote(options: RemoteOptions) {
  const { RemoteFacilitator } = await import('./remote-facilitator.js');
  return new RemoteFacilitator(options);
}

async function inProcess(options: InProcessOptions) {
  const { InProcessFacilitator } = await import('./in-process-facilitator.js');
  return new InProcessFacilitator(options);
}

/** Whatever carries payments or a key is encrypted on its way, or does not leave the machine. */
function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname));
}

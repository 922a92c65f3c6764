import { createLogger } from '@svc/platform';
import { type LocalChain, startLocalChain, startStripeEmulator, type StripeEmulator } from '@svc/sandbox';
import { DataSource } from 'typeorm';
import { mint } from './card-fixture.js';
import { type PaidRoute, type PaidRouteOptions, startPaidRoute } from './paid-route-fixture.js';
import { RpcProxy } from './rpc-proxy.js';

/** Gateway and payments with every rail of the sandbox, and all that they log, at the finest level. */
export interface AllRails {
  readonly route: PaidRoute;
  readonly emulator: StripeEmulator;
  /** Undefined where its node is not installed. */
  readonly chain: LocalChain | undefined;
  /** What stands between the payments and the chain, where it was asked for. */
  readonly proxy: RpcProxy | undefined;
  /** The payments' own tables. */
  readonly database: DataSource;
  readonly logs: string[];
  mintToken(paymentMethod?: string): Promise<string>;
  close(): Promise<void>;
}

/** Of the wallet that refunds are paid out of, which has nothing until a test gives it some. */
export const REFUND_KEY = `0x${'5a'.repeat(32)}` as const;

/** What a test sets of it, as of {@link startPaidRoute}: another prover, the department, further variables. */
export interface AllRailsOptions extends Pick<
  PaidRouteOptions,
  'prover' | 'department' | 'mesh' | 'variables' | 'pace' | 'limitFactor'
> {
  /** The payments reach the chain through a proxy that loses what a test tells it to. */
  readonly isProxied?: boolean;
}

export async function startAllRails({ isProxied, ...options }: AllRailsOptions = {}): Promise<AllRails> {
  const gateway: { address?: string } = {};
  const emulator = await startStripeEmulator({
    webhookUrl: () => gateway.address && `${gateway.address}/webhooks/stripe`,
  });
  const chain = await startLocalChain();
  // What they share is told once: the tests leave out its rail.
  if (!chain) console.log('SKIPPED: anvil is not installed');
  const proxy = chain && isProxied ? await RpcProxy.start(chain.rpcUrl) : undefined;
  const logs: string[] = [];
  const destination = { write: (line: string) => void logs.push(line) };
  const route = await startPaidRoute({
    ...options,
    logger: createLogger('gateway', { level: 'trace', destination }),
    variables: {
      ...options.variables,
      STRIPE_SECRET_KEY: emulator.secretKey,
      STRIPE_API_URL: emulator.url,
      STRIPE_WEBHOOK_SECRET: emulator.webhookSecret,
      ...(chain
        ? {
            X402_RPC_URL: proxy?.url ?? chain.rpcUrl,
            X402_NETWORK: chain.network,
            X402_PAY_TO: chain.payTo,
            X402_FACILITATOR_KEY: chain.facilitatorKey,
            X402_REFUND_KEY: REFUND_KEY,
          }
        : {}),
    },
  });
  gateway.address = route.address;
  const database = await new DataSource({
    type: 'postgres',
    url: route.databaseUrl,
    extra: { options: '-c search_path=payments' },
  }).initialize();
  return {
    ...{ route, emulator, chain, proxy, database, logs },
    mintToken: (paymentMethod = 'pm_card_visa') => mint(emulator, paymentMethod, 50),
    close: async () => {
      await database.destroy();
      await route.close();
      await proxy?.close();
      await chain?.close();
      await emulator.close();
    },
  };
}

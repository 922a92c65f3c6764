import type { Variables } from '@svc/platform';
import type { ChosenFacilitator, LocalChain, StripeEmulator } from '@svc/sandbox';
import { join } from 'node:path';

export interface SandboxOptions {
  /** State lies in `<dataDir>/sandbox`, so that what was bought survives a restart. */
  readonly dataDir: string;
  /** What this process was started with: a rail that is configured there gets no stand-in. */
  readonly variables: Variables;
  /** Told each step, one line each. */
  readonly log: (line: string) => void;
}

/** Stand-ins of what payments need from others, on this machine alone. */
export interface RunningSandbox {
  readonly stripe?: Pick<StripeEmulator, 'url' | 'secretKey'>;
  readonly chain?: Omit<LocalChain, 'close'>;
  /** How the payments service finds them: its variables. */
  readonly variables: Variables;
  /** Tells where the gateway is, so that webhooks reach it. */
  gatewayIs(address: string): void;
  close(): Promise<void>;
}

/**
 * Starts the sandbox's card processor and its chain, each unless a real one is configured; Lightning has its sandbox
 * within the payments service. Not for production, which does not even load it.
 */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const { variables } = options;
  const isSet = (prefix: string) =>
    Object.entries(variables).some(([name, value]) => name.startsWith(prefix) && value);
  let gateway: string | undefined;
  const stripe = isSet('STRIPE_') ? undefined : await startStripe(options, () => gateway);
  try {
    const settled = isSet('X402_') ? undefined : await startChain(options);
    return {
      stripe,
      chain: settled?.chain,
      variables: { ...variablesOfStripe(stripe), ...settled?.facilitator.variables },
      gatewayIs: address => void (gateway = address),
      close: async () => {
        await stripe?.close();
        await settled?.facilitator.strict?.close();
        await settled?.chain.close();
      },
    };
  } catch (error) {
    await stripe?.close();
    throw error;
  }
}

async function startStripe(
  { dataDir, log }: SandboxOptions,
  gateway: () => string | undefined,
): Promise<StripeEmulator> {
  const { startStripeEmulator } = await import('@svc/sandbox');
  const stripe = await startStripeEmulator({
    stateFile: join(dataDir, 'sandbox', 'stripe.journal'),
    webhookUrl: () => {
      const address = gateway();
      return address && new URL('/webhooks/stripe', onThisMachine(address)).href;
    },
    log: line => log(`sandbox     Stripe: ${line}`),
  });
  log(`sandbox     Stripe on ${stripe.url}, secret key ${stripe.secretKey}`);
  return stripe;
}

/** The chain, and who settles on it. */
interface SettledChain {
  readonly chain: LocalChain;
  readonly facilitator: ChosenFacilitator;
}

/**
 * A chain that does not start takes nothing but its rail along: the others can be paid.
 * @throws Error for a FACILITATOR that is none
 */
async function startChain({ dataDir, variables, log }: SandboxOptions): Promise<SettledChain | undefined> {
  const { facilitatorChoice, startFacilitator, startLocalChain } = await import('@svc/sandbox');
  const choice = facilitatorChoice(variables);
  const say = (line: string) => log(`sandbox     ${line}`);
  try {
    const chain = await startLocalChain({ stateDir: join(dataDir, 'sandbox'), log: say });
    if (chain) {
      say(`chain on ${chain.rpcUrl}, id ${chain.chainId}, USDC at ${chain.asset}`);
      const facilitator = await startFacilitator(choice, chain, say);
      if (facilitator.strict) say(`strict facilitator on ${facilitator.strict.url}`);
      return { chain, facilitator };
    }
    say('no chain: @foundry-rs/anvil, an optional dependency, is not installed; x402 is not offered');
  } catch (error) {
    say(`no chain: ${(error as Error).message}; x402 is not offered`);
  }
  return undefined;
}

function variablesOfStripe(stripe: StripeEmulator | undefined): Variables {
  if (!stripe) return {};
  const { url, secretKey, webhookSecret } = stripe;
  return { STRIPE_API_URL: url, STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret };
}

/** A gateway that listens everywhere is reached on loopback. */
function onThisMachine(address: string): string {
  const url = new URL(address);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return url.href;
}

/** How to pay in the sandbox by card and on the chain, for a person to read. */
export function waysToPay({ stripe, chain }: Pick<RunningSandbox, 'stripe' | 'chain'>): string[] {
  const lines: string[] = [];
  if (stripe) {
    lines.push(
      'A shared payment token (SPT) of the sandbox, good for one card payment:',
      `  curl -s -u ${stripe.secretKey}: -H 'Stripe-Version: 2026-07-29.preview' \\`,
      `    ${stripe.url}/v1/test_helpers/shared_payment/granted_tokens \\`,
      "    -d payment_method=pm_card_visa -d 'usage_limits[currency]=usd' \\",
      `    -d 'usage_limits[max_amount]=1000' -d "usage_limits[expires_at]=$(($(date +%s)+3600))"`,
    );
  }
  if (chain) {
    const [{ address, privateKey }] = chain.wallets;
    lines.push(
      'A wallet with play dollars for x402 (its key is known to all the world):',
      `  ${address}   ${privateKey}`,
    );
  }
  return lines;
}

import { parseArgs } from 'node:util';
import { startLocalChain } from './chain/local-chain.js';
import { facilitatorChoice, startFacilitator } from './facilitator/facilitator-choice.js';
import { startStripeEmulator } from './stripe/stripe-emulator.js';

const USAGE = `The stand-in for Stripe, by itself, on loopback.

  npm run sandbox -- [--port 12111] [--state FILE] [--webhook http://127.0.0.1:3000/webhooks/stripe]

With FACILITATOR=strict also a chain, and a facilitator that refuses what the strictest public ones refuse.
It prints the variables with which the payments service finds them.`;

/** A chain with a strict facilitator, where one is chosen: their variables, and how they end. */
async function startStrictChain(log: (line: string) => void) {
  if (facilitatorChoice(process.env) !== 'strict') return undefined;
  const chain = await startLocalChain({ log });
  if (!chain) throw new Error('FACILITATOR=strict needs @foundry-rs/anvil, an optional dependency');
  const { strict, variables } = await startFacilitator('strict', chain, log);
  const close = async () => {
    await strict?.close();
    await chain.close();
  };
  return { variables, close };
}

/** Runs what was chosen until it is told to end. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '12111' },
      state: { type: 'string' },
      webhook: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) throw new Error('--port is 0 to 65535');
  const log = (line: string) => console.error(line);
  const emulator = await startStripeEmulator({
    port: Number(values.port),
    stateFile: values.state,
    webhookUrl: values.webhook,
    log,
  });
  const chain = await startStrictChain(log);
  console.log(`STRIPE_API_URL=${emulator.url}`);
  console.log(`STRIPE_SECRET_KEY=${emulator.secretKey}`);
  console.log(`STRIPE_WEBHOOK_SECRET=${emulator.webhookSecret}`);
  for (const [name, value] of Object.entries(chain?.variables ?? {})) console.log(`${name}=${value}`);
  const end = () => void Promise.all([emulator.close(), chain?.close()]).then(() => process.exit(0));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});

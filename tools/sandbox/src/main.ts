import { parseArgs } from 'node:util';
import { startStripeEmulator } from './stripe/stripe-emulator.js';

const USAGE = `The stand-in for Stripe, by itself, on loopback.

  npm run sandbox -- [--port 12111] [--state FILE] [--webhook http://127.0.0.1:3000/webhooks/stripe]

It prints the variables with which the payments service finds it.`;

/** Runs the emulator until it is told to end. */
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
  const emulator = await startStripeEmulator({
    port: Number(values.port),
    stateFile: values.state,
    webhookUrl: values.webhook,
    log: line => console.error(line),
  });
  console.log(`STRIPE_API_URL=${emulator.url}`);
  console.log(`STRIPE_SECRET_KEY=${emulator.secretKey}`);
  console.log(`STRIPE_WEBHOOK_SECRET=${emulator.webhookSecret}`);
  const end = () => void emulator.close().then(() => process.exit(0));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});

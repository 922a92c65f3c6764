import 'reflect-metadata';
import { rateLimitsOf } from '@svc/edge';
import { mcpOriginsOf } from '@svc/gateway';
import { busConfigOf, ConfigError, EmbeddedPostgresError, SECRET_VARIABLES } from '@svc/platform';
import { join } from 'node:path';
import { type AllInOneConfig, readConfig, StartRefused, USAGE } from './allinone-config.js';
import { waysToPay } from './sandbox.js';
import type { RunningAllInOne } from './start-allinone.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const EXIT_INTERRUPTED = 130;
/** Signals of one Ctrl-C come within this. */
const REPEAT_MS = 1_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Starts everything, prints where it is, and drains at the first Ctrl-C; a second one ends at once. */
async function main(): Promise<void> {
  const stop = new AbortController();
  let running: RunningAllInOne | undefined;
  let closing: Promise<void> | undefined;
  let stoppedAtMs = 0;
  const close = () => (closing ??= running?.close().then(() => print('Stopped.')));
  for (const name of SIGNALS) {
    process.on(name, () => {
      // One Ctrl-C under npm arrives twice, from the terminal and from npm: that is not a second one.
      if (stop.signal.aborted && Date.now() - stoppedAtMs < REPEAT_MS) return;
      // The exit takes the child processes along.
      if (stop.signal.aborted) process.exit(EXIT_INTERRUPTED);
      stoppedAtMs = Date.now();
      print(`\nStopping (${name} again ends at once) …`);
      stop.abort(new StartRefused('Stopped before the start was complete.'));
      void close();
    });
  }
  try {
    const config = readConfig(process.argv.slice(2), process.env);
    if (!config) return print(USAGE);
    running = await start(config, stop.signal);
    if (stop.signal.aborted) await close();
    else printFirstCall(running, config);
  } catch (error) {
    if (stop.signal.aborted) return print('Stopped.');
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  }
}

async function start(config: AllInOneConfig, signal: AbortSignal): Promise<RunningAllInOne> {
  const { NATS_URL } = config;
  // What only tells its usage or refuses its configuration loads no service.
  const { startAllInOne } = await import('./start-allinone.js');
  return startAllInOne({
    port: config.PORT,
    departmentPort: config.DEPARTMENT_PORT,
    operators: { port: config.OPERATOR_PORT ?? 0, host: config.OPERATOR_HOST },
    host: config.HOST,
    dataDir: config.DATA_DIR,
    databaseUrl: config.DATABASE_URL,
    migrationUrl: config.DATABASE_MIGRATION_URL,
    bus: NATS_URL === undefined ? undefined : busConfigOf({ ...config, NATS_URL }),
    production: config.NODE_ENV === 'production',
    secrets: Object.fromEntries(SECRET_VARIABLES.map(name => [name, config[name]])),
    rateLimits: rateLimitsOf(config),
    securityContact: config.SECURITY_CONTACT,
    mcpOrigins: mcpOriginsOf(config, { host: config.HOST, production: config.NODE_ENV === 'production' }),
    logLevel: config.LOG_LEVEL,
    log: print,
    signal,
  });
}

function printFirstCall(
  { address, departmentAddress, operatorAddress, sandbox }: RunningAllInOne,
  { ADMIN_KEY, DATA_DIR }: AllInOneConfig,
): void {
  print(`gateway     ${address}   reference ${address}/docs   health ${address}/health`);
  print(`console     ${address}/console`);
  print(`departments ${departmentAddress}   (also at ${address}/departments)`);
  print(`operators   ${operatorAddress}`);
  print('');
  if (sandbox) {
    print('A first call that pays (with the sandbox) and proves:');
    print(`  npx svc prove hello --degree 1024 --url ${address}`);
  }
  print(sandbox ? 'The price of the same call:' : 'The price of a first call:');
  print(
    `  curl -i ${address}/v1/zk/prove -H 'content-type: application/json' -d '{"traceData":"hello","degree":1024}'`,
  );
  for (const line of sandbox ? waysToPay(sandbox) : []) print(line);
  if (!sandbox || ADMIN_KEY !== undefined) return;
  // Where it lies, and never the key itself: what is printed ends up in logs.
  const secrets = join(DATA_DIR, 'secrets.json');
  print(`The operator's key lies in ${secrets}, member adminKey:`);
  print(`  npx svc admin accounts --key-file ${secrets} --url ${operatorAddress}`);
}

/** Faults that a person can mend are one sentence; anything else is ours, and shows where it happened. */
function sentenceOf(error: unknown): string {
  if (
    error instanceof StartRefused ||
    error instanceof EmbeddedPostgresError ||
    error instanceof ConfigError
  ) {
    return error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

await main();

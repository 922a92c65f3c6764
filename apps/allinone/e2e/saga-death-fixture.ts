import {
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  type NatsServer,
  SECRET_VARIABLES,
  startEmbeddedPostgres,
  startNatsServer,
} from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { type Answer, post } from './paid-call.js';
import { AppProcess, Program, until, untilStatus, workspace } from './processes.js';

const SECRET = '8b0ebeeb171a1445182d8c12294118ba347b5c7ce0d221817286e903d3b17ec9';
/** The operators' key: every secret of the payments service is the same here. */
const ADMIN_KEY = SECRET;
/** Of a licence. */
export const PRICE_MICRO_USD = 5_000;
/** The shortest there is, so that a table of deaths takes no longer than it must. */
export const LEASE_MS = 2_000;
const GRANT_MICRO_USD = 20_000;
/** What a retry may be told before the saga has ended. */
const NOT_YET = [0, 202, 409, 502, 503, 504];

interface Session {
  query<Row>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

/** A session that is kept, for what it locks. */
export interface KeptSession extends Session {
  release(isBroken?: boolean): void;
}

/** Of Postgres. */
export interface Sessions extends Session {
  connect(): Promise<KeptSession>;
  end(): Promise<void>;
}

/** Who buys a licence, and under what it can ask again. */
export interface Buyer {
  readonly licensee: string;
  readonly key: string;
  readonly ticket: string;
  readonly idempotencyKey: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Gateway, payments and prover as processes of their own on NATS and Postgres, that a test may kill. There may be more
 * than one of payments; the oldest that lives is the one to be killed.
 */
export class MortalSagas {
  /** As the superuser: to look, to lock, and to put what waits out of the way. */
  database!: Sessions;
  readonly payments: AppProcess[] = [];
  prover!: AppProcess;
  private folder = '';
  private nats!: NatsServer;
  private postgres!: EmbeddedPostgres;
  private gateway!: AppProcess;
  private port = 0;

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'svc-saga-death-'));
    await chmod(this.folder, 0o755);
    const logger = createLogger('gateway', { level: 'silent' });
    [this.nats, this.postgres, this.port] = await Promise.all([
      startNatsServer({ binary: findNatsServer()!, dataDir: this.folder, token: SECRET, logger }),
      startEmbeddedPostgres({ dataDir: join(this.folder, 'data'), logger, fsync: false }),
      freePort(),
    ]);
    this.gateway = new AppProcess('gateway', {
      ...this.bus,
      ...{ HOST: '127.0.0.1', PORT: String(this.port), RATE_LIMIT_FACTOR: '0' },
    });
    await Promise.all([this.addPayments(), this.startProver()]);
    await untilStatus(`${this.address}/readyz`, 200);
    const pool = new Pool({ connectionString: this.postgres.adminUrl, max: 4 });
    // A connection that ends because Postgres does is a matter of whoever asks next.
    pool.on('error', () => undefined);
    pool.on('connect', session => session.on('error', () => undefined));
    this.database = pool as Sessions;
  }

  async close(): Promise<void> {
    await Promise.all([this.gateway, this.prover, ...this.payments].map(app => app?.end()));
    await this.database?.end();
    await Promise.all([this.nats?.stop(), this.postgres?.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Another replica of payments; resolves when it answers. */
  async addPayments(variables: Readonly<Record<string, string>> = {}): Promise<AppProcess> {
    const started = new AppProcess('payments', {
      ...this.bus,
      ...this.urlsOf('payments'),
      ...Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET])),
      SAGA_LEASE_SECONDS: String(LEASE_MS / 1_000),
      ...variables,
    });
    this.payments.push(started);
    await started.says(/The service answers on the bus/);
    return started;
  }

  async startProver(): Promise<void> {
    this.prover = new AppProcess('prover', {
      ...this.bus,
      ...this.urlsOf('prover'),
      AUDIT_SIGNING_SEEDS: SECRET,
    });
    await this.prover.says(/The service answers on the bus/);
  }

  /** Kills the oldest payments that lives; resolves when it is dead. */
  async killPayments(): Promise<void> {
    const victim = this.payments.shift()!;
    victim.signal('SIGKILL');
    await victim.exit();
  }

  async killProver(): Promise<void> {
    this.prover.signal('SIGKILL');
    await this.prover.exit();
  }

  /** Kills NATS or Postgres; resolves when it is there again. */
  async killAndAwait(victim: 'nats' | 'postgres'): Promise<void> {
    const { pid } = this[victim];
    process.kill(pid, 'SIGKILL');
    await until(
      () => this[victim].pid !== pid,
      () => `another ${victim}`,
    );
  }

  /** Who has paid for a licence and not asked for it yet. */
  async buyer(input: Readonly<Record<string, unknown>> = {}): Promise<Buyer> {
    const licensee = `agent-${randomUUID()}`;
    const { accountId } = await this.operate('/v1/admin/accounts', {});
    const grant = { amountMicroUsd: GRANT_MICRO_USD, reason: 'a test' };
    await this.operate(`/v1/admin/accounts/${String(accountId)}/credit`, grant);
    const { key } = await this.operate(`/v1/admin/accounts/${String(accountId)}/keys`, { label: 'a test' });
    const sold = await post(
      `${this.address}/v1/x402/verify`,
      { agentId: licensee },
      { 'x-svc-key': `${key}` },
    );
    if (sold.status !== 200) throw new Error(`no ticket: ${sold.status} ${sold.text}`);
    return {
      ...{ licensee, key: key as string, ticket: sold.json.ticket as string, idempotencyKey: randomUUID() },
      input: { licenseeAgentId: licensee, ...input },
    };
  }

  execute({ ticket, idempotencyKey, input }: Buyer): Promise<Answer> {
    const headers = { 'x-execution-ticket': ticket, 'idempotency-key': idempotencyKey };
    return post(`${this.address}/v1/x402/execute`, input, headers);
  }

  /** The answer that the buyer gets who asks again until there is one. */
  async answerTo(buyer: Buyer): Promise<Answer> {
    let last: Answer | undefined;
    await until(
      async () => {
        last = await this.execute(buyer).catch(() => undefined);
        if (!NOT_YET.includes(last?.status ?? 0) && last?.status !== 200)
          throw new Error(`a retry was told ${last?.status} ${last?.text}`);
        return last?.status === 200;
      },
      () => `an answer; the last was ${last?.status} ${last?.text}\n${this.dead()}`,
    );
    return last!;
  }

  /** What the buyer has spent. */
  async spent({ key }: Buyer): Promise<number> {
    const response = await fetch(`${this.address}/v1/account`, { headers: { 'x-svc-key': key } });
    const { balanceMicroUsd } = (await response.json()) as { balanceMicroUsd: number };
    return GRANT_MICRO_USD - balanceMicroUsd;
  }

  /** What the ledger's own reconciliation says, asked over HTTP. */
  reconcile(): Promise<Record<string, unknown>> {
    return this.operate('/v1/admin/reconcile', {});
  }

  /** What the command says that holds all logs and checkpoints of the database to each other; exits with 0 where they hold. */
  async verifyLogs(): Promise<{ code: number | string; output: string }> {
    const keys = `${this.address}/.well-known/svc-wal-keys.json`;
    const args = ['wal', 'verify', '--database', this.postgres.adminUrl, '--keys', keys, '--json'];
    const command = new Program(process.execPath, [join(workspace, 'libs/client/bin/svc.mjs'), ...args], {});
    return { code: await command.exit(), output: command.output };
  }

  /** Of the processes that nobody killed here and that are gone, their last words. */
  private dead(): string {
    const gone = [this.gateway, this.prover, ...this.payments].filter(({ hasExited }) => hasExited);
    return gone.map(({ output }) => `one is gone that said:\n${output.slice(-2_000)}`).join('\n');
  }

  private async operate(path: string, body: object): Promise<Record<string, unknown>> {
    const { status, json, text } = await post(`${this.address}${path}`, body, { 'x-svc-key': ADMIN_KEY });
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return json;
  }

  private get bus(): Record<string, string> {
    return { NATS_URL: this.nats.url, NATS_TOKEN: SECRET, LOG_LEVEL: 'info' };
  }

  private urlsOf(service: 'payments' | 'prover'): Record<string, string> {
    return {
      DATABASE_URL: this.postgres.urlFor(service),
      DATABASE_MIGRATION_URL: this.postgres.migrationUrlFor(service),
    };
  }
}

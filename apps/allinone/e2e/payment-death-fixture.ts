import type { Type } from '@nestjs/common';
import {
  API_VERSION,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  type NatsServer,
  type RunningService,
  SECRET_VARIABLES,
  startEmbeddedPostgres,
  startNatsServer,
  startService,
} from '@svc/platform';
import { startStripeEmulator, type StripeEmulator } from '@svc/sandbox';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { DataSource } from 'typeorm';
import { mint } from './card-fixture.js';
import type { Books } from './history-books.js';
import { type Answer, type Funding, openAccount, paidL402, post } from './paid-call.js';
import { type ProverScript, proverUnderTest, toolUnderTest } from './paid-route-fixture.js';
import { PaymentHistory } from './payment-history.js';
import { AppProcess, until, untilStatus } from './processes.js';

const SECRET = '8b0ebeeb171a1445182d8c12294118ba347b5c7ce0d221817286e903d3b17ec9';
const PATH = '/v1/zk/prove';
/** Of a call of it. */
export const PRICE_MICRO_USD = 1_000;

/** The operators' key: every secret of the payments service is the same here. */
const ADMIN_KEY = SECRET;

export type Victim = 'gateway' | 'payments' | 'postgres';

/** A credential as request headers. */
export type Credential = Readonly<Record<string, string>>;

/** What its holder sees of an account. */
export interface AccountSeen {
  readonly balanceMicroUsd: number;
  readonly quota: { readonly used: number };
}

/**
 * Gateway and payments as processes of their own on NATS and Postgres, that a test may kill; the prover and the card
 * processor are the test's, and wait or fail as it tells them.
 */
export class MortalServices {
  readonly script: ProverScript = {
    provedCount: 0,
    callIds: [],
    standings: [],
    cancelledCallIds: [],
    before: async () => undefined,
  };
  /** Of all that is asked for a price. */
  readonly history: PaymentHistory;
  emulator!: StripeEmulator;
  /** A connection of the test's own, to look and to lock; anew after the death of Postgres. */
  database!: DataSource;
  private folder = '';
  private nats!: NatsServer;
  private postgres!: EmbeddedPostgres;
  private prover!: RunningService;
  private snn!: RunningService;
  private gateway!: AppProcess;
  private payments!: AppProcess;
  private port = 0;

  /**
   * @param suite by whose name its history goes
   * @param variables of the payments service, for rails beside those of every test
   */
  constructor(
    suite: string,
    private readonly variables: Readonly<Record<string, string>> = {},
  ) {
    this.history = new PaymentHistory(suite);
  }

  /** What the history is held against at the end. */
  get books(): Books {
    return { database: this.database, emulator: this.emulator };
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'svc-death-'));
    await chmod(this.folder, 0o755);
    const logger = createLogger('gateway', { level: 'silent' });
    const dataDir = join(this.folder, 'data');
    [this.nats, this.postgres, this.emulator, this.port] = await Promise.all([
      startNatsServer({ binary: findNatsServer()!, dataDir: this.folder, token: SECRET, logger }),
      startEmbeddedPostgres({ dataDir, logger, fsync: false }),
      startStripeEmulator({ webhookUrl: () => undefined }),
      freePort(),
    ]);
    const scripted = (name: 'prover' | 'snn', module: Type) =>
      startService(
        { name, migrations: [], module: () => module },
        {
          service: name,
          version: API_VERSION,
          bus: { kind: 'nats', url: this.nats.url, token: SECRET },
          ...(name === 'prover' ? this.postgres.urlsFor('prover') : {}),
          production: false,
          secrets: {},
          logger,
        },
      );
    this.prover = await scripted('prover', proverUnderTest(this.script));
    this.snn = await scripted('snn', toolUnderTest(this.script));
    await Promise.all([this.start('payments'), this.start('gateway')]);
    await this.sells();
    await this.connect();
  }

  async close(): Promise<void> {
    await this.database?.destroy().catch(() => undefined);
    await Promise.all([this.gateway?.end(), this.payments?.end()]);
    await this.prover?.close();
    await this.snn?.close();
    await Promise.all([this.emulator?.close(), this.nats?.stop(), this.postgres?.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Kills it, and resolves when it is dead. */
  async kill(victim: Victim): Promise<void> {
    if (victim === 'postgres') {
      const { pid } = this.postgres;
      process.kill(pid, 'SIGKILL');
      await until(
        () => this.postgres.pid !== pid,
        () => 'another Postgres',
      );
      return;
    }
    this[victim].signal('SIGKILL');
    await this[victim].exit();
  }

  /** Brings back what was killed. */
  async revive(victim: Victim): Promise<void> {
    if (victim === 'postgres') await this.connect();
    else await this.start(victim);
    await this.sells();
  }

  /** Resolves when what is for sale can be paid by every rail. */
  private async sells(): Promise<void> {
    await untilStatus(`${this.address}/readyz`, 200);
    let last: Answer | undefined;
    await until(
      async () => {
        last = await post(`${this.address}${PATH}`, undefined).catch(() => undefined);
        const { rails = [] } = (last?.json ?? {}) as { rails?: string[] };
        return last?.status === 402 && rails.includes('l402') && rails.includes('spt');
      },
      () => `a 402 over every rail; the last was ${last?.status} ${last?.text}`,
    );
  }

  /** Stops the gateway where it stands, or lets it go on. */
  freezeGateway(frozen: boolean): void {
    this.gateway.signal(frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  prove(body: object, credential: Credential): Promise<Answer> {
    return this.call(PATH, body, credential);
  }

  call(path: string, body: object, credential: Credential): Promise<Answer> {
    return post(`${this.address}${path}`, body, { ...credential }, this.history.fetch);
  }

  async payByLightning(): Promise<Credential> {
    return { authorization: await paidL402(this.address, PATH, this.address, this.history.fetch) };
  }

  async payByCard(): Promise<Credential> {
    const { headers } = await post(`${this.address}${PATH}`, undefined);
    const token = await mint(this.emulator, 'pm_card_visa', 50);
    return {
      'payment-credential': `SPT ${token}`,
      'x-402-challenge': headers.get('x-402-challenge')!,
    };
  }

  /** An account with credit for one call, or so many, or with a plan and no credit; its key. */
  async openAccount(funding: Funding, calls = 1): Promise<string> {
    const amount = calls * PRICE_MICRO_USD;
    const { accountId, key } = await openAccount(this.address, ADMIN_KEY, funding, amount);
    if (funding === 'credit') this.history.grant(accountId, amount);
    return key;
  }

  async account(key: string): Promise<AccountSeen> {
    const response = await fetch(`${this.address}/v1/account`, { headers: { 'x-svc-key': key } });
    return (await response.json()) as AccountSeen;
  }

  /** What the ledger's own reconciliation finds wrong with it, asked over HTTP. */
  async findings(): Promise<unknown> {
    const url = `${this.address}/v1/admin/reconcile`;
    const { json, text } = await post(url, {}, { 'x-svc-key': ADMIN_KEY });
    if (json.findings === undefined) throw new Error(text);
    return json.findings;
  }

  /** What the card processor has taken. */
  async charges(): Promise<Stripe.PaymentIntent[]> {
    const { port, secretKey } = this.emulator;
    const stripe = new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false });
    const { data } = await stripe.paymentIntents.list({ limit: 100 });
    return data.filter(({ status }) => status === 'succeeded');
  }

  private async start(app: 'gateway' | 'payments'): Promise<void> {
    const started = new AppProcess(app, {
      NATS_URL: this.nats.url,
      NATS_TOKEN: SECRET,
      LOG_LEVEL: 'warn',
      ...(app === 'gateway'
        ? { HOST: '127.0.0.1', PORT: String(this.port), RATE_LIMIT_FACTOR: '0' }
        : {
            DATABASE_URL: this.postgres.urlFor('payments'),
            DATABASE_MIGRATION_URL: this.postgres.migrationUrlFor('payments'),
            STRIPE_SECRET_KEY: this.emulator.secretKey,
            STRIPE_API_URL: this.emulator.url,
            STRIPE_WEBHOOK_SECRET: this.emulator.webhookSecret,
            ...Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET])),
            ...this.variables,
          }),
    });
    this[app] = started;
  }

  private async connect(): Promise<void> {
    await this.database?.destroy().catch(() => undefined);
    let opened: DataSource | undefined;
    await until(
      async () => {
        opened = await new DataSource({
          type: 'postgres',
          // As the superuser: no other role sees what the service's statements wait for.
          url: this.postgres.adminUrl,
          schema: 'payments',
          extra: { options: '-c search_path=payments' },
        })
          .initialize()
          .catch(() => undefined);
        return opened !== undefined;
      },
      () => 'a connection to Postgres',
    );
    this.database = opened!;
  }
}

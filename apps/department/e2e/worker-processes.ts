import { departmentTaskContract, type RequestOf, type Task, type TaskClaim } from '@svc/contracts';
import {
  API_VERSION,
  BusClient,
  createLogger,
  openBusLink,
  type ServiceEnvironment,
  startNatsServer,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { AttestScript, attestStandIn } from './attest-stand-in.js';
import { PaymentsScript, paymentsStandIn } from './payments-stand-in.js';
import { SnnScript, snnStandIn } from './snn-stand-in.js';

const { submitTask, task, quoteTask } = departmentTaskContract;
const workspace = resolve(import.meta.dirname, '../../..');
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];
/** Between two questions, and before a refused one is asked again, milliseconds. */
const ASK_AGAIN_MS = 50;

/** The service in a process of its own, as in production. */
class Worker {
  output = '';
  readonly child: ChildProcess;
  readonly exited: Promise<void>;

  constructor(env: Record<string, string>) {
    const main = resolve(workspace, 'apps/department/dist/main.js');
    this.child = spawn(process.execPath, [main], {
      cwd: workspace,
      env: { PATH: process.env.PATH!, ...env },
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.exited = new Promise(done => this.child.once('close', () => done()));
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.exited;
  }
}

/**
 * The processes run what is built, as in production; a suite that starts them asks here first.
 * @throws {Error} where a package is not built, or changed since
 */
export async function mustBeBuilt(): Promise<void> {
  const outputs = (await import(join(workspace, 'tools/setup/outputs.mjs'))) as {
    typescriptIsStale(root: string): boolean;
  };
  if (outputs.typescriptIsStale(workspace))
    throw new Error('What is built is missing or older than its source: npm run build');
}

/** Processes of the service on a real nats-server and Postgres, and stand-ins of those that it calls. */
export class WorkerProcesses {
  readonly payments = new PaymentsScript();
  readonly snn = new SnnScript();
  private workers: Worker[] = [];
  private readonly closers: (() => Promise<unknown>)[] = [];
  private environment: Record<string, string> = {};
  private bus!: BusClient;
  database!: DataSource;

  static async start(binary: string): Promise<WorkerProcesses> {
    const processes = new WorkerProcesses();
    await processes.open(binary).catch(async (error: unknown) => {
      await processes.close();
      throw error;
    });
    return processes;
  }

  private async open(binary: string): Promise<void> {
    const logger = createLogger('department', { level: 'silent' });
    const postgres = await startTemporaryPostgres();
    this.closers.push(() => postgres.stop());
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-tasks-'));
    this.closers.push(() => rm(dataDir, { recursive: true, force: true }));
    const nats = await startNatsServer({ binary, dataDir, logger });
    this.closers.push(() => nats.stop());
    const bus: ServiceEnvironment['bus'] = { kind: 'nats', url: nats.url, token: nats.token };
    for (const [name, module] of [
      ['prover', attestStandIn(new AttestScript())],
      ['payments', paymentsStandIn(this.payments)],
      ['snn', snnStandIn(this.snn)],
    ] as const) {
      const common = {
        version: API_VERSION as ServiceEnvironment['version'],
        production: false,
        secrets: {},
      };
      const definition = { name, migrations: [], module: () => module };
      const service = await startService(definition, { ...common, service: name, bus, logger });
      this.closers.push(() => service.close());
    }
    const link = openBusLink(bus, 'gateway', logger);
    await link.connect();
    this.closers.push(() => link.close());
    this.bus = new BusClient(link);
    this.environment = {
      NATS_URL: nats.url,
      NATS_TOKEN: nats.token,
      DATABASE_URL: postgres.urlFor('department'),
      DATABASE_MIGRATION_URL: postgres.migrationUrlFor('department'),
      DEPARTMENT_SECRET: 'department-secret-of-the-tests-of-32-characters',
      CALLBACK_SIGNING_SEEDS: 'callback-seed-of-the-tests-of-32-characters',
      DEPARTMENT_TASK_LEASE_SECONDS: '2',
      NODE_ENV: 'test',
    };
    await this.add();
    const url = postgres.migrationUrlFor('department');
    const extra = { options: '-c search_path=department' };
    this.database = await new DataSource({ type: 'postgres', url, extra }).initialize();
    this.closers.push(() => this.database.destroy());
  }

  /** Another worker; resolves when one answers. */
  async add(): Promise<void> {
    const worker = new Worker(this.environment);
    this.workers.push(worker);
    for (;;) {
      const answer = this.bus.call(quoteTask, { deptId: 'payments' }, { timeoutMs: 1_000 });
      if (await answer.catch(() => undefined)) return;
      if (worker.child.exitCode !== null)
        throw new Error(`no worker has started: ${worker.output.slice(-2_000)}`);
      await delay(ASK_AGAIN_MS);
    }
  }

  /** Ends the worker at a place, the others go on. */
  async endOne(place: number, signal: NodeJS.Signals): Promise<void> {
    const [worker] = this.workers.splice(place % this.workers.length, 1);
    await worker?.end(signal);
  }

  /** Ends every worker there is now, but for those that are added meanwhile. */
  async endAll(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(this.workers.splice(0).map(worker => worker.end(signal)));
  }

  /** What ends all workers when a moment comes for the first time, and starts another. */
  replacingOnce(): () => Promise<void> {
    let isDone = false;
    return async () => {
      if (isDone) return;
      isDone = true;
      await this.endAll('SIGKILL');
      await this.add();
    };
  }

  async submit(): Promise<{ taskId: string; claim: TaskClaim }> {
    const claim = this.payments.claim();
    const request = { capability: 'create_purchase_link', task: {} };
    return { taskId: await this.give({ deptId: 'payments', request, payment: { claim } }), claim };
  }

  /** A simulation within a quota. */
  submitCounted(): Promise<string> {
    const counted = { subject: `address:${'a'.repeat(64)}`, resetsAt: '2026-12-01T00:00:00.000Z' };
    const request = { capability: 'snn.solve', task: { neuronCount: 1_000 } };
    return this.give({ deptId: 'neuro', request, payment: { counted } });
  }

  private async give(given: Omit<RequestOf<typeof submitTask>, 'taskId'>): Promise<string> {
    const taskId = `tsk_${randomBytes(16).toString('base64url')}`;
    // Whoever was to answer may be killed: the same id again is the same task.
    await this.asked(() => this.bus.call(submitTask, { taskId, ...given }, { timeoutMs: 2_000 }));
    return taskId;
  }

  /** The task, once it has ended. */
  async ended(taskId: string, deptId: Task['deptId'] = 'payments'): Promise<Task> {
    for (;;) {
      const named = { deptId, taskId };
      const found = await this.asked(() => this.bus.call(task, named, { timeoutMs: 2_000 }));
      if (ENDED.includes(found.status)) return found;
      await delay(ASK_AGAIN_MS);
    }
  }

  async close(): Promise<void> {
    await this.endAll('SIGKILL');
    for (const close of this.closers.reverse()) await close();
  }

  private async asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await delay(ASK_AGAIN_MS);
      }
    }
  }
}

import { describe, expect, it } from '@jest/globals';
import { pingProcedure } from '@svc/contracts';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { BusClient } from '../src/messaging/bus-client.js';
import { openBusLink } from '../src/messaging/bus.module.js';
import { createLogger } from '../src/observability/logger.js';
import { API_VERSION } from '../src/runtime/service-definition.js';
import { startService } from '../src/runtime/service-runtime.js';
import { findNatsServer, startNatsServer } from '../src/embedded/nats-server.js';
import { exitOf, type ServerProcess, Supervisor } from '../src/embedded/supervisor.js';
import { startOwnPostgres } from '../src/testing/temporary-postgres.js';

const logger = createLogger('allinone', { level: 'silent' });
const binary = findNatsServer();

function program(name: string, ...args: string[]): ServerProcess {
  const child = spawn(name, args, { stdio: 'ignore' });
  return { child, stop: () => (child.kill('SIGKILL'), exitOf(child)) };
}
const dying = () => program('true');
const lasting = () => program('sleep', '600');

/** The first success of what fails while a server is away. */
async function healed<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}

function recording() {
  const levels: string[] = [];
  const destination = { write: (line: string) => void levels.push(JSON.parse(line).level) };
  return { levels, logger: createLogger('allinone', { level: 'trace', destination }) };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a supervised server', () => {
  it('is Postgres: killed, it answers again on the same URL with what was committed', async () => {
    const postgres = await startOwnPostgres();
    const url = postgres.migrationUrlFor('payments');
    const query = async (sql: string) => {
      const client = new Client({ connectionString: url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const killed = postgres.pid;
    try {
      await query('CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)');
      process.kill(killed, 'SIGKILL');
      while (isAlive(killed)) await new Promise(resolve => setTimeout(resolve, 10));
      expect(await healed(() => query('SELECT id FROM kept'))).toEqual([{ id: 7 }]);
      expect(postgres.pid).not.toBe(killed);
    } finally {
      await postgres.stop();
    }
    expect(isAlive(postgres.pid)).toBe(false);
  });

  it('is nats-server: killed, it carries calls again on the same URL with the same token', async () => {
    if (!binary) return console.log('SKIPPED: nats-server is not installed');
    const home = await mkdtemp(join(tmpdir(), 'svc-nats-'));
    const server = await startNatsServer({ binary, dataDir: home, logger });
    const bus = { kind: 'nats', url: server.url, token: server.token } as const;
    class Empty {}
    const service = await startService(
      { name: 'snn', migrations: [], module: () => Empty },
      { service: 'snn', version: API_VERSION, bus, production: false, secrets: {}, logger },
    );
    const link = openBusLink(bus, 'gateway', logger);
    const killed = server.pid;
    try {
      await link.connect();
      const client = new BusClient(link);
      const { instanceId } = await client.call(pingProcedure('snn'), {});
      process.kill(killed, 'SIGKILL');
      while (link.connected) await new Promise(resolve => setTimeout(resolve, 10));
      expect(await healed(() => client.call(pingProcedure('snn'), {}))).toMatchObject({ instanceId });
      expect(server.pid).not.toBe(killed);
    } finally {
      await link.close();
      await service.close();
      await server.stop();
      await rm(home, { recursive: true, force: true });
    }
    expect(isAlive(server.pid)).toBe(false);
  });

  it('is given up with one line at fatal after ten failures in a row', async () => {
    const { levels, logger: recorder } = recording();
    let starts = 0;
    const failing = async () => {
      starts++;
      throw new Error('the port is taken');
    };
    const supervisor = new Supervisor('it', dying(), failing, recorder, () => 0);
    while (!levels.includes('fatal')) await new Promise(resolve => setTimeout(resolve, 10));
    await supervisor.stop();
    expect(starts).toBe(10);
    expect(levels).toEqual([...Array<string>(11).fill('error'), 'fatal']);
  });

  it('is given up when it starts and dies at once, over and over', async () => {
    const { levels, logger: recorder } = recording();
    const supervisor = new Supervisor(
      'it',
      dying(),
      async () => dying(),
      recorder,
      () => 0,
    );
    while (!levels.includes('fatal')) await new Promise(resolve => setTimeout(resolve, 10));
    await supervisor.stop();
    expect(levels.filter(level => level === 'fatal')).toHaveLength(1);
  });

  it('stopped while it is being started again leaves no process behind', async () => {
    let begin = () => {};
    const began = new Promise<void>(resolve => (begin = resolve));
    let started: ServerProcess | undefined;
    let goOn = () => {};
    const gate = new Promise<void>(resolve => (goOn = resolve));
    const restart = async () => {
      begin();
      await gate;
      return (started = lasting());
    };
    const supervisor = new Supervisor('it', dying(), restart, logger, () => 0);
    await began;
    const stopping = supervisor.stop();
    goOn();
    await stopping;
    expect(started!.child.signalCode).toBe('SIGKILL');
  });

  it('that was stopped is not started again', async () => {
    let starts = 0;
    const restart = async () => (starts++, lasting());
    const supervisor = new Supervisor('it', lasting(), restart, logger, () => 0);
    await supervisor.stop();
    await new Promise(resolve => setImmediate(resolve));
    expect(starts).toBe(0);
  });
});

import { expect, it } from '@jest/globals';
import { SECRET_VARIABLES } from '@svc/platform';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describeAllInOne, READY } from './allinone.cases.js';
import { post } from './paid-call.js';
import { processesWith, until } from './processes.js';

/** A card processor and a chain that are not there. */
const RAILS = {
  STRIPE_SECRET_KEY: 'sk_test_of_somebody_else',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_somebody_else',
  STRIPE_API_URL: 'http://127.0.0.1:1',
  X402_PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  X402_NETWORK: 'eip155:84532',
  X402_RPC_URL: 'http://127.0.0.1:1',
  X402_FACILITATOR_URL: 'http://127.0.0.1:1',
};

describeAllInOne(({ freshFolder, launch }) => {
  // What starts with nothing configured is the sandbox's, of sandbox.e2e.spec.ts.
  it('starts with rails of its own, says where it is, reports every service online, and leaves nothing behind on Ctrl-C', async () => {
    const dataDir = freshFolder();
    const app = launch(dataDir, RAILS);
    const [, address] = await app.says(READY);
    expect(app.output).toContain(`database    embedded Postgres in ${dataDir}/postgres`);
    expect(app.output).toMatch(/^bus {9}\S+/m);
    await app.says(/npx svc prove/);
    const [, consoleUrl] = /^console {5}(\S+)$/m.exec(app.output)!;
    expect((await fetch(consoleUrl)).headers.get('content-type')).toBe('text/html; charset=utf-8');
    const health = async () => (await (await fetch(`${address}/health`)).json()) as Record<string, unknown>;
    await until(
      async () => (await health()).status === 'OPERATIONAL',
      () => 'OPERATIONAL',
    );
    expect(await health()).toMatchObject({ version: '2026.4.2', domainsOnline: 6 });
    // The sandbox gives way to what is configured; neither rail can settle now.
    expect(app.output).not.toMatch(/^sandbox/m);
    const { rails } = (await post(`${address}/v1/zk/prove`, undefined)).json;
    expect([...(rails as string[])].sort()).toEqual(['l402', 'mpp-lightning']);
    app.signal('SIGINT');
    expect(await app.exit()).toBe(0);
    expect(app.output).toMatch(/Stopped\.\n$/);
    expect(await processesWith(dataDir)).toEqual([]);
  });

  it('says in one sentence that the port is taken, with exit code 1, before it starts anything', async () => {
    const taken = createServer();
    const port = await new Promise<number>(resolve =>
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
    );
    const dataDir = freshFolder();
    const app = launch(dataDir, {}, ['--port', String(port)]);
    expect(await app.exit()).toBe(1);
    expect(app.output).toBe(`Port ${port} is in use by another program; choose one with --port.\n`);
    taken.close();
  });

  it('says in one sentence what is wrong with the data folder, with exit code 1', async () => {
    const dataDir = freshFolder();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
    const app = launch(freshFolder(), {}, ['--data-dir', dataDir]);
    expect(await app.exit()).toBe(1);
    expect(app.output).toBe(`${dataDir}/postgres was made by Postgres 14, this release runs Postgres 18.\n`);
  });

  it('refuses generated secrets, sandbox keys and an embedded database in production', async () => {
    const app = launch(freshFolder(), { NODE_ENV: 'production', SANDBOX_LIGHTNING_KEY: 'e'.repeat(64) });
    expect(await app.exit()).toBe(1);
    // Shared with relays of one's own, where there are any.
    const needed = SECRET_VARIABLES.filter(name => name !== 'TURN_SECRET');
    for (const name of ['DATABASE_URL', 'DATABASE_MIGRATION_URL', ...needed])
      expect(app.output).toContain(name);
  });

  it('refuses to offer the sandbox beyond loopback', async () => {
    const app = launch(freshFolder(), { HOST: '0.0.0.0' });
    expect(await app.exit()).toBe(1);
    expect(app.output).toMatch(/HOST: the payment sandbox listens on loopback alone, got "0\.0\.0\.0"/);
  });
});

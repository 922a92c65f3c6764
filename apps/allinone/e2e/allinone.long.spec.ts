// commit: none, it kills, stops and weighs the whole program, a start of three CPU seconds each; see ./allinone.spec.ts
// watches: libs/platform/src/embedded, libs/platform/src/runtime
import { expect, it } from '@jest/globals';
import type { ProofJob } from '@svc/contracts';
import { loadOrCreateSecrets } from '@svc/platform';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { describeAllInOne, READY } from './allinone.cases.js';
import { paidL402, post } from './paid-call.js';
import { processesWith, residentBytes, until } from './processes.js';

/** Claims that the payments service of the process with this data folder has recorded. */
async function claimCountIn(dataDir: string): Promise<number | null> {
  const { rolePasswords } = await loadOrCreateSecrets(dataDir);
  const port = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[3];
  const connectionString = `postgres://payments:${rolePasswords.payments}@127.0.0.1:${port}/svc`;
  const database = new Client({ connectionString });
  await database.connect();
  try {
    return (await database.query('SELECT 1 FROM payments.payment_claim')).rowCount;
  } finally {
    await database.end();
  }
}

describeAllInOne(({ freshFolder, launch, untilNothingRunsIn }) => {
  it('stays below 600 MB of memory when idle, with its Postgres and its nats-server', async () => {
    const dataDir = freshFolder();
    const app = launch(dataDir);
    await app.says(READY);
    const lines = await processesWith(dataDir);
    const sizes = await residentBytes([app.pid, ...lines.map(line => Number.parseInt(line, 10))]);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600e6);
  });

  it('heals after SIGKILL: the next start ends what was left behind and keeps the data', async () => {
    const dataDir = freshFolder();
    const killed = launch(dataDir);
    const [, address] = await killed.says(READY);
    const authorization = await paidL402(address);
    const body = { traceData: 'outlives SIGKILL', degree: 64 };
    const sold = await post(`${address}/v1/zk/prove`, body, { authorization });
    expect([sold.status, sold.json.status]).toEqual([200, 'VERIFIED_VALID']);
    killed.signal('SIGKILL');
    await killed.exit();
    const leftBehind = await processesWith(dataDir);
    expect(leftBehind.length).toBeGreaterThan(0);
    const app = launch(dataDir);
    const [, healed] = await app.says(READY);
    const stored = await fetch(`${healed}/v1/stark/proofs/${sold.json.proofId as string}`);
    expect(stored.status).toBe(200);
    expect(Buffer.from(await stored.arrayBuffer()).toString('base64')).toBe(sold.json.proof);
    const replayed = await post(`${healed}/v1/zk/prove`, body, { authorization });
    expect([replayed.status, replayed.text]).toEqual([200, sold.text]);
    const running = (await processesWith(dataDir)).join('\n');
    for (const line of leftBehind) expect(running).not.toContain(` ${line.trim().split(' ')[0]} `);
    app.signal('SIGTERM');
    expect(await app.exit()).toBe(0);
    await untilNothingRunsIn(dataDir);
  });

  it.each([
    ['at once', /^/],
    ['while the database starts', /^/],
    ['while the bus starts', /database {4}/],
    ['while the services start', /bus {9}/],
    ['while the gateway starts', /services {4}/],
  ])('ends cleanly on Ctrl-C %s', async (_name, moment) => {
    const dataDir = freshFolder();
    const app = launch(dataDir);
    await app.says(moment);
    app.signal('SIGINT');
    expect([0, 'SIGINT']).toContain(await app.exit());
    expect(app.output).not.toMatch(/\n\s+at /);
    await untilNothingRunsIn(dataDir);
  });

  it('settles the job and the call that are at work when it is ended, before it ends', async () => {
    const dataDir = freshFolder();
    const app = launch(dataDir);
    const [, address] = await app.says(READY);
    // Longer at work than the call: the gateway has drained when the job ends.
    const body = { traceData: 'at work', degree: 2 ** 19 };
    const [authorization, other] = [await paidL402(address), await paidL402(address)];
    const taken = await post(`${address}/v1/zk/prove`, body, { authorization, prefer: 'respond-async' });
    const path = taken.headers.get('location')!;
    const jobAt = async (base: string) => (await (await fetch(`${base}${path}`)).json()) as ProofJob;
    expect(await claimCountIn(dataDir)).toBe(1);
    // Of another size, so that it does not wait for the job.
    const call = post(`${address}/v1/zk/prove`, { ...body, degree: 2 ** 16 }, { authorization: other });
    await until(
      async () => (await jobAt(address)).state === 'running',
      () => 'a running job',
    );
    await until(
      async () => (await claimCountIn(dataDir)) === 2,
      () => 'the claim of the call',
    );
    app.signal('SIGTERM');
    const answer = await call;
    expect([answer.status, answer.json.status]).toEqual([200, 'VERIFIED_VALID']);
    expect(await app.exit()).toBe(0);
    const stoppedAt = Date.now();
    expect(app.output).not.toContain('could not be attended to');
    expect(app.output).not.toContain('No service answers');

    const [, again] = await launch(dataDir).says(READY);
    const job = await jobAt(again);
    expect(job).toMatchObject({ state: 'succeeded', payment: 'delivered' });
    expect(Date.parse(job.endedAt!)).toBeLessThan(stoppedAt);
    const replayed = await post(`${again}/v1/zk/prove`, body, { authorization });
    expect([replayed.status, replayed.json.proofId]).toEqual([200, job.proofId]);
  });

  it('takes one Ctrl-C that arrives twice, as under npm, for one: it ends cleanly', async () => {
    const dataDir = freshFolder();
    const app = launch(dataDir);
    await app.says(READY);
    app.signal('SIGINT');
    await app.says(/Stopping/);
    app.signal('SIGINT');
    expect(await app.exit()).toBe(0);
    await untilNothingRunsIn(dataDir);
  });
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createClient, sandboxWallet } from '../src/index.js';
import { databaseOfDataFolder } from '../src/node/data-folder.js';
import { settled } from '../testing/settled.js';
import type { Svc } from './command-line.js';
import type { RunningProduct } from './running-product.js';

interface Report {
  readonly valid: boolean;
  readonly sagas: number;
  readonly records: number;
  readonly checkpoints: number;
  readonly recordsUncovered: number;
  readonly findings: readonly object[];
}

/** The log of the product and its checkpoints, with an operator who changes both by hand. */
export function describeWal(product: () => RunningProduct, svc: Svc): void {
  let folder: string;
  let url: string;
  /** Of whoever runs the database, whom no trigger stops. */
  let superuser: InstanceType<typeof Client>;
  const sagas: string[] = [];
  /** Sagas in the log, these two included. */
  let sagaCount: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-wal-'));
    url = await databaseOfDataFolder(product().dataDir);
    const secrets = JSON.parse(await readFile(join(product().dataDir, 'secrets.json'), 'utf8'));
    superuser = new Client({
      connectionString: url.replace(/\/\/.*@/, `//postgres:${secrets.postgresPassword}@`),
    });
    await superuser.connect();
    await superuser.query(`SET search_path TO payments; SET session_replication_role TO replica`);
    await buy({});
    await buy({ simulateFault: true });
    const { rows } = await superuser.query('SELECT count(*)::int AS count FROM saga');
    sagaCount = rows[0].count;
  });
  afterAll(async () => {
    await superuser?.end();
    await rm(folder, { recursive: true, force: true });
  });

  /** Buys a licence; keeps the view of its saga, once a checkpoint covers it whole, as a file. */
  async function buy(request: { simulateFault?: boolean }): Promise<void> {
    const client = createClient({
      baseUrl: product().address,
      wallet: sandboxWallet({ baseUrl: product().address }),
      maxSatsPerCall: 1_000_000,
    });
    const { data: ticket } = await client.buyTicket({ tool: 'm2m_license_contract' });
    const licence = { licenseeAgentId: 'agent-of-the-tests', ...request };
    const { data } = await client.licence(licence, { ticket: ticket.ticket });
    sagas.push(data.sagaId);
    await settled(async () => {
      const { data: view } = await client.saga(data.sagaId, { ticket: ticket.ticket });
      if (view.inclusion?.walCount !== view.walCount) return false;
      await writeFile(answerOf(data.sagaId), JSON.stringify(view));
      return true;
    }, 100);
  }

  const answerOf = (sagaId: string) => join(folder, `${sagaId}.json`);

  async function verify(...options: string[]): Promise<{ code: number | null; report: Report }> {
    const { code, stdout, stderr } = await svc([
      'wal',
      'verify',
      '--json',
      '--url',
      product().address,
      ...options,
    ]);
    expect(stderr).toBe('');
    return { code, report: JSON.parse(stdout) as Report };
  }

  const verifyData = () => verify('--data', product().dataDir);

  test('the log of a product that runs holds, by its folder, with its checkpoints and its keys', async () => {
    const { code, report } = await verifyData();
    expect(report).toMatchObject({
      ...{ valid: true, sagas: sagaCount, recordsUncovered: 0, signatures: 'checked', findingCount: 0 },
      outsideCheckpoints: report.checkpoints,
    });
    expect(report.records).toBeGreaterThanOrEqual(10 + 10);
    expect(report.checkpoints).toBeGreaterThan(0);
    expect(code).toBe(0);
    const one = await verify('--database', url, '--saga', sagas[1]);
    expect(one).toMatchObject({ code: 0, report: { valid: true, sagas: 1 } });
    expect(one.report.records).toBeLessThan(report.records);
    expect(one.report).not.toHaveProperty('outsideCheckpoints');
  });

  test('the log in an answer holds without the database, and not with one digit changed', async () => {
    for (const sagaId of sagas) {
      const path = answerOf(sagaId);
      const { code, report } = await verify(path);
      expect({ code, report }).toMatchObject({
        code: 0,
        report: { valid: true, checkpoint: { signature: 'good' } },
      });
      const view = JSON.parse(await readFile(path, 'utf8'));
      view.walEvents[3].fence += 1;
      await writeFile(`${path}.altered`, JSON.stringify(view));
      const altered = await verify(`${path}.altered`);
      expect(altered).toMatchObject({ code: 1, report: { valid: false, reason: 'hash-differs', seq: 3 } });
    }
  });

  test('one byte of one row that is changed by hand is found, and its record named', async () => {
    const change = (from: string, to: string) =>
      superuser.query(
        `UPDATE saga_wal SET payload = replace(payload::text, $2, $3)::jsonb WHERE saga_id = $1 AND seq = 0`,
        [sagas[0], from, to],
      );
    await change('m2m_license_contract', 'm2m_license_contracu');
    const { code, report } = await verifyData();
    await change('m2m_license_contracu', 'm2m_license_contract');
    expect(report.findings).toEqual([{ sagaId: sagas[0], seq: 0, reason: expect.any(String) }]);
    expect(code).toBe(1);
    const told = await svc(['wal', 'verify', '--url', product().address, '--database', url]);
    expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/^VALID/) });
  });

  test('a record that is deleted is named, also to a reader of text', async () => {
    await superuser.query(
      `CREATE TEMP TABLE taken AS SELECT * FROM saga_wal WHERE saga_id = $1 AND seq = 4`,
      [sagas[1]],
    );
    await superuser.query(`DELETE FROM saga_wal WHERE saga_id = $1 AND seq = 4`, [sagas[1]]);
    const { code, stdout } = await svc([
      'wal',
      'verify',
      '--url',
      product().address,
      '--data',
      product().dataDir,
    ]);
    await superuser.query(`INSERT INTO saga_wal SELECT * FROM taken`);
    expect(stdout).toMatch(/^INVALID {2}1 finding/);
    expect(stdout).toContain(`  saga ${sagas[1]}, record 4: record-missing\n`);
    expect(code).toBe(1);
    expect((await verifyData()).code).toBe(0);
  });

  test('a saga that was deleted with its checkpoints is found by the file alone', async () => {
    const { rows } = await superuser.query(
      `SELECT min(number) AS number FROM wal_checkpoint_leaf WHERE saga_id = $1`,
      [sagas[1]],
    );
    const from = [rows[0].number];
    for (const table of ['wal_checkpoint_leaf', 'wal_checkpoint'])
      await superuser.query(`DELETE FROM ${table} WHERE number >= $1`, from);
    for (const table of ['saga_wal', 'saga'])
      await superuser.query(`DELETE FROM ${table} WHERE saga_id = $1`, [sagas[1]]);
    const inside = await verify('--database', url);
    expect(inside).toMatchObject({ code: 0, report: { valid: true, sagas: sagaCount - 1 } });
    const { code, report } = await verifyData();
    expect(report.findings).toContainEqual({ reason: 'saga-missing', sagaId: sagas[1], seq: 0 });
    expect(report.findings[0]).toMatchObject({
      reason: 'checkpoint-missing-from-database',
      checkpoint: Number(from[0]),
    });
    expect(code).toBe(1);
  });

  test('what cannot be read is told apart from what does not hold', async () => {
    const wal = (...options: string[]) => svc(['wal', ...options]);
    expect(await wal('verify', '--database', 'postgres://nobody:x@127.0.0.1:1/svc')).toMatchObject({
      code: 5,
    });
    expect(
      await wal('verify', '--database', url.replace(/:[^:@]+@/, ':wrong@'), '--keys', answerOf(sagas[0])),
    ).toMatchObject({
      code: 2,
    });
    expect(await wal('verify', '--data', folder)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('secrets.json'),
    });
    expect(await wal('verify', '--database', url, '--data', folder)).toMatchObject({ code: 2 });
    expect(await wal('verify', answerOf(sagas[0]), '--saga', sagas[0])).toMatchObject({ code: 2 });
    expect(await wal('check')).toMatchObject({ code: 2 });
  });
}

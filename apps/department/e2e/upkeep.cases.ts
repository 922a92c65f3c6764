import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestSecretsOf, KeyedDigests } from '@svc/platform';
import {
  keyedBy,
  type KeptRows,
  leftBy,
  type PlainRow,
  upkeepOf,
  type WiredUpkeep,
} from '@svc/platform/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { ArenaCalls } from '../src/arena/arena-calls.js';
import { RingChallenges } from '../src/bullion/ring-challenges.js';
import { CoiBatchStore } from '../src/certificates/batches/coi-batch-store.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

const [OLD, NEW] = ['old', 'new'].map(name => `${name} secret of the tests of 32 characters`);
const [ID, HASH, AGO] = ['substr(md5($1), 1, 22)', 'sha256($1::bytea)', 'now() - $2::interval'];
const ACCOUNT = `'acct_${'a'.repeat(20)}'`;

const TASK = {
  ...{ task_id: `'tsk_' || ${ID}`, dept_id: `'law'`, capability: `'audit'`, priority: `'low'`, seq: '1' },
  ...{ state: `'COMPLETED'`, outcome: `'COMPLETED'`, payment: `'delivered'`, receipt: `'r'`, fence: '0' },
  ...{ begins: '0', has_begun: 'true', is_binding: 'false', attend_at: 'now()', created_at: AGO },
};
const CALL = { idem_key: HASH, state: `'running'` };
const BATCH = { batch_id: `'cbt_' || ${ID}`, account_id: ACCOUNT, document_count: '1' };
const PLAIN = `repeat('ab', 32)`;

/** What the service drops of its own accord. */
const KEPT: Record<string, KeptRows> = {
  tasks: { table: 'task', columns: TASK, ages: ['29 days', '31 days'] },
  'tasks within a quota': {
    table: 'task',
    columns: { ...TASK, counted_subject: `'s'`, counted_resets_at: 'now()' },
    ages: ['23 hours', '25 hours'],
  },
  callbacks: {
    table: 'task_callback',
    columns: {
      ...{ task_id: `'tsk_' || ${ID}`, dept_id: `'law'`, url: `'https://a.example'` },
      ...{ state: `'given-up'`, ended_at: AGO },
    },
    ages: ['29 days', '31 days'],
  },
  'unanswered challenges of the arena': {
    table: 'arena_challenge',
    columns: {
      ...{
        challenge_id: `'arena_' || ${ID}`,
        issued_by: HASH,
        family: `'sat'`,
        level: '1',
        seed: HASH,
        problem: `'{}'`,
      },
      ...{ optimum: '1', issued_at: `now() - interval '1 month'`, expires_at: AGO },
    },
    ages: ['23 hours', '25 hours'],
  },
  'calls of the arena': {
    table: 'arena_call',
    columns: { ...CALL, request_digest: HASH, begun_at: AGO },
    ages: ['29 days', '31 days'],
  },
  'batches of certificates': {
    table: 'coi_batch',
    columns: { ...BATCH, request_digest: PLAIN, created_at: AGO },
    ages: ['28 days', '30 days'],
  },
};

/** Tables in which an earlier release left plain digests. */
const DIGESTS: readonly PlainRow[] = [
  { table: 'coi_batch', column: 'request_digest', columns: BATCH },
  { table: 'arena_call', column: 'request_digest', columns: CALL, isBytes: true },
  {
    ...{ table: 'card_import', column: 'body_digest' },
    columns: {
      ...{ import_id: `('x' || substr(md5($1), 1, 8))::bit(32)::bigint`, source: `'json'` },
      ...{ account_id: ACCOUNT, key_id: `'k'`, row_count: '0', accepted: '0', duplicates: '0' },
      quarantined: '0',
    },
  },
  {
    ...{ table: 'bullion_challenge', column: 'used_by_digest', isBytes: true },
    columns: { challenge_id: ID, tones_hz: 'ARRAY[1]', expires_at: 'now()', used_at: 'now()' },
  },
];

export function describeUpkeep(): void {
  describe('the service as it runs', () => {
    let department: DepartmentFixture;
    let upkeep: WiredUpkeep;
    let digests: KeyedDigests;
    beforeAll(async () => {
      upkeep = await upkeepOf(async () => {
        department = await startDepartment();
      });
      const secrets = digestSecretsOf('CALLBACK_SIGNING_SEEDS', department.environment.secrets);
      digests = new KeyedDigests(secrets, 'svc/department-request/v1');
    });
    afterAll(() => department?.close());

    it.each(Object.entries(KEPT))('drops %s when their time is over, and not before', async (_what, rows) => {
      expect(await leftBy(upkeep, department.database, rows)).toEqual(['young']);
    });

    it.each([
      ['rotated', [OLD], [NEW, OLD]],
      ['not rotated yet', [NEW, OLD], [OLD]],
      ['without the oldest', [NEW, OLD], [NEW]],
    ])('knows what it was asked before, where the seeds are %s', async (_what, before, after) => {
      const [was, is] = [before, after].map(live => new KeyedDigests({ live }, 'svc/department-request/v1'));
      const { database } = department;
      const [key, name] = [randomBytes(32).toString('hex'), randomUUID()];
      await new ArenaCalls(database, was).begin(key, { name });
      await new ArenaCalls(database, is).begin(key, { name });
      await expect(new ArenaCalls(database, is).begin(key, {})).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      });

      const [asked, other] = [randomBytes(32), randomBytes(32)];
      const batch = await new CoiBatchStore(database, was).open({
        ...{ batchId: `cbt_${randomBytes(16).toString('base64url')}`, accountId: `acct_${'a'.repeat(20)}` },
        ...{ idempotencyKey: name, requestDigest: asked.toString('hex'), documentCount: 1 },
      });
      const isOf = (digest: Buffer) => new CoiBatchStore(database, is).isOf(batch, digest.toString('hex'));
      expect([isOf(asked), isOf(other)]).toEqual([true, false]);

      const { challengeId } = await new RingChallenges(database, was).issue();
      await new RingChallenges(database, was).use(challengeId, asked);
      await new RingChallenges(database, is).use(challengeId, asked);
      await expect(new RingChallenges(database, is).use(challengeId, other)).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      });
    });

    it.each(DIGESTS)('keys a plain digest of $table for its own row', async row => {
      const { stored, expected } = await keyedBy(upkeep, department.database, digests, row);
      expect(stored).toBe(expected);
    });
  });
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KeptRows, leftBy, upkeepOf, type WiredUpkeep } from '@svc/platform/testing';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

const [ID, AGO] = ['md5($1)', 'now() - $2::interval'];

/** What the service drops of its own accord. */
const KEPT: Record<string, KeptRows> = {
  proofs: {
    table: 'proof',
    columns: {
      ...{ proof_id: ID, air_id: `'a'`, public_inputs: `'[]'`, proof: `'\\x00'` },
      kept_until: AGO,
    },
    ages: ['-1 hour', '1 hour'],
  },
  jobs: {
    table: 'proof_job',
    columns: {
      ...{ job_id: ID, operation_id: `'zk.prove'`, state: `'failed'`, seq: '1', stages_begun: '0' },
      ...{ payment: `'returned'`, claim_id: `${ID}::uuid`, claim_attempt: '1', receipt: `'r'` },
      ...{ lease_until: 'now()', ended_at: 'now()', created_at: AGO },
    },
    ages: ['29 days', '31 days'],
  },
  'cancellations of proofs': {
    ...{ table: 'proof_cancellation', columns: { call_id: ID, requested_at: AGO } },
    ages: ['9 minutes', '11 minutes'],
  },
  'calls that run once': {
    table: 'idempotent_call',
    columns: {
      ...{ idem_key: 'sha256($1::bytea)', kind: `'tool'`, state: `'revoked'`, changed_at: AGO },
    },
    ages: ['29 days', '31 days'],
  },
};

export function describeUpkeep(): void {
  describe('the service as it runs', () => {
    let prover: ProverOnBus;
    let upkeep: WiredUpkeep;
    beforeAll(async () => {
      upkeep = await upkeepOf(async () => {
        prover = await startProverOnBus();
      });
    });
    afterAll(() => prover?.close());

    it.each(Object.entries(KEPT))('drops %s when their time is over, and not before', async (_what, rows) => {
      expect(await leftBy(upkeep, prover.database, rows)).toEqual(['young']);
    });
  });
}

import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { createLogger, type Retention } from '@svc/platform';
import { ProverModule } from '../prover.module.js';
import { proofRetention } from './proof-retention.js';

it('deletes proofs, jobs, cancellations and idempotent calls past their time, in the service as it runs', async () => {
  expect(Reflect.getMetadata('providers', ProverModule)).toContain(proofRetention);
  const purged: string[] = [];
  const purge = (name: string) => () => Promise.resolve(purged.push(name));
  const retention = (await proofRetention.useFactory(
    { logger: createLogger('prover', { level: 'silent' }) },
    { purgeExpired: purge('proofs') },
    { purgeExpired: purge('jobs') },
    { purge: purge('cancellations') },
    { purgeExpired: purge('calls') },
  )) as Retention;
  await retention.purge();
  expect(purged).toEqual(['proofs', 'jobs', 'cancellations', 'calls']);
});

// commit: ./proof-jobs.e2e.spec.ts
// watches: libs/engines/stark-prover/src, apps/prover/src
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { paidL402, post } from './paid-call.js';
import { type ProofServices, startProofServices } from './proof-service-fixture.js';

const PATH = '/v1/stark/prove-goldilocks';
/** The widest AIR with the most queries: more than a megabyte of proof, in a second. */
const WIDE = {
  statement: 'raw',
  airId: 'raw/lif-step/v1',
  inputs: {
    ...{ decay: 1, threshold: 100, reset: 0, refractorySteps: 1, initialPotential: 0 },
    currents: [1],
  },
  ...{ degree: 2 ** 15, parameterSet: 'P128', friBlowup: 2, zeroKnowledge: true },
};

let services: ProofServices;
beforeAll(async () => {
  services = await startProofServices('memory', 1);
});
afterAll(() => services?.close(), 60_000);

it('verifies a proof of more than a megabyte that it has sold, and its evidence', async () => {
  const authorization = await paidL402(services.address, PATH);
  const sold = await post(`${services.address}${PATH}`, WIDE, { authorization });
  expect([sold.status, sold.json.verified]).toEqual([200, true]);
  const { proof, publicInputs, airId, auditProof } = sold.json;
  expect((proof as string).length).toBeGreaterThan(1_400_000);
  for (const body of [
    { proof, publicInputs, airId },
    { auditProof, result: sold.json },
  ]) {
    const verdict = await post(`${services.address}/v1/stark/verify-proof`, body);
    expect([verdict.status, verdict.json.valid]).toEqual([200, true]);
  }
  const again = await post(`${services.address}${PATH}`, WIDE, { authorization });
  expect(again.text).toBe(sold.text);
});

import { expect, it } from '@jest/globals';
import { paidL402, post } from './paid-call.js';
import type { ProofServices } from './proof-service-fixture.js';

const PATH = '/v1/stark/prove-goldilocks';
/** The widest AIR with the most queries. */
const WIDE = {
  statement: 'raw',
  airId: 'raw/lif-step/v1',
  inputs: {
    ...{ decay: 1, threshold: 100, reset: 0, refractorySteps: 1, initialPotential: 0 },
    currents: [1],
  },
  ...{ parameterSet: 'P128', friBlowup: 2, zeroKnowledge: true },
};

/** @param charactersMin of the proof in base64 */
export function describeSoldProof(
  servicesOf: () => ProofServices,
  { degree, charactersMin }: { degree: number; charactersMin: number },
): void {
  it(`verifies a proof of ${charactersMin} characters and more that it has sold, and its evidence`, async () => {
    const { address } = servicesOf();
    const body = { ...WIDE, degree };
    const authorization = await paidL402(address, PATH);
    const sold = await post(`${address}${PATH}`, body, { authorization });
    expect([sold.status, sold.json.verified]).toEqual([200, true]);
    const { proof, publicInputs, airId, auditProof } = sold.json;
    expect((proof as string).length).toBeGreaterThan(charactersMin);
    for (const question of [
      { proof, publicInputs, airId },
      { auditProof, result: sold.json },
    ]) {
      const verdict = await post(`${address}/v1/stark/verify-proof`, question);
      expect([verdict.status, verdict.json.valid]).toEqual([200, true]);
    }
    const again = await post(`${address}${PATH}`, body, { authorization });
    expect(again.text).toBe(sold.text);
  });
}

import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { canonicalDigest } from '@svc/audit-proof';
import type { AttestRequest } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { AgentEvidence, type EvidenceClaim } from './agent-evidence.js';

const CLAIM: EvidenceClaim = {
  operationId: 'agent.verify-bullion',
  request: { productId: 'krugerrand', massG: 33.93 },
  doesNotProve: 'That the piece is genuine.',
  rulesetId: 'bullion-ring/v1',
  rules: [{ id: 'mass', statement: 'a ≥ b', decimals: 1, value: '1', threshold: '0' }],
};
const ANSWER = { verdict: 'PASS', spot: { price: '1', asOf: undefined }, left: undefined };

/** Evidence by a prover that answers with proofs under these roots, and what it was asked. */
function evidenceWith(roots = ['0x01', '0x01']) {
  const asked: AttestRequest[][] = [];
  const call = async (_: unknown, { answers }: { answers: AttestRequest[] }) => {
    asked.push(answers);
    return { auditProofs: roots.map(root => ({ root })) };
  };
  return { asked, evidence: new AgentEvidence({ call } as unknown as BusClient) };
}

it('asks once for both proofs: of all that the caller gets but the proofs, and of the root over its fields', async () => {
  const { asked, evidence } = evidenceWith();
  const answered = await evidence.with(ANSWER, CLAIM);
  expect(answered).toMatchObject({ ...ANSWER, starkRoot: '0x01', auditProof: { root: '0x01' } });
  expect(asked).toHaveLength(1);
  const [[whole, fields]] = asked;
  const { auditProof: _a, disclosureProof: _d, starkRoot: _s, ...rest } = answered;
  expect(whole).toMatchObject({ proves: 'rules', rulesetId: CLAIM.rulesetId, rules: CLAIM.rules });
  // As it arrives: what is undefined is not there.
  expect(whole.resultDigest).toEqual(canonicalDigest(JSON.parse(JSON.stringify(rest))));
  expect(whole.requestDigest).toEqual(canonicalDigest(CLAIM.request));
  const { operationId, root } = answered.disclosure;
  expect(answered.disclosure.fields.map(({ path }) => path)).toEqual(['/verdict', '/spot/price']);
  const committed = canonicalDigest({ version: 1, operationId, root, fieldCount: 2 });
  expect(fields).toMatchObject({ proves: 'commitment', rulesetId: 'svc/field-disclosure/v1' });
  expect([fields.requestDigest, fields.resultDigest]).toEqual([committed, committed]);
  expect(fields.doesNotProve).toContain(CLAIM.doesNotProve);
});

it('draws salts afresh for each field of each answer, so that equal answers have roots that cannot be compared', async () => {
  const { evidence } = evidenceWith();
  const answers = [await evidence.with(ANSWER, CLAIM), await evidence.with(ANSWER, CLAIM)];
  const salts = answers.flatMap(({ disclosure }) => disclosure.fields.map(({ salt }) => salt));
  expect(new Set(salts).size).toBe(4);
  expect(answers[0].disclosure.root).not.toBe(answers[1].disclosure.root);
});

it('says that an answer without rules is committed to, and no more', async () => {
  const { asked, evidence } = evidenceWith();
  await evidence.with(ANSWER, { ...CLAIM, rules: [] });
  expect(asked[0].map(({ proves }) => proves)).toEqual(['commitment', 'commitment']);
});

it('gives out no answer whose two proofs are not in one batch', async () => {
  for (const roots of [['0x01', '0x02'], ['0x01'], []])
    await expect(evidenceWith(roots).evidence.with(ANSWER, CLAIM)).rejects.toMatchObject({
      code: 'INTERNAL',
    });
});

it('refuses an answer that no digest can tell from its neighbours, before anything is asked', async () => {
  const { asked, evidence } = evidenceWith();
  const work = evidence.with({ ...ANSWER, count: 2 ** 53 }, CLAIM);
  await expect(work).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  expect(asked).toEqual([]);
});

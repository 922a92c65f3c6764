import { type Air, rulesAir, type RulesLeaf } from '@svc/stark-air';
import { traceLengthFor, verify } from '@svc/stark-verifier';
import { seededRandomSource } from '../testing/seeded-random.js';
import { createWasmBackend } from './node/index.js';
import { prove } from './prove.js';

/** Column of the first verdict of a block, and rows of the first block with rules. */
const [HOLDS, RULE_ROWS] = [42, [48, 64]] as const;
const LEAF: RulesLeaf = {
  salt: new Uint8Array(16).fill(1),
  rulesetHash: new Uint8Array(32).fill(2),
  contentDigest: new Uint8Array(32).fill(3),
  rules: [{ value: 4n, threshold: 5n, holds: false }],
};

const backend = createWasmBackend({ threads: 1 });
afterAll(() => backend.close());

const shape = { profile: 'gl3', queryCount: 2, zeroKnowledge: true } as const;
const traceLength = traceLengthFor(shape, 512, rulesAir.traceLengthMin);
const parameters = { ...shape, traceLength, blowupFactor: 2, grindingBits: 0 };
const policy = {
  parameterSets: [{ id: 'test', profile: 'gl3', grindingBits: 0, queryCounts: { 2: 2 } } as const],
  securityBitsMin: 0,
};

async function provenBy(air: Air, leaves: readonly RulesLeaf[]) {
  const witness = { leaves };
  const random = seededRandomSource('rules');
  const { proof, publicInputs } = await prove({ air, witness, parameters, backend, random });
  return { proof, airId: 'rules/v1', publicInputs: air.publicInputsToJson(publicInputs) };
}

it('proves a batch for its root and its number of leaves, and for no other', async () => {
  const claim = await provenBy(rulesAir as Air, [LEAF, { ...LEAF, rules: [] }]);
  const verdict = (more: object) =>
    verify({ ...claim, publicInputs: { ...claim.publicInputs, ...more } }, policy).valid;
  expect(verdict({})).toBe(true);
  expect(verdict({ leafCount: 1 })).toBe(false);
  expect(verdict({ leafCount: 3 })).toBe(false);
  expect(verdict({ root: ['1', '2', '3', '4'] })).toBe(false);
});

it('makes no proof that holds of a trace with one verdict turned', async () => {
  const lying: Air = {
    ...(rulesAir as Air),
    execute(field, witness, rowCount) {
      const execution = rulesAir.execute(field, witness as never, rowCount);
      execution.columns[HOLDS].fill(1n, ...RULE_ROWS);
      return execution;
    },
  };
  const { valid, ...verdict } = verify(await provenBy(lying, [LEAF]), policy);
  expect({ valid, ...verdict }).toMatchObject({ valid: false, reason: 'constraints-unsatisfied' });
});

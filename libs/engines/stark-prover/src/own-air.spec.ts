import {
  type Air,
  DefinitionError,
  type NamedElements,
  ownAir,
  type OwnStatement,
  readDefinition,
} from '@svc/stark-air';
import { FIBONACCI, RATIO, UP_AND_SQUARE } from '@svc/stark-air/testing';
import { type ProofClaim, type ProofParameters, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { expectSameProofs } from '../testing/same-proofs.js';
import { createWasmBackend } from './node/wasm-backend.js';
import { prove } from './prove.js';

const parameters = (change: Partial<ProofParameters> = {}): ProofParameters => ({
  ...{
    profile: 'gl3',
    traceLength: 64,
    blowupFactor: 8,
    queryCount: 8,
    grindingBits: 2,
    zeroKnowledge: false,
  },
  ...change,
});

/** A statement under each definition, and what it makes true. */
const STATEMENTS: readonly [string, string, NamedElements, OwnStatement, Partial<ProofParameters>, object][] =
  [
    [
      ...(['fibonacci', FIBONACCI, {}, { rows: 40, start: { a: 1n, b: 1n } }] as const),
      ...([{}, { rows: 40, first: '0x0000000000000001', result: '0x0000000009de8d6d' }] as const),
    ],
    [
      ...(['a hidden ratio', RATIO, {}, { rows: 4, start: { term: 7n, ratio: 3n } }] as const),
      ...([{}, { rows: 4, start: '0x0000000000000007', end: '0x00000000000000bd' }] as const),
    ],
    [
      ...(['a step by turns', UP_AND_SQUARE, { k: 5n }, { rows: 3 }] as const),
      ...([{ profile: 'm31' }, { rows: 3, k: '0x00000005', end: '0x00000040' }] as const),
    ],
  ];

/** Masks take 2,048 rows, and the reference seconds for them. */
const MASKED = { zeroKnowledge: true, traceLength: 2_048 };
const backend = createWasmBackend({ threads: 2 });
afterAll(() => backend.close());

async function claimOf(
  text: string,
  known: NamedElements,
  witness: OwnStatement,
  change: Partial<ProofParameters>,
): Promise<{ claim: ProofClaim; air: Air; proved: ProofParameters }> {
  const air = ownAir(readDefinition(text), known) as Air;
  const {
    proof,
    publicInputs,
    airId,
    parameters: proved,
  } = await prove({ air, witness, parameters: parameters(change) });
  const claim = {
    proof,
    airId,
    air: text,
    publicInputs: JSON.parse(JSON.stringify(air.publicInputsToJson(publicInputs))) as unknown,
  };
  return { claim, air, proved };
}

describe('a statement under a definition of somebody else', () => {
  describe.each(STATEMENTS)('%s', (_name, text, known, witness, change, says) => {
    it.each([false, true])(
      'is proved and verified with the definition beside it, zero knowledge %s',
      async zeroKnowledge => {
        const { claim, air, proved } = await claimOf(text, known, witness, {
          ...change,
          ...(zeroKnowledge ? MASKED : {}),
        });
        expect(claim.publicInputs).toMatchObject(says);
        const policy = laxPolicy(proved);
        expect(verify(claim, policy)).toMatchObject({
          valid: true,
          airId: air.id,
          definitionExpected: false,
          zeroKnowledge,
        });
        expect(verify(claim, { ...policy, airIds: [air.id] })).toMatchObject({
          valid: true,
          definitionExpected: true,
        });
        expect(verify(claim, { ...policy, airIds: ['binding/v2'] })).toMatchObject({
          valid: false,
          reason: 'air-not-expected',
        });
        const spaced = JSON.stringify(JSON.parse(text), undefined, 1);
        expect(verify({ ...claim, air: spaced }, policy)).toMatchObject({ valid: true });
      },
    );
  });

  it('is of nothing else: no other definition, public input, version or statement of ours is taken with its proof', async () => {
    const { claim, proved } = await claimOf(RATIO, {}, { rows: 4, start: { term: 7n, ratio: 3n } }, {});
    const policy = laxPolicy(proved);
    const reasonOf = (change: Partial<ProofClaim>) => {
      const verdict = verify({ ...claim, ...change }, policy);
      return verdict.valid ? 'valid' : verdict.reason;
    };
    const other = RATIO.replace('"multiply"', '"multiplied"');
    const inputs = claim.publicInputs as Record<string, unknown>;
    const downgraded = Uint8Array.from(claim.proof);
    downgraded[8] = 2;
    expect([
      reasonOf({ air: undefined }),
      reasonOf({ air: other }),
      reasonOf({ air: other, airId: readDefinition(other).id }),
      reasonOf({ air: '{}' }),
      reasonOf({ air: JSON.parse(RATIO) as string }),
      reasonOf({ airId: 'air/sha256:00' }),
      reasonOf({ airId: 'raw/fibonacci/v1' }),
      reasonOf({ airId: 'raw/fibonacci/v1', air: undefined }),
      reasonOf({ proof: downgraded }),
      reasonOf({ publicInputs: { ...inputs, end: '0x00000000000000be' } }),
      reasonOf({ publicInputs: { ...inputs, rows: 5 } }),
      reasonOf({ publicInputs: { ...inputs, rows: 64 } }),
      reasonOf({ publicInputs: { rows: 4 } }),
      reasonOf({ contextDomain: 'parcels' }),
      reasonOf({}),
    ]).toEqual([
      ...[
        'definition-missing',
        'definition-mismatch',
        'constraints-unsatisfied',
        'definition-refused',
        'definition-refused',
        'definition-mismatch',
      ],
      ...['definition-mismatch', 'invalid-public-inputs', 'unsupported-version', 'constraints-unsatisfied'],
      ...[
        'constraints-unsatisfied',
        'invalid-public-inputs',
        'invalid-public-inputs',
        'constraints-unsatisfied',
        'valid',
      ],
    ]);
  });

  it('is not taken with its proof after any change of a node, a constraint or a cell', async () => {
    const { claim, proved } = await claimOf(RATIO, {}, { rows: 4, start: { term: 7n, ratio: 3n } }, {});
    const policy = laxPolicy(proved);
    type Json = {
      nodes: unknown[][];
      constraints: { node: number }[];
      boundary: { row: unknown; value: unknown[] }[];
    };
    const changes: ((json: Json) => void)[] = [];
    const { nodes, constraints, boundary } = JSON.parse(RATIO) as Json;
    nodes.forEach((node, at) => {
      const ops = node.length === 3 ? ['add', 'sub', 'mul'] : ['cur', 'next'];
      for (const op of ops) changes.push(json => (json.nodes[at][0] = op));
      for (const operand of node.length === 3 ? [...Array(at).keys()] : ['term', 'ratio'])
        for (let place = 1; place < node.length; place++)
          changes.push(json => (json.nodes[at][place] = operand));
    });
    constraints.forEach((_, at) =>
      nodes.forEach((__, node) => changes.push(json => (json.constraints[at].node = node))),
    );
    boundary.forEach((_, at) => {
      for (const row of [0, 1, 2, 3, 'last']) changes.push(json => (json.boundary[at].row = row));
      for (const value of ['start', 'end']) changes.push(json => (json.boundary[at].value[1] = value));
    });
    const told = changes.map(change => {
      const json = JSON.parse(RATIO) as Json;
      change(json);
      const air = JSON.stringify(json);
      if (air === RATIO) return 'the same';
      try {
        const verdict = verify({ ...claim, air, airId: readDefinition(air).id }, policy);
        return verdict.valid ? 'taken' : 'rejected';
      } catch (error) {
        if (error instanceof DefinitionError) return 'refused';
        throw error;
      }
    });
    const count = (what: string) => told.filter(each => each === what).length;
    expect([count('taken'), count('rejected') > 10, count('refused') > 20]).toEqual([0, true, true]);
  });

  it('has one form in each field', async () => {
    const { claim, proved } = await claimOf(UP_AND_SQUARE, { k: 5n }, { rows: 3 }, { profile: 'm31' });
    const air = UP_AND_SQUARE.replace('"m31"', '"goldilocks"');
    const verdict = verify({ ...claim, air, airId: readDefinition(air).id }, laxPolicy(proved));
    expect(verdict).toMatchObject({ valid: false, reason: 'unknown-air' });
  });

  it('is proved by the kernels byte for byte as by the reference', async () => {
    for (const [, text, known, witness, change] of STATEMENTS) {
      const air = ownAir(readDefinition(text), known);
      await expectSameProofs(air, witness, parameters(change), backend);
    }
  });
});

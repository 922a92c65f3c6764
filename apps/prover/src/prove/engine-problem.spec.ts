import { describe, expect, it } from '@jest/globals';
import {
  type FieldFault,
  ProveRequest,
  StarkProveM31Request,
  StarkProveRequest,
  VerifyProofRequest,
} from '@svc/contracts';
import { parseOrProblem, ProblemError } from '@svc/platform';
import { ParameterError } from '@svc/stark-verifier';
import { engineProblemOf } from './engine-problem.js';
import { ProofMaker } from './proof-maker.js';
import { ProveService } from './prove.service.js';
import { StarkProveService } from './stark-prove.service.js';

const P_MINUS_1 = '18446744069414584320';
const P = '18446744069414584321';
const M31_P = String(2 ** 31 - 1);
const LIF = {
  ...{ decay: 3_900, threshold: 15_360, reset: -5_120, refractorySteps: 2, initialPotential: 0 },
  currents: [9_000, 9_000] as unknown,
};
const ELEMENTS = ['1', '2', '3', '4', '5', '6', '7', '8'];

const raw = (airId: string, given: object) => ({ statement: 'raw', airId: `raw/${airId}/v1`, ...given });
const lif = (change: object, more: object = {}) =>
  raw('lif-step', { inputs: { ...LIF, ...change }, ...more });
const fibonacci = (change: object, more: object = {}) =>
  raw('fibonacci', { inputs: { first: '1', second: '1', ...change }, ...more });
const traced = (trace: unknown, more: object = {}) => raw('fibonacci', { trace, ...more });
const preimage = (publicInputs: unknown, privateWitness: unknown = ['7']) => ({
  statement: 'preimage',
  ...{ publicInputs, privateWitness },
});

// Admission keeps, proves and verifies nothing.
const nothing = undefined as never;
const maker = new ProofMaker(nothing, nothing, nothing, nothing, nothing, nothing);
const service = new StarkProveService(maker, nothing, nothing);

/** The problem that refuses a body, by schema or engine, before any payment. */
async function refusalOf(body: object, schema: typeof StarkProveRequest | typeof StarkProveM31Request) {
  try {
    await service.admit(parseOrProblem(schema, body));
  } catch (error) {
    if (error instanceof ProblemError) return error.payload;
    throw error;
  }
  throw new Error('nothing was refused');
}

const overGoldilocks = (body: object) => refusalOf(body, StarkProveRequest);
const faultOf = async (body: object) => (await overGoldilocks(body)).errors![0];

describe('a fault of the inputs names the bound that it broke and the value that was sent', () => {
  it.each<[string, object, Omit<FieldFault, 'message'>]>([
    ['text for an integer', lif({ decay: '3900' }), { path: 'inputs.decay', bound: 4_095, got: '3900' }],
    ['an integer above', lif({ decay: 4_096 }), { path: 'inputs.decay', bound: 4_095, got: 4_096 }],
    ['an integer below', lif({ decay: -1 }), { path: 'inputs.decay', bound: 0, got: -1 }],
    ['rows as text', fibonacci({ rows: '10' }), { path: 'inputs.rows', bound: 2 ** 20, got: '10' }],
    ['too few rows', fibonacci({ rows: 1 }), { path: 'inputs.rows', bound: 2, got: 1 }],
    ['an input at p', fibonacci({ first: P }), { path: 'inputs.first', bound: P_MINUS_1, got: P }],
    ['a digest at p', preimage([P, '1', '1', '1']), { path: 'publicInputs[0]', bound: P_MINUS_1, got: P }],
    ['a digest that is too short', preimage(['1']), { path: 'publicInputs', bound: 4, got: 'array of 1' }],
    [
      'a cell at p',
      traced([
        [P, '1'],
        ['1', '2'],
      ]),
      { path: 'trace[0][0]', bound: P_MINUS_1, got: P },
    ],
    [
      'seven elements of eight',
      raw('cubic8', { inputs: { input: ELEMENTS.slice(1) } }),
      { path: 'inputs.input', bound: 8, got: 'array of 7' },
    ],
    [
      'a number for elements',
      raw('cubic8', { inputs: { input: 7 } }),
      { path: 'inputs.input', bound: 8, got: 7 },
    ],
    ['a column of one row', traced([[1]]), { path: 'trace[0]', bound: 2, got: 'array of 1' }],
    ['columns of one row', traced([[1], [1]]), { path: 'trace[0]', bound: 2, got: 'array of 1' }],
    [
      'a column of too many rows',
      traced([Array(65_537).fill(1), [1, 1]]),
      { path: 'trace[0]', bound: 65_536, got: 'array of 65537' },
    ],
    ['a column too few', traced([[1, 1]]), { path: 'trace', bound: 2, got: 'array of 1' }],
    [
      'columns of unequal length',
      traced([
        [1, 1, 2],
        [1, 2],
      ]),
      { path: 'trace[1]', bound: 3, got: 2 },
    ],
    [
      'an unknown input',
      fibonacci({ x: 5 }),
      { path: 'inputs.x', bound: ['first', 'second', 'rows'], got: 5 },
    ],
    ['text for currents', lif({ currents: 'x' }), { path: 'inputs.currents', bound: 'array', got: 'x' }],
    ['no currents', lif({ currents: [] }), { path: 'inputs.currents', bound: 1, got: 'array of 0' }],
    [
      'too many currents',
      lif({ currents: Array(65_537).fill(0) }),
      { path: 'inputs.currents', bound: 65_536, got: 'array of 65537' },
    ],
    [
      'null among the currents',
      lif({ currents: [1, null] }),
      { path: 'inputs.currents[1]', bound: ['string', 'number'], got: null },
    ],
    [
      'a current above',
      lif({ currents: [0, 40_000] }),
      { path: 'inputs.currents[1]', bound: 32_767, got: 40_000 },
    ],
    [
      'a threshold at the reset',
      lif({ reset: 15_360 }),
      { path: 'inputs.threshold', bound: 15_360, got: 15_360 },
    ],
    [
      'a long value',
      lif({ decay: 'x'.repeat(4_000) }),
      { path: 'inputs.decay', bound: 4_095, got: `${'x'.repeat(79)}…` },
    ],
  ])('%s', async (_name, body, fault) => {
    const { detail, errors } = await overGoldilocks(body);
    expect(errors![0]).toEqual({ ...fault, message: expect.any(String) });
    expect(detail).toContain(fault.path);
  });

  it.each([
    ['a lone surrogate', 'a\ud800', 'well-formed Unicode', 'a\ud800'],
    ['more than the chain absorbs', 'a'.repeat(900), 896, 900],
  ])('traceData of %s', (_name, traceData, bound, got) => {
    const request = parseOrProblem(ProveRequest, { traceData, degree: 1_024, friBlowup: 8 });
    const refused = () => new ProveService(maker, nothing).admit(request);
    const fault = { path: 'traceData', message: expect.any(String), bound, got };
    expect(refused).toThrow(
      expect.objectContaining({ payload: expect.objectContaining({ errors: [fault] }) }),
    );
  });

  it('an element at the modulus of M31', async () => {
    expect((await refusalOf(fibonacci({ first: M31_P }), StarkProveM31Request)).errors).toEqual([
      { path: 'inputs.first', bound: String(2 ** 31 - 2), got: M31_P, message: expect.any(String) },
    ]);
  });

  it('rows for which the masks of zero knowledge leave no room', async () => {
    const bodyOf = (rows: unknown) =>
      raw('cubic8', { inputs: { input: ELEMENTS, rows }, zeroKnowledge: true, friBlowup: 2 });
    const [{ path, bound, got }] = (await refusalOf(bodyOf(2 ** 20), StarkProveM31Request)).errors!;
    expect([path, got]).toEqual(['inputs.rows', 2 ** 20]);
    // The bound is exact: so many rows are admitted.
    await expect(refusalOf(bodyOf(bound), StarkProveM31Request)).rejects.toThrow('nothing was refused');
    expect((await refusalOf(bodyOf((bound as number) + 1), StarkProveM31Request)).errors).toMatchObject([
      { path: 'inputs.rows', bound, got: (bound as number) + 1 },
    ]);
  });

  it('public inputs of no type that any are', () => {
    const body = { proof: 'AA==', airId: 'binding/v1', publicInputs: { privateBlocks: null } };
    expect(() => parseOrProblem(VerifyProofRequest, body)).toThrow(
      expect.objectContaining({
        payload: expect.objectContaining({
          errors: [
            {
              path: 'publicInputs.privateBlocks',
              message: 'Invalid input: expected one of string, number, boolean, array',
              bound: ['string', 'number', 'boolean', 'array'],
              got: null,
            },
          ],
        }),
      }),
    );
  });

  it('a parameter of the engine, under the name that requests have for it', () => {
    const error = new ParameterError('blowupFactor', 'one of 2, 4', 3);
    expect(engineProblemOf(error, { friBlowup: 3 })).toMatchObject({
      payload: { errors: [{ path: 'friBlowup', bound: 'one of 2, 4', got: 3 }] },
    });
  });
});

describe('of what the proof hides a fault tells the kind or the size', () => {
  const zeroKnowledge = true;

  it.each<[string, object, Omit<FieldFault, 'message'>]>([
    [
      'a current out of range',
      lif({ currents: [0, 40_123] }, { zeroKnowledge }),
      { path: 'inputs.currents[1]', bound: 32_767, got: 'number' },
    ],
    [
      'text for an integer',
      lif({ decay: '40123' }, { zeroKnowledge }),
      { path: 'inputs.decay', bound: 4_095, got: 'text of 5 characters' },
    ],
    [
      'a cell that is no element',
      traced(
        [
          ['1', '99999999999999940123'],
          ['1', '2'],
        ],
        { zeroKnowledge },
      ),
      { path: 'trace[0][1]', bound: P_MINUS_1, got: 'text of 20 characters' },
    ],
    [
      'elements by their number',
      raw('cubic8', { inputs: { input: ['40123'] }, zeroKnowledge }),
      { path: 'inputs.input', bound: 8, got: 'array of 1' },
    ],
  ])('%s', async (_name, body, fault) => {
    const refusal = await overGoldilocks(body);
    expect(refusal.errors).toEqual([{ ...fault, message: expect.any(String) }]);
    expect(JSON.stringify(refusal)).not.toContain('40123');
  });

  it('rows, which every proof tells, are repeated', async () => {
    expect(await faultOf(fibonacci({ rows: '10' }, { zeroKnowledge }))).toMatchObject({ got: '10' });
  });

  it('of a private witness the number of bytes', async () => {
    // 1,024 numbers of 106 bytes: each side takes 65,536.
    const number = `0x${'40123'.repeat(42)}`;
    const refusal = await overGoldilocks(preimage(['1', '1', '1', '1'], Array(1_024).fill(number)));
    expect(refusal.errors).toMatchObject([
      { path: 'privateWitness', bound: 65_536, got: expect.any(Number) },
    ]);
    expect(JSON.stringify(refusal)).not.toContain('40123');
  });
});

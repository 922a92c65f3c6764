import { type Ext, m31 } from '@svc/kernels';
import { type Air, findAir } from '@svc/stark-air';
import { type ProofParameters, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { cheatingBackend } from '../../testing/cheating-backend.js';
import { FaultyField } from '../../testing/faulty-field.js';
import { seededRandomSource } from '../../testing/seeded-random.js';
import type { ProverSession } from '../backend.js';
import { prove, type ProveResult } from '../prove.js';
import { referenceProverBackend } from '../reference-backend.js';

const airOf = (id: string) => findAir(id, 'm31') as Air;
const fibonacci = airOf('raw/fibonacci/v1');
const cubic8 = airOf('raw/cubic8/v1');
const hashChain = airOf('hash-chain/v1');
const ONES = fibonacci.witnessFromJson?.({ inputs: { first: '1', second: '1' } });
const EIGHT = cubic8.witnessFromJson?.({ inputs: { input: ['1', '2', '3', '4', '5', '6', '7', '8'] } });
const HELLO = hashChain.witnessFromJson?.({ traceData: '0x48656c6c6f' });

const parameters = (change: Partial<ProofParameters> = {}): ProofParameters => ({
  profile: 'm31',
  traceLength: 64,
  blowupFactor: 2,
  queryCount: 40,
  grindingBits: 2,
  zeroKnowledge: false,
  ...change,
});
const MASKED = { traceLength: 2048, queryCount: 2, zeroKnowledge: true };

function verdictOf(result: ProveResult<unknown>) {
  const { proof, airId } = result;
  const json = airOf(airId).publicInputsToJson(result.publicInputs);
  const publicInputs: unknown = JSON.parse(JSON.stringify(json));
  return verify({ proof, airId, publicInputs }, laxPolicy(result.parameters));
}

/** The AIR with its honest trace altered in one place, and with the public inputs altered too where they show it. */
function altered(air: Air, column: number, row: number, alterInputs = (inputs: unknown) => inputs): Air {
  return {
    ...air,
    execute(field, witness, rowCount) {
      const { columns, publicInputs } = air.execute(field, witness, rowCount);
      const at = row < 0 ? rowCount + row : row;
      columns[column][at] = m31.add(columns[column][at], 1n);
      return { columns, publicInputs: alterInputs(publicInputs) };
    },
  };
}

const UNSATISFIED = { valid: false, reason: 'constraints-unsatisfied' };

describe('a trace that breaks a constraint', () => {
  // Every column in the long tier, else each seventh: another kind of constraint each time.
  const columns = Array.from({ length: hashChain.columnCount }, (_, column) => column);

  it.each(columns.filter(column => process.env.SUITE_TIER === 'long' || column % 7 === 0))(
    'is rejected: a hash chain whose column %i is wrong in one row',
    async column => {
      const result = await prove({
        air: altered(hashChain, column, 33),
        witness: HELLO,
        parameters: parameters({ traceLength: hashChain.traceLengthMin, queryCount: 4 }),
      });
      expect(verdictOf(result)).toMatchObject(UNSATISFIED);
    },
  );

  it.each([
    ['in the first step', 1],
    ['in the middle', 31],
    ['before the last row', -2],
  ])('is rejected: a wrong value %s', async (_, row) => {
    for (const column of [0, 1]) {
      const result = await prove({
        air: altered(fibonacci, column, row),
        witness: ONES,
        parameters: parameters(),
      });
      expect(verdictOf(result)).toMatchObject(UNSATISFIED);
    }
  });

  // The boundary is moved along, so that nothing but the step into the last row is broken.
  const lastStepBroken = (column: number) =>
    altered(cubic8, column, -1, inputs => {
      const { output } = inputs as { output: bigint[] };
      return { ...(inputs as object), output: output.map((v, i) => (i === column ? m31.add(v, 1n) : v)) };
    });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'is rejected: a wrong step of column %i into the last row',
    async column => {
      const result = await prove({ air: lastStepBroken(column), witness: EIGHT, parameters: parameters() });
      expect(verdictOf(result)).toMatchObject(UNSATISFIED);
    },
  );

  it('is rejected in zero knowledge: a wrong step into the last row before the masks', async () => {
    const masked = parameters(MASKED);
    const random = seededRandomSource('cheat');
    const honest = await prove({ air: cubic8, witness: EIGHT, parameters: masked, random });
    expect(verdictOf(honest)).toMatchObject({ valid: true });
    const result = await prove({ air: lastStepBroken(3), witness: EIGHT, parameters: masked, random });
    expect(verdictOf(result)).toMatchObject(UNSATISFIED);
  });

  it.each(['first', 'second', 'result'])('is rejected: another boundary value than its %s', async name => {
    const air: Air = {
      ...fibonacci,
      execute(field, witness, rowCount) {
        const { columns, publicInputs } = fibonacci.execute(field, witness, rowCount);
        const inputs = publicInputs as Record<string, bigint>;
        return { columns, publicInputs: { ...inputs, [name]: m31.add(inputs[name], 1n) } };
      },
    };
    expect(verdictOf(await prove({ air, witness: ONES, parameters: parameters() }))).toMatchObject(
      UNSATISFIED,
    );
  });
});

it.each([
  [fibonacci, ONES, 40],
  [hashChain, HELLO, 6],
] as [Air, unknown, number][])(
  'rejects a prover that makes one arithmetic mistake, wherever: %#',
  async (air, witness, samples) => {
    // So many queries open all 16 leaves of this domain, so that no wrong value can hide between them.
    const everyLeaf = parameters({ queryCount: 172, traceLength: air.traceLengthMin });
    const honest = await prove({ air, witness, parameters: everyLeaf });
    let unchanged = 0;
    for (let i = 0; i < samples; i++) {
      const faultyCall = Math.floor(((i + 0.5) / samples) * honest.fieldOps * 0.8);
      const backend = referenceProverBackend(new FaultyField(m31, faultyCall));
      const result = await prove({ air, witness, parameters: everyLeaf, backend });
      const same = Buffer.compare(result.proof, honest.proof) === 0;
      expect(verdictOf(result).valid).toBe(same);
      if (same) unchanged++;
    }
    expect(unchanged).toBeLessThan(samples / 5);
  },
);

describe('a prover that cheats', () => {
  const attempt = async (
    change: (honest: ProverSession) => Partial<ProverSession>,
    size: Partial<ProofParameters> = {},
  ) => {
    const backend = cheatingBackend(change);
    return verdictOf(
      await prove({
        air: cubic8,
        witness: EIGHT,
        parameters: parameters({ blowupFactor: 4, ...size }),
        backend,
      }),
    );
  };
  const bump = ([a, ...rest]: Ext): Ext => [m31.add(a, 1n), ...rest];

  it.each(['traceAtZ', 'traceAtZNext', 'compositionAtZ'] as const)(
    'cannot send other values at z than its columns take: %s',
    async name => {
      const verdict = await attempt(honest => ({
        async evaluateOutOfDomain(z) {
          const values = await honest.evaluateOutOfDomain(z);
          return { ...values, [name]: values[name].map((value, i) => (i === 0 ? bump(value) : value)) };
        },
      }));
      expect(verdict).toMatchObject(UNSATISFIED);
    },
  );

  it('cannot move a value between two coordinates that make up the same chunk', async () => {
    const verdict = await attempt(honest => ({
      async evaluateOutOfDomain(z) {
        const values = await honest.evaluateOutOfDomain(z);
        const [first, second, ...rest] = values.compositionAtZ;
        // i·(second + i) = i·second − 1 makes up for first + 1.
        const [a, b, c, d] = second;
        return { ...values, compositionAtZ: [bump(first), [a, m31.add(b, 1n), c, d], ...rest] };
      },
    }));
    expect(verdict).toMatchObject({ valid: false, reason: 'final-polynomial-mismatch' });
  });

  it.each([0, 1, 2])('cannot send another overflow coefficient %i than its composition has', async index => {
    const verdict = await attempt(honest => ({
      async commitComposition(publicInputs, alpha) {
        const { cap, overflow } = await honest.commitComposition(publicInputs, alpha);
        return { cap, overflow: overflow.map((value, i) => (i === index ? bump(value) : value)) };
      },
    }));
    expect(verdict).toMatchObject(UNSATISFIED);
  });

  it('cannot weigh DEEP or fold with other challenges than those drawn', async () => {
    const deep = await attempt(honest => ({
      startFri: (z, gamma, values) => honest.startFri(z, bump(gamma), values),
    }));
    expect(deep).toMatchObject({ valid: false, reason: 'final-polynomial-mismatch' });
    const final = await attempt(honest => ({ foldFinal: lambda => honest.foldFinal(bump(lambda)) }));
    expect(final).toMatchObject({ valid: false, reason: 'final-polynomial-mismatch' });
    const layer = await attempt(honest => ({ foldLayer: lambda => honest.foldLayer(bump(lambda)) }), {
      traceLength: 4096,
      blowupFactor: 2,
      queryCount: 8,
    });
    expect(layer).toMatchObject({ valid: false, reason: 'layer-opening' });
  });
});

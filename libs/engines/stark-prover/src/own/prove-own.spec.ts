import { loadKernelModule } from '@svc/kernels/node';
import { makeOwnTrace, type OwnStatement, readDefinition, statement } from '@svc/stark-air';
import { ParameterError, type ParameterSetId, verify } from '@svc/stark-verifier';
import { createInlineBackend, proveOwn, proveOwnInline, ProverMemoryError } from '../index.js';
import { createWasmBackend } from '../node/index.js';
import { referenceProverBackend } from '../reference-backend.js';

/** x becomes x² + k·turn, and y is what the last x was. */
function squares(field: 'goldilocks' | 'm31') {
  const s = statement(field);
  const [x, y] = [s.column('x'), s.column('y')];
  const turn = s.cycle('turn', [1, 5]);
  s.require('step', x.next.sub(x.mul(x).add(turn.mul(s.public('k')))));
  s.require('keep', y.next.sub(x));
  s.first(y, 0n);
  s.last(x, s.public('end'));
  return readDefinition(s.json());
}
const STATEMENT: OwnStatement = { rows: 100, publicInputs: { k: 9n }, start: { x: 2n } };

describe('a proof under a definition, made without a service', () => {
  let kernels: WebAssembly.Module;
  beforeAll(async () => void (kernels = await loadKernelModule()));

  it.each(['goldilocks', 'm31'] as const)('is of the same bytes by every backend, over %s', async field => {
    const definition = squares(field);
    const threads = createWasmBackend({ threads: 2 });
    const trace = async (rowCount: number) => ({
      ...makeOwnTrace(definition, STATEMENT, rowCount),
      rows: 100,
    });
    const open = { zeroKnowledge: false, contextDomain: 'a test' };
    try {
      const made = await Promise.all([
        proveOwnInline(definition, STATEMENT, kernels, open),
        ...[threads, referenceProverBackend(), createInlineBackend(kernels)].map(backend =>
          proveOwn(definition, 100, trace, { ...open, backend }),
        ),
      ]);
      const [inline] = made;
      expect(made.every(each => Buffer.from(each.proof).equals(inline.proof))).toBe(true);
      expect(verify(inline, { airIds: [definition.id] })).toMatchObject({ valid: true, traceLength: 128 });
      expect(inline).toMatchObject({ airId: definition.id, air: definition.canonical, zeroKnowledge: false });
      expect(inline.publicInputs).toMatchObject({ rows: 100, k: expect.stringMatching(/^0x0*9$/) });
    } finally {
      await threads.close();
    }
  });

  it('hides the trace unless it is told not to: two proofs differ', async () => {
    const made = [0, 1].map(() => proveOwnInline(squares('goldilocks'), STATEMENT, kernels));
    const [one, other] = await Promise.all(made);
    expect([one.zeroKnowledge, one.traceLength]).toEqual([true, 2_048]);
    expect(Buffer.from(one.proof).equals(other.proof)).toBe(false);
  });

  it.each([
    [
      { parameterSet: 'm31' as const },
      'parameterSet must be one of conjectured96, P100, P128, udr100, got m31',
    ],
    [{ parameterSet: 'toString' as ParameterSetId }, 'got toString'],
    [{ friBlowup: 3 }, 'blowupFactor must be one of 2, 4, 8, 16, 32, got 3'],
    [{ degree: 64, zeroKnowledge: false }, 'degree must be at least 128, which 100 rows need, got 64'],
    [{ degree: 300, zeroKnowledge: false }, 'traceLength must be a power of two'],
    [{ degree: 2 ** 21 }, 'traceLength must be a power of two'],
  ])('refuses %j before it makes a trace', async (wish, message) => {
    let tracesMade = 0;
    const trace = async () => Promise.reject(new Error(`${++tracesMade} made`));
    const backend = createInlineBackend(kernels);
    const refused = await proveOwn(squares('goldilocks'), 100, trace, { ...wish, backend }).catch(String);
    expect(refused).toContain(message);
    expect([String(refused).startsWith(ParameterError.name), tracesMade]).toEqual([true, 0]);
  });

  it('refuses what has no room in memory before it makes a trace, and ends when it is told to', async () => {
    const trace = async () => Promise.reject(new Error('a trace was made'));
    const backend = createInlineBackend(kernels);
    const wide = statement('goldilocks');
    for (let i = 0; i < 64; i++) {
      const column = wide.column(`x${i}`);
      wide.require(`hold_${i}`, column.next.sub(column));
    }
    const largest = { degree: 2 ** 20, friBlowup: 32, backend };
    await expect(proveOwn(wide.definition(), 100, trace, largest)).rejects.toThrow(ProverMemoryError);
    const gone = new Error('gone');
    const options = { signal: AbortSignal.abort(gone) };
    await expect(proveOwnInline(squares('m31'), STATEMENT, kernels, options)).rejects.toBe(gone);
  });
});

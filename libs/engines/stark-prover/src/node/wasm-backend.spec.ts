import type { Worker } from 'node:worker_threads';
import type { Field } from '@svc/kernels';
import { type Air, cubic8Air, fibonacciAir, hashChainAir, type TransitionFrame } from '@svc/stark-air';
import { type ProofParameters, verify } from '@svc/stark-verifier';
import { seededRandomSource } from '../../testing/seeded-random.js';
import { expectSameProofs } from '../../testing/same-proofs.js';
import { prove, proveHashChain, referenceProverBackend } from '../index.js';
import { ProverMemoryError } from '../wasm/prover-memory.js';
import { createWasmBackend, type WasmBackend } from './wasm-backend.js';

const backends: WasmBackend[] = [];
function open(options?: Parameters<typeof createWasmBackend>[0]): WasmBackend {
  const backend = createWasmBackend(options);
  backends.push(backend);
  return backend;
}
afterEach(() => Promise.all(backends.splice(0).map(backend => backend.close())));

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const cheap = (
  traceLength: number,
  blowupFactor: number,
  change: Partial<ProofParameters> = {},
): ProofParameters => ({
  profile: 'gl3',
  traceLength,
  blowupFactor,
  queryCount: 12,
  grindingBits: 5,
  zeroKnowledge: false,
  ...change,
});

it.each([
  [64, 2],
  [64, 8],
  [64, 32],
  [128, 4],
  [256, 2],
  [512, 2],
])('proves a chain of %i rows at blowup %i byte for byte as the reference does', async (rows, blowup) => {
  const witness = { traceData: '0x00ff'.padEnd(80, '7') };
  await expectSameProofs(hashChainAir, witness, cheap(rows, blowup), open({ threads: 2 }));
});

it.each([
  [64, 2],
  [128, 16],
  [512, 4],
])('proves other AIRs, %i rows at blowup %i, as the reference does', async (rows, blowup) => {
  const backend = open({ threads: 2 });
  await expectSameProofs(fibonacciAir, { first: 3n, second: 5n }, cheap(rows, blowup), backend);
  await expectSameProofs(cubeWalkAir, { start: 12_345n }, cheap(rows, blowup), backend);
});

const IS_LONG = process.env.SUITE_TIER === 'long';
const PROFILES = ['gl3', 'gl2'] as const;

it.each(PROFILES)(
  'proves in %s as the reference does, at every number of folds and blowup',
  async profile => {
    const backend = open({ threads: 2 });
    // Two folds and one, cosets in turn and at once; all in the long tier, and gl3 is what the chains above are in.
    for (const [rows, blowup] of [
      [64, 2],
      [512, 4],
      ...(IS_LONG || profile === 'gl2' ? [[128, 8]] : []),
      ...(IS_LONG ? [[256, 32]] : []),
    ]) {
      const parameters = cheap(rows, blowup, { profile });
      await expectSameProofs(hashChainAir, { traceData: 'x' }, parameters, backend);
      await expectSameProofs(cubic8Air, { input: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] }, parameters, backend);
    }
  },
);

/** The reference takes seconds for each of the masked lengths: one of either field at commit, all in the long tier. */
const MASKED = PROFILES.flatMap(profile => [2, 4, 8].map(blowup => [profile, blowup] as const)).filter(
  ([profile, blowup]) => IS_LONG || blowup === (profile === 'gl3' ? 4 : 2),
);

// Blowup 2 has fewer cosets than a masked composition of degree 3 is evaluated on.
it.each(MASKED)(
  'proves in zero knowledge in %s at blowup %i as the reference does under the same randomness',
  async (profile, blowup) => {
    const parameters = cheap(2048, blowup, { profile, zeroKnowledge: true });
    const input = { air: cubeWalkAir, witness: { start: 12_345n }, parameters };
    const expected = await prove({
      ...input,
      backend: referenceProverBackend(),
      random: seededRandomSource('same'),
    });
    for (const options of [{ threads: 2 }, { threads: 2, retainedBytesMax: 0 }]) {
      const got = await prove({ ...input, backend: open(options), random: seededRandomSource('same') });
      expect(hex(got.proof)).toBe(hex(expected.proof));
    }
    if (!IS_LONG || blowup !== 4) return;
    await expectSameProofs(fibonacciAir, { first: 3n, second: 5n }, parameters, open({ threads: 2 }));
  },
);

it('makes another proof of the same witness each time in zero knowledge, and the verifier accepts both', async () => {
  const backend = open({ threads: 2 });
  const parameters = cheap(2048, 8, { profile: 'gl2', zeroKnowledge: true });
  const input = { air: fibonacciAir, witness: { first: 3n, second: 5n }, parameters, backend };
  const [a, b] = [await prove(input), await prove(input)];
  expect(hex(a.proof)).not.toBe(hex(b.proof));
  const set = { id: 'test', profile: 'gl2', grindingBits: 5, queryCounts: { 8: 12 } } as const;
  for (const { proof, publicInputs, airId } of [a, b]) {
    const claim = { proof, airId, publicInputs: fibonacciAir.publicInputsToJson(publicInputs) };
    expect(verify(claim, { parameterSets: [set], securityBitsMin: 0 })).toMatchObject({ valid: true });
  }
});

it.each([1, 2, 3, 4])('proves the same bytes on %i threads', async threads => {
  await expectSameProofs(hashChainAir, { traceData: 'text, not hex' }, cheap(128, 8), open({ threads }));
});

it('proves the same bytes when it keeps one coset at a time', async () => {
  const backend = open({ threads: 2, retainedBytesMax: 0 });
  await expectSameProofs(hashChainAir, { traceData: 'a'.repeat(100) }, cheap(128, 8), backend);
  await expectSameProofs(hashChainAir, { traceData: 'b' }, cheap(256, 2), backend);
});

it('makes proofs that the verifier accepts at sizes the reference is too slow for', async () => {
  const backend = open();
  for (const [degree, friBlowup] of [
    [1024, 8],
    [2048, 4],
    [4096, 2],
  ]) {
    const { proof, airId, publicInputs } = await proveHashChain({
      traceData: 'x',
      degree,
      friBlowup,
      backend,
    });
    const claim = { proof, airId, publicInputs: hashChainAir.publicInputsToJson(publicInputs) };
    expect(verify(claim)).toMatchObject({ valid: true, traceLength: degree });
    proof[proof.length >> 1] ^= 1;
    expect(verify(claim).valid).toBe(false);
  }
});

it('takes proofs in turn when several are asked for at once', async () => {
  const backend = open({ threads: 2 });
  const traces = ['one', 'two', 'three', '0x04'];
  // The threads are there already: what follows would meet on them if it did not wait.
  await proveHashChain({ traceData: 'zero', degree: 64, backend });
  const results = await Promise.all(
    traces.map(traceData => proveHashChain({ traceData, degree: 64, backend })),
  );
  for (const [i, { proof }] of results.entries()) {
    const alone = await proveHashChain({ traceData: traces[i], degree: 64, backend });
    expect(hex(proof)).toBe(hex(alone.proof));
  }
});

it.each(['execute', 'commit-trace', 'commit-composition', 'deep', 'grind', 'open'])(
  'stops after %s when it is aborted there, and proves again',
  async stage => {
    const backend = open({ threads: 2 });
    const controller = new AbortController();
    const stages: string[] = [];
    const aborted = proveHashChain({
      traceData: 'x',
      degree: 64,
      backend,
      signal: controller.signal,
      onStage: name => {
        stages.push(name);
        if (name === stage) controller.abort(new Error('the client left'));
      },
    });
    await expect(aborted).rejects.toThrow('the client left');
    expect(stages.at(-1)).toBe(stage);
    await expect(proveHashChain({ traceData: 'x', degree: 64, backend })).resolves.toBeDefined();
  },
);

it('passes on what is wrong with a witness, and proves again', async () => {
  const backend = open({ threads: 1 });
  const tooLong = proveHashChain({ traceData: 'x'.repeat(57), degree: 64, backend });
  await expect(tooLong).rejects.toMatchObject({ code: 'input-exceeds-chain', bound: { max: 56, got: 57 } });
  await expect(proveHashChain({ traceData: '0x0', degree: 64, backend })).rejects.toMatchObject({
    code: 'malformed-hex-odd-length',
  });
  await expect(proveHashChain({ traceData: 'x', degree: 64, backend })).resolves.toBeDefined();
});

it('refuses what would take more memory than a proof may have, before it starts anything', async () => {
  const backend = open({ threads: 1 });
  const air = { ...hashChainAir, columnCount: 50 };
  const huge = prove({ air, witness: { traceData: 'x' }, parameters: cheap(2 ** 20, 32), backend });
  await expect(huge).rejects.toThrow(ProverMemoryError);
  await expect(huge).rejects.toMatchObject({ code: 'PROVER_MEMORY_EXCEEDED', max: 1_500_000_000 });
  expect(Reflect.get(backend, 'pool')).toBeUndefined();
});

it('tells the most memory that a proof has needed', async () => {
  const backend = open({ threads: 1 });
  expect(backend.memoryBytesPeak).toBe(0);
  const peakAfter = async (degree: number) => {
    await proveHashChain({ traceData: 'x', degree, backend });
    return backend.memoryBytesPeak;
  };
  const small = await peakAfter(64);
  const large = await peakAfter(4096);
  // The trace's extension alone is 24 columns of 4096 · 8 elements.
  expect(large).toBeGreaterThan(24 * 4096 * 8 * 8);
  expect(small).toBeLessThan(large);
  expect(await peakAfter(64)).toBe(large);
});

it('rejects the proof whose thread is lost and heals for the next', async () => {
  const backend = open({ threads: 2 });
  const doomed = proveHashChain({
    traceData: 'x',
    degree: 4096,
    backend,
    onStage: stage => {
      if (stage === 'commit-trace') void threadsOf(backend)[0].terminate();
    },
  });
  await expect(doomed).rejects.toMatchObject({ code: 'KERNEL_POOL_FAILED' });
  const { proof } = await proveHashChain({ traceData: 'x', degree: 64, backend });
  const alone = await proveHashChain({ traceData: 'x', degree: 64, backend: open({ threads: 1 }) });
  expect(hex(proof)).toBe(hex(alone.proof));
});

it('starts nothing before the first proof, and ends every thread after an idle period', async () => {
  const backend = open({ threads: 2, idleMs: 1 });
  expect(Reflect.get(backend, 'pool')).toBeUndefined();
  await proveHashChain({ traceData: 'x', degree: 64, backend });
  const threads = threadsOf(backend);
  await Promise.all(threads.map(thread => new Promise(resolve => thread.once('exit', resolve))));
  expect(Reflect.get(backend, 'pool')).toBeUndefined();
  await expect(proveHashChain({ traceData: 'x', degree: 64, backend })).resolves.toBeDefined();
});

it('ends every thread, rejects the proof in the making, and stays shut when closed', async () => {
  const backend = open({ threads: 2 });
  let threads: Worker[] = [];
  const doomed = proveHashChain({
    traceData: 'x',
    degree: 16_384,
    backend,
    onStage: stage => {
      if (stage !== 'commit-trace') return;
      threads = threadsOf(backend);
      void backend.close();
    },
  });
  await expect(doomed).rejects.toThrow('the pool was closed');
  await backend.close();
  expect(threads.map(thread => thread.threadId)).toEqual([-1, -1]);
  await expect(proveHashChain({ traceData: 'x', degree: 64, backend })).rejects.toThrow('is closed');
});

function threadsOf(backend: WasmBackend): Worker[] {
  return [...(Reflect.get(Reflect.get(backend, 'pool'), 'workers') as Worker[])];
}

/**
 * An AIR that no service offers, with what the published ones lack: periods 1, 16 and 64, a constraint that is a bare column,
 * one that is a constant, one that occurs twice, a boundary row shared by several columns.
 */
const cubeWalkAir: Air<{ end: bigint }, { start: bigint }> = {
  id: 'test/cube-walk/v1',
  columnCount: 3,
  constraintDegree: 3,
  field: 'goldilocks',
  zeroKnowledge: 'optional',
  transitionNames: ['a', 'b', 'c', 'd', 'e'],
  rowsNeeded: () => 2,
  traceLengthMin: 64,
  periodicColumns: [
    [7n],
    Array.from({ length: 16 }, (_, i) => BigInt(i * i)),
    Array.from({ length: 64 }, (_, i) => BigInt(i) << 50n),
  ],
  transitionOperations: { additions: 5, multiplications: 3 },
  evaluateTransition<E>(field: Field<E>, { current, next, periodic }: TransitionFrame<E>): E[] {
    const [x, y, zero] = current;
    const cube = field.mul(field.mul(x, x), x);
    const walk = field.sub(next[0], field.add(cube, periodic[1]));
    const product = field.add(field.scale(field.mul(x, y), 5n), field.mul(periodic[0], periodic[2]));
    const constant = field.sub(
      field.mul(field.fromBase(6n), field.inverse(field.fromBase(3n))),
      field.fromBase(2n),
    );
    return [walk, field.sub(next[1], product), zero, walk, constant];
  },
  boundaryConstraints: ({ end }, traceLength) => [
    { column: 2, row: 0, value: 0n },
    { column: 1, row: 0, value: 1n },
    { column: 0, row: traceLength - 1, value: end },
    { column: 2, row: traceLength - 1, value: 0n },
  ],
  publicInputElements: ({ end }) => [end],
  publicInputsFromJson: json => json as { end: bigint },
  publicInputsToJson: ({ end }) => ({ end: end.toString() }),
  execute(field, { start }, traceLength) {
    const columns = [0, 1, 2].map(() => new BigUint64Array(traceLength));
    let [x, y] = [start, 1n];
    for (let row = 0; row < traceLength; row++) {
      columns[0][row] = x;
      columns[1][row] = y;
      const product = field.scale(field.mul(x, y), 5n);
      y = field.add(product, field.mul(7n, this.periodicColumns[2][row % 64]));
      x = field.add(field.mul(field.mul(x, x), x), this.periodicColumns[1][row % 16]);
    }
    return { columns, publicInputs: { end: columns[0][traceLength - 1] } };
  },
  executionOperations: traceLength => ({ additions: 2 * traceLength, multiplications: 5 * traceLength }),
};
